package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A new template reaches every node, and no more of them are taken down than allowed. */
class FleetRolloutTest extends FleetTestCase {

  private static final String HOLD_ROLLOUTS =
      "{'spec':{'updateStrategy':{'type':'InPlace','paused':%s}}}";

  /** What it would do is told on request, before it does. */
  @Test
  void takesDownEveryNodeOnceAndOneAtATimeFromTheHighestOrdinalAsWasTold() {
    createReady(3);
    patch(HOLD_ROLLOUTS.formatted(true));
    setImage(B);
    Explanation told = ask("1");
    assertThat(told.nodes()).extracting(ExplainedNode::action).containsOnly(Action.RESTART);
    assertThat(told.nodes()).extracting(ExplainedNode::wave).containsExactly(3, 2, 1);
    assertThat(told.summary()).startsWith("once spec.updateStrategy.paused is cleared: 3 of 3");
    assertThat(told.nodes().get(0).reason()).contains("image " + A + " -> " + B);
    assertNothingIsDone();

    try (var watch = new FleetWatch(client, namespace)) {
      patch(HOLD_ROLLOUTS.formatted(false));
      awaitUpToDate(3, B);

      assertThat(watch.mostUnready()).isEqualTo(1);
      assertThat(watch.admissions()).containsSubsequence(1L, 2L, 3L);
    }
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      assertThat(pods(ordinal).get(0).deletionRequestedAt())
          .isAfterOrEqualTo(pods(ordinal + 1).get(1).createdAt());
    }
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertCondition(
        FleetConditionType.ROLLOUT_IN_PROGRESS,
        ConditionStatus.FALSE,
        FleetReason.ROLLOUT_COMPLETE);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(ask("2").nodes()).extracting(ExplainedNode::action).containsOnly(Action.NONE);
    annotate("null");
    eventually(() -> assertThat(status().explain()).isNull());
  }

  private Explanation ask(String request) {
    annotate("'" + request + "'");
    eventually(
        () ->
            assertThat(status().explain().answers(request, fleet().getMetadata().getGeneration()))
                .isTrue());
    return status().explain();
  }

  private void annotate(String value) {
    patch("{'metadata':{'annotations':{'sei.io/explain':%s}}}".formatted(value));
  }

  /** The answer is one write, and nothing follows from it. */
  private void assertNothingIsDone() {
    Explanation told = status().explain();
    // Events are recorded in the background, those of what came before as well.
    operator.requests().clear();
    int nodes = awaitAnotherLookAtNodes();
    assertThat(status().explain()).isEqualTo(told);
    assertThat(operator.requests().matching(request -> !request.isAside()))
        .as("the answers of the nodes")
        .hasSize(nodes)
        .allMatch(request -> request.path().matches(".*/seinodes/.*/status"));
    awaitEvents("Paused", 1);
    assertThat(fleetEvents()).extracting(Event::getReason).containsOnly("SeiNodeCreated", "Paused");
    assertThat(specImages()).containsOnly(A);
  }

  @Tag("long")
  @Test
  void keepsNodesBelowThePartitionOnExactlyTheOldTemplate() {
    createReady(3, new InPlace(null, 2, null, null, null));
    String before = node(0).getMetadata().getLabels().get("sei.io/revision");

    patch(
        "{'spec':{'template':{'metadata':{'labels':{'team':'new'}},"
            + "'spec':{'image':'%s','resources':{'limits':{'memory':'1Gi'}}}}}}".formatted(B));

    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
    awaitEvents("RolloutComplete", 1);
    assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    assertThat(status().updated()).isEqualTo("1/3");

    String uid = node(0).getMetadata().getUid();
    client.resource(node(0)).delete();

    eventually(
        () -> {
          assertThat(node(0).getMetadata().getUid()).isNotEqualTo(uid);
          assertThat(currentImages()).containsExactly(A, A, B);
          assertThat(status().phase()).isEqualTo(FleetPhase.READY);
        });
    assertThat(node(0).getMetadata().getLabels())
        .containsEntry("sei.io/revision", before)
        .doesNotContainKey("team");
    assertThat(node(0).getSpec().resources()).isNull();
    assertThat(podImages(1)).containsExactly(A);

    patch("{'spec':{'updateStrategy':{'inPlace':{'partition':0}}}}");

    awaitUpToDate(3, B);
    assertThat(node(0).getMetadata().getLabels()).containsEntry("team", "new");
  }
}
