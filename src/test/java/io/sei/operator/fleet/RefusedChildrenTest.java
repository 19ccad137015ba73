package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.Denials.Answer;
import io.sei.operator.testkit.PodFault;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Continues with the other nodes of a fleet, and their counts, where the API server refuses one.
 */
class RefusedChildrenTest extends FleetTestCase {

  private static final String NODES = "seinodes";
  private static final String POLICY = "the platform team says no";

  private Denials denials;

  @BeforeEach
  void prepareDenials() {
    denials = new Denials(client, namespace);
  }

  @Test
  void aNodeThatMayNotBeMadeIsToldAndTheOthersAreMade() {
    denials.deny(NODES, "fleet-0", Answer.INVALID, "CREATE");
    create(fleetSpec(3, A));

    awaitTold(StallReason.APPLY_REFUSED, "SeiNode fleet-0", POLICY);
    eventually(() -> assertThat(status().readyReplicas()).isEqualTo(2));
    assertThat(status().nodes()).hasSize(2);
    denials.allow(NODES);

    awaitUpToDate(3, A);
    eventually(() -> assertThat(events(FLEET, "Recovered")).isNotEmpty());
  }

  @Test
  @Tag("long")
  void aNodeThatMayNotBeDeletedIsToldAndTheOthersGo() {
    createReady(3);
    denials.deny(NODES, "fleet-2", Answer.FORBIDDEN, "DELETE");

    patch("{'spec':{'replicas':1}}");

    awaitTold(StallReason.APPLY_REFUSED, "SeiNode fleet-2", POLICY);
    eventually(() -> assertThat(node(1)).isNull());
    denials.allow(NODES);

    awaitUpToDate(1, A);
  }

  @Test
  @Tag("long")
  void aRevisionThatMayNotBeKeptHoldsTheRolloutAndNothingElse() {
    createReady(2);
    denials.forbidAny("count/controllerrevisions.apps");

    patch("{'spec':{'replicas':1,'template':{'spec':{'image':'%s'}}}}".formatted(B));

    awaitTold(StallReason.QUOTA_EXCEEDED, "ControllerRevision", "exceeded quota");
    eventually(() -> assertThat(node(1)).isNull());
    assertThat(specImages()).containsExactly(A);
    denials.raiseQuota("count/controllerrevisions.apps");

    awaitUpToDate(1, B);
  }

  @Tag("long")
  @Test
  void aNodeRefusedInTheMiddleOfARolloutHoldsItAndIsCounted() {
    createReady(3, atMostUnavailable(1));
    denials.deny(NODES, "fleet-1", Answer.INVALID, "UPDATE");

    setImage(B);

    awaitTold(StallReason.APPLY_REFUSED, "SeiNode fleet-1", POLICY);
    eventually(
        () -> {
          assertThat(status().phase()).isEqualTo(FleetPhase.UPGRADING);
          assertThat(status().updated()).isEqualTo("1/3");
          assertThat(status().readyReplicas()).isEqualTo(3);
        });
    // Not at the nodes, whose annotations the policy keeps as they are.
    awaitAnotherLookAtFleets();
    assertThat(specImages()).containsExactly(A, A, B);
    kubelet.loseNode();
    eventually(() -> assertThat(status().readyReplicas()).isZero());
    kubelet.recoverNode();
    denials.allow(NODES);

    awaitUpToDate(3, B);
  }

  /** A node that is refused something tells that its pod is down all the same. */
  @Test
  @Tag("long")
  void theBudgetCountsANodeThatIsDownWhateverItIsRefused() {
    createReady(3, atMostUnavailable(1));
    denials.deny("services", "fleet-0", Answer.FORBIDDEN, "CREATE");
    client.services().inNamespace(namespace).withName("fleet-0").delete();
    eventually(() -> assertThat(operatorAskedForServiceOf("fleet-0")).isTrue());
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    eventually(() -> assertThat(podImages(2)).containsExactly(A, B));
    kubelet.inject(namespace, "fleet-0-0", PodFault.NEVER_READY);
    client.pods().inNamespace(namespace).withName("fleet-0-0").delete();
    // A node that may run is not updated beside one in flight, although it is not Ready.
    eventually(() -> assertThat(status().readyReplicas()).isOne());
    assertThat(specImages()).containsExactly(A, A, B);

    kubelet.clearImage(B);

    eventually(() -> assertThat(nodeCondition(2, NodeConditionType.READY).isTrue()).isTrue());
    eventually(() -> assertThat(specImages()).containsExactly(B, A, B));
    stays(
        () -> {
          assertThat(specImages()).containsExactly(B, A, B);
          assertThat(podImages(1)).containsExactly(A);
        });
    assertThat(nodeCondition(0, NodeConditionType.STALLED).reason())
        .isEqualTo(StallReason.APPLY_REFUSED.toString());
    kubelet.clear(namespace, "fleet-0-0");
    denials.allow("services");

    awaitUpToDate(3, B);
  }

  @Test
  @Tag("long")
  void aFleetThatMayNotBeLetGoSaysWhy() {
    createReady(1);
    patch("{'spec':{'deletionPolicy':'Retain'}}");
    awaitUpToDate(1, A);
    eventually(() -> assertThat(fleet().getMetadata().getFinalizers()).isNotEmpty());
    denials.deny("seinodedeployments", FLEET, Answer.FORBIDDEN, "UPDATE");
    client.resource(fleet()).delete();

    eventually(
        () ->
            assertThat(events(FLEET, "Stalled"))
                .anyMatch(event -> event.getMessage().contains(POLICY)));
    assertThat(node(0).isMarkedForDeletion()).isFalse();
    denials.allow("seinodedeployments");

    eventually(() -> assertThat(fleet()).isNull());
    assertThat(node(0).isMarkedForDeletion()).isFalse();
  }

  private boolean operatorAskedForServiceOf(String node) {
    return !operator
        .requests()
        .matching(request -> request.isWrite() && request.path().endsWith("/services/" + node))
        .isEmpty();
  }

  private void awaitTold(StallReason reason, String... words) {
    eventually(
        () -> {
          assertCondition(FleetConditionType.STALLED, ConditionStatus.TRUE, reason);
          Condition stalled = condition(FleetConditionType.STALLED);
          assertThat(stalled.message()).contains(words);
          assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE, reason);
        });
    eventually(() -> assertThat(events(FLEET, "Stalled")).isNotEmpty());
  }
}
