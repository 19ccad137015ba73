package io.sei.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Decides by offers, whatever they stand for. */
class PlannerTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final PlanTarget TARGET =
      new PlanTarget(1L, "v1:a", "sei:a", "s", null, null, null);
  private static final PlanTrigger POD = PlanTrigger.of(Rank.POD, PlanKind.UPDATE, "pod");
  private static final PlanTrigger PEERS =
      PlanTrigger.of(Rank.REFINEMENT, PlanKind.CONFIG, "peers");

  private final Planner planner = new Planner(plan -> true);
  private final Map<PlanConflict, List<PlanTrigger>> triggers = new EnumMap<>(PlanConflict.class);

  @Test
  void nothingOfferedIsNothingToDo() {
    assertThat(decide(null)).isEqualTo(new PlanDecision.Rest());
    assertThat(decide(plan(PlanPhase.COMPLETE))).isEqualTo(new PlanDecision.Rest());
    assertThat(decide(plan(PlanPhase.ACTIVE))).isEqualTo(new PlanDecision.Continue());
  }

  @Test
  void firstRankDecidesAndInItTheFirstOffer() {
    triggers.put(PlanConflict.NONE, List.of(PEERS, POD, PlanTrigger.rest(Rank.POD)));
    assertThat(decide(null)).isEqualTo(new PlanDecision.Start(PlanKind.UPDATE, "pod", 0));

    triggers.put(PlanConflict.NONE, List.of(PEERS, PlanTrigger.rest(Rank.POD), POD));
    assertThat(decide(null)).isEqualTo(new PlanDecision.Rest());
  }

  @Test
  void whatIsTooEarlyIsWaitedFor() {
    Instant later = NOW.plusSeconds(7);
    triggers.put(
        PlanConflict.NONE,
        List.of(new PlanTrigger(Rank.REFINEMENT, PlanKind.CONFIG, "peers", Optional.of(later))));

    assertThat(decide(null)).isEqualTo(new PlanDecision.BackOff(Duration.ofSeconds(7)));
  }

  @Test
  void eachAimIsForThePlaceOfAPlanThatStandsSo() {
    for (PlanConflict conflict : PlanConflict.values()) {
      triggers.put(
          conflict, List.of(PlanTrigger.of(Rank.POD, PlanKind.UPDATE, conflict.toString())));
    }

    assertThat(why(null)).isEqualTo("NONE");
    assertThat(why(plan(PlanPhase.ACTIVE))).isEqualTo("ACTIVE");
    assertThat(why(plan(PlanPhase.FAILED))).isEqualTo("FAILED");
    assertThat(why(plan(PlanPhase.ACTIVE).withTarget(null))).isEqualTo("FOREIGN");
  }

  @Test
  void planThatFailedIsRepeatedAfterAWhileForWhatIsStillOpen() {
    triggers.put(PlanConflict.NONE, List.of(PEERS));

    assertThat(decide(plan(PlanPhase.FAILED)))
        .isEqualTo(new PlanDecision.BackOff(Duration.ofSeconds(10)));
    assertThat(decide(plan(PlanPhase.FAILED).withFinishedAt(NOW.minusSeconds(10))))
        .isEqualTo(new PlanDecision.Start(PlanKind.CONFIG, "peers", 1));
  }

  private PlanDecision decide(TaskPlan plan) {
    return planner.decide(
        plan, conflict -> triggers.getOrDefault(conflict, List.of()).stream(), NOW);
  }

  private String why(TaskPlan plan) {
    return ((PlanDecision.Start) decide(plan)).why();
  }

  private static TaskPlan plan(PlanPhase phase) {
    return new PlanSpec(
            PlanKind.UPDATE, TARGET, List.of(new Step("a", null)), NodePhase.RUNNING, null)
        .create("p", NOW)
        .with(builder -> builder.phase(phase).finishedAt(NOW));
  }
}
