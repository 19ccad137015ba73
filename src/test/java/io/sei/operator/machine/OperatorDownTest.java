package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Manifests;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Halts that no operator saw, and of pods that it did not make. */
@Isolated
class OperatorDownTest extends MachineTestCase {

  private static final String UPGRADE =
      "upgrades: [{name: v2, height: %d, image: '%s'}]".formatted(Chain.HEIGHT, Chain.V2.image());

  private static final String LISTED = "listed";
  private static final String THEIRS = "theirs";
  private static final String SEID = "status.containerStatuses[?(@.name=='seid')].";

  @AfterEach
  void startOperator() {
    scaleOperator(1);
  }

  /** One node halts, one has its upgrade listed, and the pod of one is the Go operator's. */
  @Test
  void haltsThatNobodySawAreHaltsAndTheListedOneGoesOn() {
    apply(halting(THEIRS));
    eventually(() -> assertThat(phase(THEIRS)).isEqualTo("Running"));
    apply(halting(LISTED) + UPGRADE.indent(2) + "---\n" + halting(NODE));
    awaitHeight(LISTED + "-0", 2);
    awaitHeight(POD, 2);
    scaleOperator(0);
    String theirs = makeTheirPod();
    for (String node : List.of(NODE, LISTED)) {
      eventually(() -> assertThat(restarts(node)).isGreaterThanOrEqualTo(3));
    }
    assertThat(field("pods", LISTED + "-0", "spec.containers[?(@.name=='seid')].image"))
        .isEqualTo(Chain.V1_HALTING.image());

    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      scaleOperator(1);
      // A new pod's seid is not started before an operator has seen to it.
      eventually(() -> assertThat(restarts(THEIRS)).isGreaterThanOrEqualTo(3));
      for (String node : List.of(NODE, THEIRS)) {
        eventually(() -> assertThat(ready(node, "reason")).isEqualTo("HaltedAtUpgrade"));
        assertThat(ready(node, "message")).contains("\"v2\" at height " + Chain.HEIGHT);
      }
      eventually(
          () ->
              assertThat(field("seinodes", LISTED, "status.upgrades[0].state"))
                  .isEqualTo("Applied"));

      assertThat(reasons.seen()).doesNotContain("CrashLoop");
    }
    awaitHeight(LISTED + "-0", Chain.HEIGHT + 1);
    assertThat(field("pods", THEIRS + "-0", SEID + "lastState.terminated.message")).isEmpty();
    assertThat(field("pods", THEIRS + "-0", "metadata.uid")).isEqualTo(theirs);
  }

  /** The Go operator sets no policy, so that the API server sets one that leaves no message. */
  private String makeTheirPod() {
    String before = field("pods", THEIRS + "-0", "metadata.uid");
    kubectl(
        "patch",
        "statefulset",
        THEIRS,
        "--patch",
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":["
            + "{\"name\":\"seid\",\"terminationMessagePolicy\":\"File\"}]}}}}");
    kubectl("delete", "pod", THEIRS + "-0");
    eventually(() -> assertThat(field("pods", THEIRS + "-0", "metadata.uid")).isNotEqualTo(before));
    String policy = "spec.containers[?(@.name=='seid')].terminationMessagePolicy";
    assertThat(field("pods", THEIRS + "-0", policy)).isEqualTo("File");
    return field("pods", THEIRS + "-0", "metadata.uid");
  }

  private static String halting(String name) {
    return Manifests.node(name, Chain.V1_HALTING.image());
  }

  private String phase(String node) {
    return field("seinodes", node, "status.phase");
  }

  private String ready(String node, String field) {
    return field("seinodes", node, "status.conditions[?(@.type=='Ready')]." + field);
  }

  private int restarts(String node) {
    String count = field("pods", node + "-0", SEID + "restartCount");
    return count.isEmpty() ? 0 : Integer.parseInt(count);
  }

  private void scaleOperator(int replicas) {
    machine.kubectl(
        "-n", Machine.OPERATOR, "scale", "deployment", Machine.OPERATOR, "--replicas=" + replicas);
    eventually(
        () ->
            assertThat(
                    machine.kubectl(
                        "-n",
                        Machine.OPERATOR,
                        "get",
                        "pods",
                        "--selector=app.kubernetes.io/name=sei-operator",
                        "-o",
                        "jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}"))
                .isEqualTo(replicas == 0 ? "" : "True"));
  }
}
