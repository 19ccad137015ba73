package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.FaultStage;
import io.sei.operator.testkit.Faults;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every way to be stuck has a name, and is named for as long as it lasts. */
class EveryReasonTest extends RolloutTestCase {

  /** Reason of fleets, which no node has; see GenesisCeremonyTest. */
  private static final StallReason OF_FLEETS = StallReason.CEREMONY_FAILED;

  /** Needs an operator with an account for sidecars; see SidecarTokensTest. */
  private static final StallReason OF_TOKENS = StallReason.SIDECAR_NOT_ASKED;

  /** Reason of specs, which no fault of a pod causes; see UnreadableNodeTest. */
  private static final StallReason OF_SPECS = StallReason.INVALID_SPEC;

  /** Reasons that the simulated kubelet cannot cause; DiagnosisTest has their evidence. */
  private static final EnumSet<StallReason> NOT_SIMULATED =
      EnumSet.of(
          OF_FLEETS,
          StallReason.ROLLED_BACK,
          OF_TOKENS,
          OF_SPECS,
          StallReason.MOUNT_SOURCE_MISSING,
          StallReason.POD_FAILED,
          StallReason.POD_NOT_STARTED,
          StallReason.REGISTRY_UNREACHABLE);

  static Stream<Fault> faults() {
    return Cases.of(2, all().stream().filter(fault -> !isResize(fault)).toList());
  }

  private static boolean isResize(Fault fault) {
    return fault.reason() == StallReason.POD_RESIZE_PENDING;
  }

  private static List<Fault> all() {
    return Stream.concat(Faults.all().stream(), Stream.of(Faults.standstill(), Faults.hang()))
        .toList();
  }

  /** A test that failed may have left the machine silent, or claims unbound. */
  @AfterEach
  void endAllFaults() {
    kubelet.recoverNode();
    kubelet.holdVolumeBinding(false);
    sidecarFaults().clear();
  }

  @Tag("long")
  @Tag("since-1.33")
  @Test
  void resizeThatDoesNotFitIsToldOnceAndGoesWithItsCause() {
    Fault resize = all().stream().filter(EveryReasonTest::isResize).findFirst().orElseThrow();
    isToldOnceWithEvidenceAndNextStepAndGoesWithItsCause(resize);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void isToldOnceWithEvidenceAndNextStepAndGoesWithItsCause(Fault fault) {
    var stage = new FaultStage(client, kubelet, sidecar, namespace, NODE).on(chain);
    if (fault.isThereFirst()) {
      fault.begin().accept(stage);
      client.resource(fault.node(namespace, NODE)).create();
    } else {
      create(fault.node(namespace, NODE).getSpec().withProgressDeadlineSeconds(null));
      awaitUpToDate(Fault.IMAGE);
      setDeadline(fault.deadlineSeconds());
      fault.begin().accept(stage);
      letMinutesPass(fault);
    }

    awaitStalled(fault.reason());
    assertTold(fault);
    assertPluginSaysSo(fault);

    fault.end().accept(stage);
    // From here on everything may take as long as the machine needs.
    setDeadline(null);

    awaitUpToDate(node().getSpec().image());
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.NOT_STALLED);
    eventually(() -> assertThat(stalledSeries()).isEmpty());
    // A busy machine may outlast the short deadline once more before it is lifted.
    eventually(() -> assertThat(occurrences("Recovered")).isBetween(1, occurrences("Stalled")));
  }

  @Test
  void everyReasonHasAFault() {
    assertThat(all())
        .extracting(Fault::reason)
        .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(NOT_SIMULATED));
  }

  /**
   * A node that stands still is stalled once that has lasted, and its pod is Ready all the while;
   * one that hangs is at its deadline.
   */
  private void letMinutesPass(Fault fault) {
    if (fault.reason() == StallReason.SEID_NOT_RESPONDING) {
      eventually(
          () ->
              assertCondition(
                  NodeConditionType.READY, ConditionStatus.FALSE, StallReason.SEID_NOT_RESPONDING));
      operator.clock().jumpTo(Duration.ofMinutes(10));
    }
    if (fault.reason() == StallReason.HEIGHT_STANDS_STILL) {
      String said = "sei_node_height{name=\"%s\",namespace=\"%s\"} %.1f";
      eventually(
          () ->
              assertThat(operator.scrape())
                  .contains(said.formatted(NODE, namespace, (double) Faults.STANDSTILL)));
      operator.clock().jumpTo(Duration.ofMinutes(3));
    }
  }

  private static boolean isReadyAllTheWhile(Fault fault) {
    return List.of(StallReason.HEIGHT_STANDS_STILL, StallReason.POD_RESIZE_PENDING)
        .contains(fault.reason());
  }

  @Test
  void haltThatIsNotListedIsAStallAtTheDeadline() {
    createRunning(1);

    kubelet.halt(namespace, POD, "v6.2", 190000000);

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.HALTED_AT_UPGRADE);
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.HALTED_AT_UPGRADE);
    assertCondition(NodeConditionType.RECONCILING, ConditionStatus.FALSE);
    assertThat(node().getStatus().reason()).isEqualTo(StallReason.HALTED_AT_UPGRADE.toString());
    assertCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE);
    assertThat(condition(NodeConditionType.UPGRADES_READY).reason()).isEqualTo("NotListed");
    assertThat(upgrades()).contains("    v6.2                190000000  HALTED, not listed\n");
    assertThat(events("UpgradeNotListed")).isEmpty();
    assertThat(operator.scrape()).contains("sei_node_halted{name=\"node\"");
    eventually(() -> assertThat(events("Stalled")).hasSize(1));
  }

  private String upgrades() {
    return new KubectlSei(controlPlane, namespace).run("upgrades").stdout();
  }

  private void setDeadline(Integer seconds) {
    patch("{'spec':{'progressDeadlineSeconds':%d}}".formatted(seconds));
  }

  private void assertTold(Fault fault) {
    Condition stalled = condition(NodeConditionType.STALLED);
    assertThat(stalled.message()).contains(fault.says());
    assertCondition(
        NodeConditionType.READY,
        isReadyAllTheWhile(fault) ? ConditionStatus.TRUE : ConditionStatus.FALSE);
    eventually(
        () ->
            assertThat(stalledSeries())
                .singleElement()
                .asString()
                .contains("reason=\"" + fault.reason() + "\""));
    eventually(
        () ->
            assertThat(eventsOf(NODE))
                .filteredOn(event -> event.getReason().equals("Stalled"))
                .as(() -> "one of " + told())
                .singleElement()
                .returns(1, Event::getCount));
    assertThat(events("Stalled").get(0).getMessage())
        .startsWith(fault.reason() + ": ")
        .contains(fault.says());
    assertThat(events("Stalled").get(0).getType()).isEqualTo("Warning");
  }

  /** A script that waits stops at once, and the on-call finds the page. */
  private void assertPluginSaysSo(Fault fault) {
    var plugin = new KubectlSei(controlPlane, namespace);

    KubectlResult waited = plugin.run("wait", "snode/" + NODE, "--timeout=0s");
    KubectlResult why = plugin.run("why", "snode/" + NODE);

    assertThat(waited.exitCode()).as("%s", waited).isEqualTo(1);
    assertThat(waited.stderr()).contains(fault.reason() + ": ");
    assertThat(why.exitCode()).as("%s", why).isEqualTo(1);
    assertThat(why.stdout()).contains("runbooks/" + fault.reason() + ".md");
  }

  private List<String> told() {
    return eventsOf(NODE).stream()
        .map(event -> event.getLastTimestamp() + " " + event.getReason())
        .toList();
  }

  private List<String> stalledSeries() {
    return operator.scrape().lines().filter(line -> line.startsWith("sei_node_stalled{")).toList();
  }
}
