package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshotsBuilder;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatusBuilder;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Events of the difference between two statuses. */
class FleetEventsTest {

  private static final Rollout TO_B = new Rollout("v1-b", NodeSample.LONG_AGO, null);
  private static final Rollout TO_C = new Rollout("v1-c", NodeSample.NOW, null);
  private static final FleetSnapshots.Run RUN =
      FleetSnapshotsRunBuilder.builder().node("f-1").snapshot("s").build();
  private static final FleetSnapshots.Taken TAKEN =
      new FleetSnapshots.Taken("s", "f-1", null, NodeSample.NOW);
  private static final SeiNodeDeploymentStatus NOTHING = status().build();

  static Stream<Arguments> differences() {
    SeiNodeDeploymentStatus rolling = status().rollout(TO_B).build();
    SeiNodeDeploymentStatus held = status().pausedRollout(TO_B).build();
    return Stream.of(
        Arguments.of(NOTHING, NOTHING, List.of()),
        Arguments.of(rolling, rolling, List.of()),
        Arguments.of(NOTHING, rolling, List.of("RolloutStarted")),
        Arguments.of(rolling, NOTHING, List.of("RolloutComplete")),
        Arguments.of(rolling, status().rollout(TO_C).build(), List.of("RolloutSuperseded")),
        Arguments.of(rolling, held, List.of()),
        Arguments.of(held, rolling, List.of("RolloutResumed")),
        Arguments.of(held, NOTHING, List.of()),
        Arguments.of(NOTHING, configuring("c1"), List.of("RolloutStarted")),
        Arguments.of(configuring("c1"), configuring("c1"), List.of()),
        Arguments.of(configuring("c1"), configuring("c2"), List.of("RolloutSuperseded")),
        Arguments.of(configuring("c1"), rolling, List.of("RolloutSuperseded")),
        Arguments.of(
            configuring("c1"),
            with("RolloutInProgress", false, "RolloutComplete"),
            List.of("RolloutComplete")),
        Arguments.of(configuring("c1"), with("RolloutInProgress", false, "RolledBack"), List.of()),
        Arguments.of(configuring("c1"), with("RolloutInProgress", false, "Paused"), List.of()),
        Arguments.of(
            rolling,
            status().rollout(TO_C).failedTemplateHash("v1-b").build(),
            List.of("RollingBack")),
        Arguments.of(
            status().rollout(TO_C).failedTemplateHash("v1-b").build(),
            status().failedTemplateHash("v1-b").build(),
            List.of("RolledBack")),
        Arguments.of(
            with("RolloutInProgress", true, "TemplateChanged")
                .with(builder -> builder.rollout(TO_C).failedTemplateHash("v1-b")),
            status().failedTemplateHash("v1-b").build(),
            List.of("RolloutComplete")),
        Arguments.of(status().failedTemplateHash("v1-b").build(), NOTHING, List.of()),
        Arguments.of(
            status().incumbentNodes(List.of("f-0", "f-1")).build(),
            status().incumbentNodes(List.of("f-1", "f-2")).build(),
            List.of("SeiNodeCreated", "SeiNodeDeleted")),
        Arguments.of(NOTHING, with("Paused", false, "NotPaused"), List.of()),
        Arguments.of(NOTHING, with("Paused", true, "Paused"), List.of("Paused")),
        Arguments.of(
            with("Paused", true, "Paused"),
            with("Paused", false, "NotPaused"),
            List.of("Unpaused")),
        Arguments.of(NOTHING, with("Ready", false, "ChildConflict"), List.of("ChildConflict")),
        Arguments.of(NOTHING, with("Ready", false, "NodesInitializing"), List.of()),
        Arguments.of(NOTHING, with("UpToDate", false, "InvalidSpec"), List.of("InvalidSpec")),
        Arguments.of(NOTHING, with("UpToDate", false, "ApplyRefused"), List.of()),
        Arguments.of(
            NOTHING, with("UpToDate", false, "ServiceConflict"), List.of("ServiceConflict")),
        Arguments.of(NOTHING, with("UpToDate", false, "Outdated"), List.of()));
  }

  private static SeiNodeDeploymentStatus configuring(String digest) {
    return status().rollout(Rollout.ofConfiguration(digest, "v1-a", NodeSample.LONG_AGO)).build();
  }

  static Stream<Arguments> stalls() {
    return Stream.of(
        Arguments.of(NOTHING, with("Stalled", false, "NotStalled"), List.of()),
        Arguments.of(NOTHING, with("Stalled", true, "ImagePull"), List.of("Stalled")),
        Arguments.of(
            with("Stalled", true, "ImagePull"), with("Stalled", true, "ImagePull"), List.of()),
        Arguments.of(
            with("Stalled", true, "ImagePull"),
            with("Stalled", true, "CrashLoop"),
            List.of("Stalled")),
        Arguments.of(
            with("Stalled", true, "ImagePull"),
            with("Stalled", false, "NotStalled"),
            List.of("Recovered")),
        Arguments.of(
            with("Stalled", true, "ImagePull"), with("Stalled", false, "Recovering"), List.of()),
        Arguments.of(
            with("Stalled", false, "Recovering"),
            with("Stalled", false, "NotStalled"),
            List.of("Recovered")),
        Arguments.of(NOTHING, with("Stalled", true, "ApplyRefused"), List.of("Stalled")));
  }

  @ParameterizedTest
  @MethodSource({"differences", "stalls"})
  void changeIsAnEventOnce(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after, List<String> reasons) {
    assertThat(FleetEvents.between(before, after, OfflineFleet.CONDITIONS))
        .extracting(ObjectEvent::reason)
        .containsExactlyElementsOf(reasons);
  }

  @Test
  void changeThatMayNeedActionIsAWarning() {
    List<ObjectEvent> stalled =
        FleetEvents.between(NOTHING, with("Stalled", true, "ImagePull"), OfflineFleet.CONDITIONS);
    List<ObjectEvent> started =
        FleetEvents.between(
            NOTHING,
            with("RolloutInProgress", true, "TemplateChanged").withRollout(TO_B),
            OfflineFleet.CONDITIONS);

    assertThat(stalled).allMatch(ObjectEvent::warning);
    assertThat(stalled.get(0).message()).isEqualTo("ImagePull: the evidence");
    assertThat(started).noneMatch(ObjectEvent::warning);
    assertThat(started.get(0).message()).isEqualTo("the evidence");
  }

  @Test
  void aRolloutThatTakesThePlaceOfAnotherNamesWhatIsRolledOutNow() {
    assertThat(
            FleetEvents.between(
                    status().rollout(TO_B).build(),
                    with("RolloutInProgress", true, "TemplateChanged").withRollout(TO_C),
                    OfflineFleet.CONDITIONS)
                .get(0)
                .message())
        .isEqualTo("the evidence");
  }

  static Stream<Arguments> snapshots() {
    return Stream.of(
        Arguments.of(NOTHING, with(builder -> builder.active(RUN)), List.of("SnapshotStarted")),
        Arguments.of(
            with(builder -> builder.active(RUN)),
            with(builder -> builder.latest(TAKEN)),
            List.of("SnapshotTaken")),
        Arguments.of(
            with(builder -> builder.active(RUN)),
            with(builder -> builder.failures(1).message("why")),
            List.of("SnapshotFailed")),
        Arguments.of(
            with(builder -> builder.latest(TAKEN).failures(1)),
            with(builder -> builder.latest(TAKEN).failures(1).nextScheduleTime(Instant.EPOCH)),
            List.of()));
  }

  private static SeiNodeDeploymentStatusBuilder status() {
    return SeiNodeDeploymentStatusBuilder.builder();
  }

  private static SeiNodeDeploymentStatus with(Consumer<FleetSnapshotsBuilder> change) {
    return status().snapshots(FleetSnapshots.empty().with(change)).build();
  }

  private static SeiNodeDeploymentStatus with(String type, boolean value, String reason) {
    return status()
        .conditions(
            List.of(
                new Condition(
                    type, ConditionStatus.of(value), 1L, NodeSample.NOW, reason, "the evidence")))
        .build();
  }
}
