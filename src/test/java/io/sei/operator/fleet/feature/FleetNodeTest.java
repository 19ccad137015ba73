package io.sei.operator.fleet.feature;

import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.base.Unreadable;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.SpecHash;
import io.sei.operator.render.TemplateHash;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FleetNodeTest {

  private static final Instant AT = Instant.parse("2026-06-01T12:00:00Z");
  private static final SeiNodeSpec OLD = spec("sei:v1");
  private static final SeiNodeSpec NEW = spec("sei:v2");
  private static final String GIVEN = TemplateHash.ofSpecHash(SpecHash.of(NEW, null));

  @Test
  void runsWhatItWasGivenOnceItsPodDoes() {
    assertThat(FleetNode.of(node(NEW, null, SpecHash.of(NEW, null)), 0).runs(GIVEN)).isTrue();
    assertThat(FleetNode.of(node(NEW, null, SpecHash.of(OLD, null)), 0).runs(GIVEN)).isFalse();
  }

  /** The pod that was read live shows a restart that the status does not have yet. */
  @ParameterizedTest(name = "read live: Ready {0} s after the time in the status")
  @CsvSource({"13, true", "0, false", "-1, false", "3600, false"})
  void readinessThatIsReadLiveEndsWhatTheRunBeforeHasShown(long later, boolean restarted) {
    Instant live = AT.plusSeconds(later);
    FleetNode known = aFleetNode(0).readySince(AT).caughtUpAt(AT.plusSeconds(1)).build();

    FleetNode read = known.asReadLive(Optional.of(live), AT.plusSeconds(14));

    assertThat(read)
        .isEqualTo(restarted ? known.with(node -> node.readySince(live).caughtUpAt(null)) : known);
  }

  @Test
  void nodeThatIsReadyAgainHasShownNoBlockSince() {
    FleetNode behind = aFleetNode(0).behind().caughtUpAt(AT).build();

    assertThat(behind.asReadLive(Optional.of(AT.plusSeconds(9)), AT.plusSeconds(10)).caughtUpAt())
        .isNull();
    assertThat(behind.readyAs(AT.plusSeconds(9)).caughtUpAt()).isNull();
  }

  @Test
  void restartOfItsOwnIsNoneOfItsTemplatesBusiness() {
    assertThat(FleetNode.of(node(NEW, "now", SpecHash.of(NEW, "now")), 0).runs(GIVEN)).isTrue();
  }

  @Test
  void restartOfItsOwnThatIsStillToComeIsNotThere() {
    assertThat(FleetNode.of(node(NEW, "now", SpecHash.of(NEW, "before")), 0).runs(GIVEN)).isFalse();
  }

  @Test
  void editOfItsOwnIsNotItsTemplate() {
    assertThat(FleetNode.of(node(OLD, "now", SpecHash.of(OLD, "now")), 0).runs(GIVEN)).isFalse();
    assertThat(FleetNode.of(node(OLD, null, SpecHash.of(OLD, null)), 0).runs(GIVEN)).isFalse();
  }

  @Test
  void heldNodeIsOutOfServiceAndOfItsTemplateAllTheSame() {
    var spec = NEW.withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE));
    SeiNode held = node(spec, null, SpecHash.of(spec, null));
    held.setStatus(held.getStatus().withPodBaseHash(SpecHash.ofTemplate(spec, null)));

    FleetNode view = FleetNode.of(held, 0);

    assertThat(view.pausedOrHeld()).isTrue();
    assertThat(view.held()).isTrue();
    assertThat(view.runs(GIVEN)).isTrue();
  }

  /** Its spec may ask for anything by now; the pod that was held must not be evicted for that. */
  @Test
  void nodeThatWasHeldAndCannotBeReadIsUnavailableAndKeepsItsOwnBudget() {
    SeiNode unread = node(NEW, null, SpecHash.of(NEW, null));
    var held = new Condition("Held", ConditionStatus.TRUE, 1L, AT, "Held", "");
    unread.setStatus(unread.getStatus().withConditions(List.of(held)));
    new Unreadable(List.of(new Unreadable.Field("spec", "is larger than 256 KiB")))
        .recordOn(unread);

    FleetNode view = FleetNode.of(unread, 0);

    assertThat(view.isDown()).isTrue();
    assertThat(view.absence()).isEmpty();
    assertThat(view.hasOwnBudget()).isTrue();
  }

  /** The node may sync for a day, and holds up no rollout meanwhile. */
  @Test
  void adoptedNodeWhoseDataIsWipedHasNotBeenReadySince() {
    SeiNode adopted = node(NEW, null, SpecHash.of(NEW, null));
    adopted.setStatus(adopted.getStatus().withPodBaseline(new PodBaseline("pod", "v1:0")));

    assertThat(FleetNode.of(adopted, 0).neverReady()).isFalse();

    adopted.setStatus(adopted.getStatus().withDataReset(new DataReset(1L, "claim", AT, null)));

    assertThat(FleetNode.of(adopted, 0).neverReady()).isTrue();
  }

  static Stream<Arguments> availability() {
    SeidRun down = SeidRun.nothing().withDown(true);
    return Stream.of(
        arguments("PodReady", null, AT, false, false, null),
        arguments("PodNotReady", null, AT, true, true, "Unknown"),
        arguments("PodNotReady", null, null, false, false, "Unknown"),
        arguments("HaltedAtUpgrade", down, AT, true, false, "HaltedAtUpgrade"),
        arguments("CrashLoop", down, AT, true, false, "CrashLoop"),
        arguments("NodeLost", null, AT, true, false, "NodeLost"),
        arguments("NoPod", null, AT, true, false, "Unknown"));
  }

  @ParameterizedTest(name = "{0}, first Ready {2}")
  @MethodSource("availability")
  void knowsWhoIsDownAndWhoOnlyForAMoment(
      String reason, SeidRun seid, Instant syncedAt, boolean down, boolean behind, String cause) {
    SeiNode node = node(NEW, null, SpecHash.of(NEW, null));
    node.setStatus(
        node.getStatus()
            .with(
                builder ->
                    builder
                        .seid(seid)
                        .syncedAt(syncedAt)
                        .conditions(List.of(ready(reason.equals("PodReady"), reason)))));

    FleetNode view = FleetNode.of(node, 0);

    assertThat(view.isDown()).isEqualTo(down);
    assertThat(view.isBehind()).isEqualTo(behind);
    assertThat(view.cause()).isEqualTo(cause);
  }

  @Test
  void aRunThatBeganWhileNobodyLookedIsReadySinceThen() {
    SeiNode node = node(NEW, null, SpecHash.of(NEW, null));
    Instant begun = AT.plusSeconds(60);
    node.setStatus(
        node.getStatus()
            .with(
                builder ->
                    builder
                        .seid(SeidRun.nothing().withReadyAt(begun))
                        .conditions(List.of(ready(true, "PodReady")))));

    assertThat(FleetNode.of(node, 0).readySince()).isEqualTo(begun);
  }

  /** Found by soak seed 14: it is Ready for a moment, with seid about to be restarted. */
  @ParameterizedTest(name = "{0}, stalled {1}: switching {2}")
  @CsvSource({
    "restart-seid,    false, true",
    "restart-seid,    true,  false",
    "config-validate, false, false",
  })
  void nodeThatIsToBeRestartedForItsConfigurationCountsAsDown(
      String lastTask, boolean isStalled, boolean switching) {
    SeiNode node = node(NEW, null, SpecHash.of(NEW, null));
    var task = PlannedTaskBuilder.builder().type(lastTask).build();
    var stalled =
        new Condition(
            "Stalled", ConditionStatus.of(isStalled), 1L, AT, "SidecarTaskFailed", "refused");
    node.setStatus(
        node.getStatus()
            .with(
                builder ->
                    builder
                        .plan(TaskPlanBuilder.builder().tasks(List.of(task)).build())
                        .conditions(List.of(ready(true, "PodReady"), stalled))));

    assertThat(FleetNode.of(node, 0).switching()).isEqualTo(switching);
  }

  private static Condition ready(boolean value, String reason) {
    return new Condition("Ready", ConditionStatus.of(value), 1L, AT, reason, "");
  }

  /** A node that was given the new template. */
  private static SeiNode node(SeiNodeSpec spec, String restart, String podSpecHash) {
    var node = Samples.node(null, "fleet-0", spec);
    node.getMetadata().setGeneration(1L);
    node.getMetadata().setLabels(Map.of(Labels.REVISION, GIVEN));
    node.getMetadata()
        .setAnnotations(
            restart == null ? Map.of() : Map.of(Annotations.RESTART_REQUESTED_AT, restart));
    node.setStatus(
        SeiNodeStatus.empty()
            .with(builder -> builder.observedGeneration(1L).podSpecHash(podSpecHash)));
    return node;
  }

  private static SeiNodeSpec spec(String image) {
    return Samples.fullNode(image);
  }
}
