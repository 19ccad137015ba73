package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A chain that really halts, and a kubelet that restarts it again and again. */
@Order(1)
@Execution(ExecutionMode.CONCURRENT)
class UpgradeHaltTest extends MachineTestCase {

  /** seid writes the file right before it panics, and ends a second later; the next run at once. */
  private static final String KILL_TWO_AT_THE_HALT =
      """
      {
        until [ -e /.sei/data/upgrade-info.json ]; do sleep 0.02; done
        last=none
        for turn in 1 2; do
          killed=$last
          while [ "$last" = "$killed" ]; do
            for process in /proc/[0-9]*; do
              read -r name <"$process/comm" && [ "$name" = seid ] && [ "$process" != "$killed" ] &&
                kill -KILL "${process#/proc/}" && last=$process
            done
            sleep 0.01
          done
        done
      } >/dev/null 2>&1 &
      """;

  @Test
  void isToldForAsLongAsItLastsAndTheNextImageGoesOnAndNoneBehindIt() {
    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      createNode(Chain.V1_HALTING.image());

      eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(5));

      // A run that has just begun, or whose log is being read, has not halted yet.
      eventually(() -> assertThat(condition("Ready")).isEqualTo("False/HaltedAtUpgrade"));
      eventually(() -> assertThat(message("Ready")).contains("\"v2\" at height " + Chain.HEIGHT));
      assertThat(condition("Stalled")).isEqualTo("False/NotStalled");
      assertThat(reasons.seen())
          .as(() -> String.join("\n", reasons.messages()))
          .contains("HaltedAtUpgrade")
          .doesNotContain("CrashLoop");
    }
    awaitCrashLoopBackOff();
    String halted = podUid();

    editImage(Chain.V2.image());

    awaitBlocks(Chain.V2.image());
    assertThat(awaitHeight(POD, Chain.HEIGHT + 1)).isGreaterThan(Chain.HEIGHT);
    assertThat(podUid()).isNotEqualTo(halted);
    assertThat(restarts()).isZero();
    // With the reason of the halt gone, none that follows can be of it.
    awaitReady();

    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      editImage(Chain.V1_HALTING.image());
      eventually(
          () -> {
            assertThat(condition("Stalled")).isEqualTo("True/CrashLoop");
            assertThat(message("Stalled"))
                .contains("upgrade handler is missing for v2 upgrade plan", "set spec.image");
          });

      assertThat(reasons.seen()).doesNotContain("HaltedAtUpgrade");
    }
    editImage(Chain.V2.image());
    awaitBlocks(Chain.V2.image());
  }

  /** Each container of a pod, ended ones included, leaves less of the words of all. */
  @Test
  void listedUpgradeIsAppliedToAPodWithContainersOfKubectlDebug() {
    createNode(Chain.V1_HALTING.image());
    eventually(() -> assertThat(field("pods", POD, "status.phase")).isEqualTo("Running"));
    for (int i = 1; i <= 4; i++) {
      debug("ended-" + i, "true");
    }
    debug("running", "sleep 600");
    eventually(
        () -> {
          assertThat(ephemeral("ended-4", "state.terminated.exitCode")).isEqualTo("0");
          assertThat(ephemeral("running", "state.running.startedAt")).isNotEmpty();
        });
    eventually(() -> assertThat(condition("Ready")).isEqualTo("False/HaltedAtUpgrade"));
    eventually(
        () ->
            assertThat(seid("status.containerStatuses", "lastState.terminated.message"))
                .isNotEmpty()
                .hasSizeLessThan(1500));
    String halted = podUid();

    listUpgrade(Chain.HEIGHT, Chain.V2.image());

    awaitBlocks(Chain.V2.image());
    assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
    assertThat(podUid()).isNotEqualTo(halted);
  }

  private void debug(String name, String command) {
    kubectl(
        "debug",
        POD,
        "--image=" + Chain.V1.image(),
        "--container=" + name,
        "--profile=baseline",
        "--",
        "/bin/bash",
        "-c",
        command);
  }

  private String ephemeral(String name, String field) {
    return container("status.ephemeralContainerStatuses", name, field);
  }

  @Test
  void upgradeIsPreparedOnTheMachineAndAMajorOneIsNotRunAheadOfItsHeight() {
    createNode(Chain.V1_MAJOR.image());
    awaitReady();
    String before = podUid();
    String wrong = Chain.V2.image() + "-typo";

    listUpgrade(Chain.FAR_HEIGHT, wrong);

    eventually(() -> assertThat(condition("UpgradesReady")).isEqualTo("False/ImagePull"));
    assertThat(message("UpgradesReady")).contains(wrong, "not found", "check the image");
    assertThat(condition("Stalled")).isEqualTo("False/NotStalled");

    listUpgrade(Chain.FAR_HEIGHT, Chain.V2.image());

    eventually(() -> assertThat(condition("UpgradesReady")).isEqualTo("True/Prepared"));
    assertThat(status("status.upgrades[0].state")).isEqualTo("Ready");
    assertThat(status("status.upgrades[0].imageID")).contains("sha256:");
    assertThat(status("status.upgrades[0].pulledOn"))
        .isEqualTo(field("pods", POD, "spec.nodeName"));
    eventually(
        () ->
            assertThat(kubectl("get", "jobs,pods", "-l", "sei.io/image-pull", "-o", "name"))
                .isEmpty());
    assertThat(kubectl("get", "endpointslices", "-o", "jsonpath={..targetRef.name}"))
        .isEqualTo(POD);

    listUpgrade(Chain.FAR_HEIGHT, Chain.V2.image(), true);

    eventually(() -> assertThat(condition("UpgradesReady")).isEqualTo("False/NotMinor"));
    awaitReady();
    kubectl("annotate", "seinode", NODE, "sei.io/explain=now");
    eventually(() -> assertThat(status("status.explain.request")).isEqualTo("now"));
    assertThat(message("UpgradesReady")).contains("\"v2\"", "remove early");
    awaitBlocks(Chain.V1_MAJOR.image());
    assertThat(podUid()).isEqualTo(before);
    assertThat(podsEverCreated()).isEqualTo(1);
    assertThat(restarts()).isZero();
  }

  /** The height is far: a slow machine would reach one that is near before the next image runs. */
  @Test
  void imageThatCameTooEarlyIsToldForAsLongAsItIsThereAndTheOldOneGoesOn() {
    createNode(Chain.V1_MAJOR.image());
    awaitHeight(POD, 2);

    editImage(Chain.V2.image());

    eventually(
        () -> {
          assertThat(status("status.currentImage")).isEqualTo(Chain.V2.image());
          assertThat(restarts()).isGreaterThanOrEqualTo(3);
        });
    assertThat(condition("Ready")).isEqualTo("False/ImageTooEarly");
    editImage(Chain.V1_MAJOR.image());
    awaitBlocks(Chain.V1_MAJOR.image());
  }

  @Test
  void haltByConfigurationIsNeitherAnUpgradeNorACrash() {
    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      createNode(Chain.V1_HALT_HEIGHT.image());

      eventually(
          () -> {
            assertThat(condition("Ready")).isEqualTo("False/HaltedByConfiguration");
            assertThat(message("Ready")).contains("halting node per configuration height=");
          });

      assertThat(reasons.seen()).doesNotContain("HaltedAtUpgrade", "ImageTooEarly", "CrashLoop");
    }
  }

  /** A run that was killed proves nothing, whatever the runs before and after it say. */
  @Test
  void plannedUpgradeIsToldAndGoesOnOnceAndByItsOwnHaltThoughSeidIsKilled() {
    // The other chain is at its height before a busy machine has seen a node Ready or killed it.
    createNode(Chain.V1_MINOR.image());
    eventually(() -> assertThat(condition("UpgradesReady")).isEqualTo("False/NotListed"));
    assertThat(message("UpgradesReady"))
        .startsWith("the chain plans upgrade \"v2\" at height " + Chain.MINOR_HEIGHT);
    eventually(
        () ->
            assertThat(metrics())
                .contains(
                    "sei_chain_upgrade_height{chain=\"atlantic-2\",namespace=\"%s\",upgrade=\"v2\"} %d"
                        .formatted(namespace, Chain.MINOR_HEIGHT)));
    listUpgrade(Chain.MINOR_HEIGHT, Chain.V2.image());
    int killedAt = awaitHeight(POD, 20);
    String before = podUid();

    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      signal("KILL", "seid");
      eventually(() -> assertThat(restarts()).isEqualTo(1));
      awaitHeight(POD, killedAt + 1);
      awaitReady();
      assertThat(reasons.seen()).doesNotContain("HaltedAtUpgrade", "ImageTooEarly");
    }
    kubectl("exec", POD, "-c", "sei-sidecar", "--", "/bin/bash", "-c", KILL_TWO_AT_THE_HALT);
    eventually(
        () -> {
          assertThat(restarts()).isGreaterThanOrEqualTo(2);
          assertThat(seid("status.containerStatuses", "lastState.terminated.exitCode"))
              .isEqualTo("137");
        });
    assertThat(podUid()).isEqualTo(before);
    assertThat(seid("spec.containers", "image")).isEqualTo(Chain.V1_MINOR.image());

    awaitBlocks(Chain.V2.image());
    assertThat(awaitHeight(POD, Chain.MINOR_HEIGHT + 1)).isGreaterThan(Chain.MINOR_HEIGHT);
    assertThat(podUid()).isNotEqualTo(before);
    assertThat(podsEverCreated()).isEqualTo(2);
    assertThat(condition("UpgradesReady")).startsWith("True/");
    assertThat(status("spec.image")).isEqualTo(Chain.V1_MINOR.image());
    assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
    assertThat(status("status.upgrades[0].evidence"))
        .startsWith("panic: UPGRADE \"v2\" NEEDED at height: " + Chain.MINOR_HEIGHT);
  }

  @Test
  void minorReleaseRunsAheadOfItsHeightAndGoesThroughItWithoutAHalt() {
    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      createNode(Chain.V1_MINOR.image());
      listUpgrade(Chain.MINOR_HEIGHT, Chain.V2.image(), true);

      awaitBlocks(Chain.V2.image());
      assertThat(awaitHeight(POD, 1)).isLessThan(Chain.MINOR_HEIGHT);
      awaitHeight(POD, Chain.MINOR_HEIGHT + 1);

      assertThat(restarts()).isZero();
      assertThat(podsEverCreated()).isEqualTo(2);
      assertThat(reasons.seen()).doesNotContain("HaltedAtUpgrade", "ImageTooEarly");
    }
    assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
    assertThat(status("status.upgrades[0].evidence")).startsWith("a minor release");
  }
}
