package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.FaultStage;
import io.sei.operator.testkit.Faults;
import io.sei.operator.testkit.RequestLog.Request;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Events and machines are read only about a pod in trouble, and then rarely; and a machine before a
 * node is taken down there.
 */
class LiveEvidenceTest extends RolloutTestCase {

  private final Fault refusal = Faults.named("quota-exceeded").orElseThrow();

  @Test
  void rolloutReadsTheMachineOfThePodThatGoesAndNothingElse() {
    createRunning();

    setImage(B);

    awaitUpToDate(B);
    assertThat(reads()).hasSize(1).first().asString().contains(kubelet.nodeName());
  }

  @Test
  @Tag("long")
  void eventsOfAMissingPodAreReadOnceInAWhile() {
    createStalled();

    stays(() -> assertThat(reads()).hasSize(1));

    refusal.end().accept(stage());
    awaitUpToDate(Fault.IMAGE);
    assertThat(reads()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  @Tag("long")
  void restartOfTheOperatorForgetsNoStall() {
    createStalled();
    eventually(() -> assertThat(occurrences("Stalled")).isEqualTo(1));

    operator.restart();

    stays(
        () ->
            assertCondition(
                NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.QUOTA_EXCEEDED));
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertThat(events("Recovered")).isEmpty();
  }

  @Test
  void machineThatMayNotBeReadIsPresumedLostFromItsPodAndAskedForOnce() {
    Fault lost = Faults.named("node-lost").orElseThrow();
    operatorBehindADoor().start();
    door.inject(100, LiveEvidenceTest::isRead, ApiFault.error(403, "Forbidden"));
    createRunning(lost);
    lost.begin().accept(stage());

    awaitStalled(StallReason.NODE_LOST);

    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("the operator may not read it");
    assertThat(reads()).hasSize(1);
    lost.end().accept(stage());
    awaitUpToDate(Fault.IMAGE);
  }

  private void createStalled() {
    createRefused();
    awaitStalled(StallReason.QUOTA_EXCEEDED);
  }

  private void createRefused() {
    createRunning(refusal);
    refusal.begin().accept(stage());
  }

  /** The node gets the fault's deadline once it runs: how long the start takes does not count. */
  private void createRunning(Fault fault) {
    SeiNode node = fault.node(namespace, NODE);
    node.setSpec(node.getSpec().withProgressDeadlineSeconds(null));
    client.resource(node).create();
    awaitUpToDate(Fault.IMAGE);
    patch("{'spec':{'progressDeadlineSeconds':%d}}".formatted(fault.deadlineSeconds()));
    awaitUpToDate(Fault.IMAGE);
    operator.requests().clear();
  }

  private FaultStage stage() {
    return new FaultStage(client, kubelet, sidecar, namespace, NODE);
  }

  private List<Request> reads() {
    return operator.requests().matching(LiveEvidenceTest::isRead);
  }

  private static boolean isRead(Request request) {
    return request.method().equals("GET")
        && (request.path().endsWith("/events") || request.path().contains("/api/v1/nodes/"));
  }
}
