package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a rollout would do is told on request, and then done in that order. */
class FleetExplainTest extends FleetTestCase {

  private static final String HOLD_ROLLOUTS =
      "{'spec':{'updateStrategy':{'type':'InPlace','paused':%s}}}";

  @Test
  void theOrderThatIsToldIsTheOrderTheRolloutTakes() {
    createReady(3);
    patch(HOLD_ROLLOUTS.formatted(true));
    setImage(B);

    Explanation told = ask("1");

    assertThat(told.nodes()).extracting(ExplainedNode::action).containsOnly(Action.RESTART);
    assertThat(told.nodes()).extracting(ExplainedNode::wave).containsExactly(3, 2, 1);
    assertThat(told.summary()).startsWith("once spec.updateStrategy.paused is cleared: 3 of 3");
    assertThat(told.nodes().get(0).reason()).contains("image " + A + " -> " + B);
    assertNothingIsDone();

    patch(HOLD_ROLLOUTS.formatted(false));

    awaitUpToDate(3, B);
    assertThat(orderOfRestarts(3))
        .isEqualTo(
            told.nodes().stream()
                .sorted(Comparator.comparing(ExplainedNode::wave))
                .map(ExplainedNode::name)
                .toList());
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

  private List<String> orderOfRestarts(int replicas) {
    return IntStream.range(0, replicas)
        .boxed()
        .sorted(Comparator.comparing(ordinal -> pods(ordinal).get(0).deletionRequestedAt()))
        .map(ordinal -> FLEET + "-" + ordinal)
        .toList();
  }
}
