package io.sei.operator.testkit.machine;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
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
  /** Says that it is v7.0.0, and makes a chain that plans the upgrade {@code v7.1}. */
  V7_0_0(Chain.UPGRADE + "@" + Chain.LATE_HEIGHT, "", "BUILD_VERSION=v7.0.0"),
  /** Says that it is v7.1.0, as the list of releases on a {@link Machine} has it. */
  V7_1_0("", Chain.UPGRADE, "BUILD_VERSION=v7.1.0"),
  /** Knows the upgrade {@code v2}. */
  V2("", "v2");

  /** Name of the plan of {@link #V7_0_0}, from which the tag of {@link #V7_1_0} differs. */
  public static final String UPGRADE = "v7.1";

  /** Height at which {@link #V1_HALTING} halts: some seconds after its start. */
  public static final int HEIGHT = 40;

  /** Height at which {@link #V1_HALTING_LATER} halts: more than a minute after its start. */
  public static final int LATER_HEIGHT = 250;

  /**
   * Height at which {@link #V1_MINOR} halts: a minute after its start, time to roll on a busy
   * machine.
   */
  public static final int MINOR_HEIGHT = 300;

  /**
   * Height at which {@link #V7_0_0} halts, unless a test moves it by the file {@code
   * upgrade-height} in the home of its node: less than an hour after its start.
   */
  public static final int LATE_HEIGHT = 10_000;

  public static final int FAR_HEIGHT = 1_000_000;

  static final String REPOSITORY = "sei-protocol/sei";
  static final String PRIVATE_REPOSITORY = "private/sei";

  /** Password that pulls {@link #privateImage()}. */
  public static final String PASSWORD = "secret";

  private static final Pattern VERSION = Pattern.compile("v\\d+_\\d+_\\d+");

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
    String name = name().toLowerCase(Locale.ROOT);
    return name.replace('_', VERSION.matcher(name).matches() ? '.' : '-');
  }

  List<String> environment() {
    return Stream.concat(environment(plans, handlers).stream(), settings.stream()).toList();
  }

  static List<String> environment(String plans, String handlers) {
    return List.of(
        "UPGRADE_PLANS=" + plans, "UPGRADE_HANDLERS=" + handlers, "BLOCK_TIME=" + BLOCK_TIME);
  }
}
