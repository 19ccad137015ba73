package io.sei.operator.testkit.machine;

import java.util.List;
import java.util.Locale;

/** Versions of the chain of {@code src/test/go/chain}, each an image. */
public enum Chain {
  /** Makes a chain that goes on for ever. */
  V1("", ""),
  /** The same under a tag that the kubelet pulls at every start. */
  LATEST("", ""),
  /** Makes a chain that plans the upgrade {@code v2}, and does not know it. */
  V1_HALTING("v2@" + Chain.HEIGHT, ""),
  /** Knows the upgrade {@code v2}. */
  V2("", "v2");

  /** Where {@link #V1_HALTING} halts: some seconds after its start. */
  public static final int HEIGHT = 40;

  static final String REPOSITORY = "sei-protocol/sei";
  static final String PRIVATE_REPOSITORY = "private/sei";

  /** What has to be given to pull {@link #privateImage()}. */
  public static final String PASSWORD = "secret";

  private static final String BLOCK_TIME = "200ms";

  private final String plans;
  private final String handlers;

  Chain(String plans, String handlers) {
    this.plans = plans;
    this.handlers = handlers;
  }

  /** The image, as a resource names it. */
  public String image() {
    return "ghcr.io/" + REPOSITORY + ":" + tag();
  }

  /** {@link #V1} in a repository that asks for a password. */
  public static String privateImage() {
    return "registry.example/" + PRIVATE_REPOSITORY + ":" + V1.tag();
  }

  String tag() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  List<String> environment() {
    return List.of(
        "UPGRADE_PLANS=" + plans, "UPGRADE_HANDLERS=" + handlers, "BLOCK_TIME=" + BLOCK_TIME);
  }
}
