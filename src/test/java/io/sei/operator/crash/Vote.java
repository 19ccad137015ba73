package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.task.Tasks;

/** Broadcasts a vote once at most; the task reports where the outcome cannot be determined. */
final class Vote extends NodeScenario {

  private static final String GOV_VOTE = "gov-vote";

  private int before;

  Vote(World world) {
    super(world);
  }

  @Override
  public void begin() {
    rounds++;
    world.client().resource(Tasks.vote(world.namespace(), name(), NODE)).create();
  }

  @Override
  String image() {
    return "sei:v1";
  }

  @Override
  public void assertDone() {
    assertThat(task().getStatus().finished()).isTrue();
  }

  @Override
  public void assertSound() {
    int broadcasts = world.executions(NODE, GOV_VOTE) - before;
    before += broadcasts;
    if (task().getStatus().phase() == NodeTaskPhase.COMPLETE) {
      assertThat(broadcasts).isEqualTo(1);
    } else {
      assertThat(broadcasts).isZero();
      assertThat(task().getStatus().conditions())
          .anyMatch(condition -> condition.isFor(NodeTaskReason.INCLUSION_UNDETERMINED));
    }
    world.assertNoTaskRanTwice(NODE);
  }

  private String name() {
    return "vote-" + rounds;
  }

  private SeiNodeTask task() {
    return world.read(SeiNodeTask.class, name());
  }
}
