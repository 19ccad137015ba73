package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.testkit.samples.Samples;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatusWritesTest {

  private static final SeiNodeStatus BEFORE = SeiNodeStatus.empty();
  private static final SeiNodeStatus AFTER = SeiNodeStatus.empty().withCurrentImage("sei:b");

  private final PerObjectState<ResourceID> memory = new PerObjectState<>();
  private final StatusWrites<SeiNodeStatus> writes = new StatusWrites<>(memory);
  private final List<String> done = new ArrayList<>();

  @Test
  void runsWhatFollowsAWriteOnce() {
    writes.write(node("1", BEFORE), AFTER, () -> node("2", AFTER), () -> done.add("once"));
    writes.completeEarlier(node("2", AFTER));

    assertThat(done).containsExactly("once");
  }

  @Test
  void runsItLaterIfTheResponseWasLost() {
    loseAnswer();
    writes.completeEarlier(node("1", BEFORE));
    loseAnswer();
    assertThat(done).isEmpty();

    writes.completeEarlier(node("2", AFTER));
    writes.completeEarlier(node("2", AFTER));

    assertThat(done).containsExactly("late");
  }

  @Test
  void runsNothingIfTheWriteFailed() {
    loseAnswer();
    writes.completeEarlier(node("2", BEFORE));
    writes.completeEarlier(node("3", AFTER));

    assertThat(done).isEmpty();
  }

  @Test
  void forgetsWhatIsGone() {
    loseAnswer();
    memory.drop(ResourceID.fromResource(node("1", BEFORE)));
    writes.completeEarlier(node("2", AFTER));

    assertThat(done).isEmpty();
  }

  private void loseAnswer() {
    assertThatThrownBy(
            () ->
                writes.write(
                    node("1", BEFORE),
                    AFTER,
                    () -> {
                      throw new IllegalStateException("no answer");
                    },
                    () -> done.add("late")))
        .hasMessage("no answer");
  }

  private static SeiNode node(String resourceVersion, SeiNodeStatus status) {
    var node = Samples.node("default", "node", null);
    node.getMetadata().setResourceVersion(resourceVersion);
    node.setStatus(status);
    return node;
  }
}
