package io.sei.operator.testkit.machine;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Versions of the chain of {@code src/test/go/chain}, each an image. */
public enum Chain {
  /** Makes a chain that never halts. */
  V1("", ""),
  /** Has the image under a tag that the kubelet pulls at every start. */
  LATEST("", ""),
  /** Lets its RPC dial a peer on request. */
  V1_DIALS("", "", "SEID_RPC_UNSAFE=true"),
  /** Makes a chain that plans the upgrade {@code v2}, and does not know it. */
  V1_HALTING("v2@" + Chain.HEIGHT, ""),
  /** Makes such a chain, whose height leaves time to lose a machine before. */
  V1_HALTING_LATER("v2@" + Chain.LATER_HEIGHT, ""),
  /** Makes a chain that plans it as a minor release, which may run ahead of its height. */
  V1_MINOR("v2@" + Chain.MINOR_HEIGHT + "={\"upgradeType\":\"minor\"}", ""),
  /** Makes a chain that plans {@code v2} for a height that no test sees. */
  V1_MAJOR("v2@" + Chain.FAR_HEIGHT, ""),
  /** Makes a chain whose configuration halts it at {@link #HEIGHT}, and at each block after it. */
  V1_HALT_HEIGHT("", "", "SEID_HALT_HEIGHT=" + Chain.HEIGHT),
  /** Does not start: cobra prints an error, and the whole usage after it. */
  V1_USAGE("", "", "SEID_PRUNING=sometimes"),
  /** Knows the upgrade {@code v2}. */
  V2("", "v2");

  /** Height at which {@link #V1_HALTING} halts: some seconds after its start. */
  public static final int HEIGHT = 40;

  /** Height at which {@link #V1_HALTING_LATER} halts: more than a minute after its start. */
  public static final int LATER_HEIGHT = 250;

  /**
   * Height at which {@link #V1_MINOR} halts: a minute after its start, time to roll on a busy
   * machine.
   */
  public static final int MINOR_HEIGHT = 300;

  public static final int FAR_HEIGHT = 1_000_000;

  static final String REPOSITORY = "sei-protocol/sei";
  static final String PRIVATE_REPOSITORY = "private/sei";

  /** Password that pulls {@link #privateImage()}. */
  public static final String PASSWORD = "secret";

  private static final String BLOCK_TIME = "200ms";

  private final String plans;
  private final String handlers;
  private final List<String> settings;

  Chain(String plans, String handlers, String... settings) {
    this.plans = plans;
    this.handlers = handlers;
    this.settings = List.of(settings);
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
    return Stream.concat(environment(plans, handlers).stream(), settings.stream()).toList();
  }

  static List<String> environment(String plans, String handlers) {
    return List.of(
        "UPGRADE_PLANS=" + plans, "UPGRADE_HANDLERS=" + handlers, "BLOCK_TIME=" + BLOCK_TIME);
  }
}
