package io.sei.operator.fleet.model;

import static io.sei.operator.fleet.SnapshotBuilder.A;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.SnapshotBuilder;
import io.sei.operator.kube.RefusedWrites;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a deployment is reconciled again. */
class FleetPassTest {

  /** Nothing announces that a policy was lifted. */
  @Test
  void whatIsRefusedIsAskedForAgainWithinAMinuteHoweverLongItHasBeen() {
    var stalled =
        new Condition(
            FleetConditionType.STALLED.toString(),
            ConditionStatus.TRUE,
            7L,
            Fleets.LONG_AGO,
            "ApplyRefused",
            "no");
    var reconcile =
        new FleetPass(
            new SnapshotBuilder(1, A).status(it -> it.withConditions(List.of(stalled))).build());
    assertThat(reconcile.recheck()).isEmpty();

    reconcile.refusals().add(RefusedWrites.of("SeiNode fleet-0", "no"));

    assertThat(reconcile.recheck()).contains(Duration.ofSeconds(30));
  }
}
