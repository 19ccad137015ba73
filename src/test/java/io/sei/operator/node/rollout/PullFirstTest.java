package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePull;
import io.sei.operator.api.v1alpha1.UpdatePullBuilder;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.rollout.PullFirst.Question;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which images are pulled before a pod is given them. */
class PullFirstTest {

  private static final Instant NOW = NodeSample.NOW;
  private static final Instant EARLIER = NOW.minusSeconds(30);
  private static final String SEID = "sei:b";
  private static final String SIDECAR = "sidecar:b";
  private static final TaskPlan PLAN = aPlan(PlanKind.UPDATE, SEID, TaskTypes.REPLACE_POD).build();

  private static final Question SERVES =
      new Question(PLAN, "m1", List.of(SEID, SIDECAR), Set.of(), true, false, null, NOW);

  private static final UpdatePull OF_SEID =
      UpdatePullBuilder.builder()
          .planID(PLAN.id())
          .image(SEID)
          .kubernetesNode("m1")
          .startedAt(EARLIER)
          .build();
  private static final UpdatePull BEGUN = OF_SEID.withStartedAt(NOW);
  private static final UpdatePull FAILED = OF_SEID.failed("not found", NOW);
  private static final UpdatePull RETRIED = FAILED.again(NOW);

  private record Row(String what, UnaryOperator<Question> but, PullFirst decision) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Row> rows() {
    PullFirst no = new PullFirst.No();
    return Stream.of(
        new Row("a pod that serves", it -> it, new PullFirst.Begin(BEGUN)),
        new Row("a pod that does not", it -> it.withServes(false), no),
        new Row("a pod that is out of reach", it -> it.withLost(true), no),
        new Row("images that are there", it -> it.withThere(Set.of(SEID, SIDECAR)), no),
        new Row(
            "one that is there",
            it -> it.withThere(Set.of(SEID)),
            new PullFirst.Begin(BEGUN.with(that -> that.image(SIDECAR).done(List.of(SEID))))),
        new Row("a pull", it -> it.withLast(OF_SEID), new PullFirst.Follow(OF_SEID)),
        new Row(
            "a pull for another plan",
            it -> it.withLast(OF_SEID.withPlanID("plan-0")),
            new PullFirst.Begin(BEGUN)),
        new Row(
            "a pull elsewhere",
            it -> it.withLast(OF_SEID.withKubernetesNode("m0")),
            new PullFirst.Begin(BEGUN)),
        new Row(
            "a pull of a pod that no longer serves",
            it -> it.withLast(OF_SEID).withServes(false),
            no),
        new Row(
            "the next image",
            it -> it.withLast(OF_SEID.ended()),
            new PullFirst.Begin(BEGUN.ended().withImage(SIDECAR))),
        new Row(
            "no next image",
            it -> it.withLast(OF_SEID.ended().withImage(SIDECAR).ended()).withServes(false),
            no));
  }

  static Stream<Row> rowsOfFailures() {
    PullFirst no = new PullFirst.No();
    return Stream.of(
        new Row(
            "an image that cannot be pulled",
            it -> it.withLast(FAILED),
            new PullFirst.Failed(FAILED, PullFirst.AGAIN)),
        new Row(
            "in a pod that no longer serves",
            it -> it.withLast(FAILED).withServes(false),
            new PullFirst.Failed(FAILED, PullFirst.AGAIN)),
        new Row("in a pod that is out of reach", it -> it.withLast(FAILED).withLost(true), no),
        new Row(
            "another try",
            it -> it.withLast(FAILED.withFailedAt(NOW.minus(PullFirst.AGAIN))),
            new PullFirst.Begin(RETRIED)),
        new Row(
            "a failure in times to come",
            it -> it.withLast(FAILED.withFailedAt(NOW.plus(Duration.ofDays(1)))),
            new PullFirst.Begin(RETRIED)),
        new Row(
            "the other try in a pod that no longer serves",
            it -> it.withLast(RETRIED).withServes(false),
            new PullFirst.Follow(RETRIED)),
        new Row(
            "an image that could not be pulled and is there by now",
            it -> it.withLast(FAILED).withThere(Set.of(SEID, SIDECAR)),
            no),
        new Row(
            "an image that could not be pulled for another plan",
            it -> it.withLast(FAILED.withPlanID("plan-0")),
            new PullFirst.Begin(BEGUN)));
  }

  @ParameterizedTest
  @MethodSource({"rows", "rowsOfFailures"})
  void decides(Row row) {
    assertThat(PullFirst.of(row.but().apply(SERVES))).isEqualTo(row.decision());
  }

  @Test
  void whatIsThereIsRecordedWithThePlan() {
    assertThat(PullFirst.foreseen(SERVES)).contains(BEGUN);
    assertThat(PullFirst.foreseen(SERVES.withThere(Set.of(SEID, SIDECAR))))
        .hasValueSatisfying(
            it -> {
              assertThat(it.isOpen()).isFalse();
              assertThat(it.done()).containsExactly(SEID, SIDECAR);
            });
    assertThat(PullFirst.foreseen(SERVES.withServes(false))).isEmpty();
    assertThat(PullFirst.foreseen(SERVES.withImages(List.of()))).isEmpty();
  }
}
