package io.sei.operator.fleet.feature;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.kube.RefusedWrites;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Decides when a deployment is reconciled again. */
class FleetPassTest {

  /** No event announces that a policy was lifted. */
  @Test
  void whatIsRefusedIsAskedForAgainWithinAMinuteHoweverLongItHasBeen() {
    var stalled =
        new Condition(
            FleetConditionType.STALLED.toString(),
            ConditionStatus.TRUE,
            7L,
            NodeSample.LONG_AGO,
            "ApplyRefused",
            "no");
    var reconcile = aFleet(1, A).status(status -> status.withConditions(List.of(stalled))).pass();
    assertThat(reconcile.recheck()).isEmpty();

    reconcile.refusals().add(RefusedWrites.of("SeiNode fleet-0", "no"));

    assertThat(reconcile.recheck()).contains(Duration.ofSeconds(30));
  }

  /** Two decisions that take nodes down cost one request, and the second counts the first one. */
  @Test
  void decisionThatTakesANodeDownIsMadeOnceMoreWithPodsReadLive() {
    var reads = new AtomicInteger();
    var pass =
        new FleetPass(
            aFleet(2, A).ready().view(),
            view -> {
              reads.incrementAndGet();
              return view.withLive(Map.of("fleet-0", Optional.empty()));
            });

    assertThat(pass.decide(FleetPassTest::ready, nodes -> false)).hasSize(2);
    assertThat(reads).hasValue(0);
    List<FleetNode> taken = pass.decide(FleetPassTest::ready, nodes -> true);
    assertThat(taken).extracting(FleetNode::name).containsExactly("fleet-1");
    pass.countAsTakenDown(Disruption.TASK, taken);
    assertThat(pass.decide(FleetPassTest::ready, nodes -> true)).isEmpty();
    assertThat(reads).hasValue(1);
  }

  /** No watch reports the end of a cordon. */
  @Test
  void nodesOnMachinesThatLeaveAreLookedAtAgain() {
    var pass =
        new FleetPass(
            aFleet(2, A).ready().view(),
            view -> view.withLeaving(Map.of("fleet-0", "Kubernetes node m-1 is cordoned")));
    assertThat(pass.recheck()).isEmpty();

    assertThat(pass.<Boolean>decide(view -> view.fleet().getFirst().isLeaving(), any -> true))
        .isTrue();

    assertThat(pass.recheck()).contains(Duration.ofSeconds(30));
    assertThat(pass.<Boolean>decide(view -> view.fleet().getFirst().isLeaving(), any -> false))
        .isTrue();
  }

  /** A decision that a crash before the write would lose takes no node down. */
  @Test
  void decisionReadsTheStoredStatusAndNotTheDraft() {
    var pass = aFleet(1, A).status(status -> status.withCompletedTemplateHash("stored")).pass();
    pass.update(status -> status.withCompletedTemplateHash("drafted"));

    assertThat(pass.<String>decide(view -> view.stored().completedTemplateHash(), any -> true))
        .isEqualTo("stored");
  }

  private static List<FleetNode> ready(FleetView view) {
    return view.fleet().stream()
        .filter(node -> node.isReady() && !view.taken().containsKey(node.name()))
        .toList();
  }
}
