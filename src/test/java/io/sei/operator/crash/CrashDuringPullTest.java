package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.testkit.KillSwitch.Moment;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The operator dies after each request of a pull, and another one takes its place when the image is
 * due again: the slot of the pull is over, so that no name leads to the Job that was left.
 */
@Tag("long")
@RealControlPlane
class CrashDuringPullTest {

  private static final Duration SLOT = Duration.ofHours(25);

  private int slots;

  @Test
  void noJobIsLeftASlotLater(ControlPlane plane, TestNamespace namespace) {
    try (var sidecar = new SidecarSimulator().version(SidecarVersion.V0_0_70);
        var world = World.open(plane, namespace.name() + "-0", sidecar)) {
      var pull = new PreparedUpgrade(world);
      pull.prepare();
      int request = 0;
      while (isSurvivedBy(world, pull, request)) {
        request++;
      }
      assertThat(request).as("requests of a pull").isGreaterThan(4);
    }
  }

  /** Returns whether the operator got as far as that request, and died. */
  private boolean isSurvivedBy(World world, PreparedUpgrade pull, int request) {
    world.killSwitch().arm(request, Moment.AFTER);
    pull.begin();
    World.eventually(
        () -> {
          if (!world.killSwitch().hasStruck()) {
            pull.assertDone();
          }
        });
    String last = world.killSwitch().lastRequest();
    slots++;
    world.operator().clock().jumpTo(SLOT.multipliedBy(slots));
    world.replaceOperator();

    World.eventually(
        () -> {
          List<Job> jobs = world.readAll(Job.class);
          assertThat(jobs).as("died after %s", last).isEmpty();
          pull.assertDone();
        });
    pull.assertSound();
    return last != null;
  }
}
