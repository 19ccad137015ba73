package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.testkit.samples.RecordedConditions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeEventsTest {

  private static final SeiNodeStatus NEW = SeiNodeStatus.empty();
  private static final SeiNodeStatus READY = set(NEW, NodeConditionType.READY, true, "PodReady");
  private static final SeiNodeStatus RUNNING = aNode("sei:a").running().status();
  private static final TaskPlan ACTIVE = aPlan(PlanKind.UPDATE, "sei:b", "x").build();

  /** Update that is reported in the place of the plan. */
  private static final PodUpdate IN_PLACE =
      PodUpdateBuilder.builder()
          .how(PodUpdate.How.IN_PLACE)
          .specHash(ACTIVE.target().specHash())
          .build();

  static Stream<Arguments> rows() {
    SeiNodeStatus active = RUNNING.withPlan(ACTIVE);
    SeiNodeStatus failed = RUNNING.withPlan(ACTIVE.withPhase(PlanPhase.FAILED));
    SeiNodeStatus other = RUNNING.withPlan(ACTIVE.withId("plan-2"));
    SeiNodeStatus untracked = RUNNING.withStatefulSet(null);
    SeiNodeStatus pending = RUNNING.withPhase(NodePhase.PENDING);
    SeiNodeStatus tracked = NEW.withStatefulSet(new StatefulSetRef("node", "uid"));
    return Stream.of(
        row("nothing", RUNNING, RUNNING),
        row("first phase", NEW, NEW.withPhase(NodePhase.PENDING), "PhaseTransition"),
        row("plan started", RUNNING, active),
        row("plan goes on", active, active.withPlan(ACTIVE.withAttempt(3))),
        row("plan complete", active, RUNNING, "PlanComplete"),
        row(
            "pod updated in place",
            active.withPodUpdate(IN_PLACE),
            RUNNING.withPodUpdate(IN_PLACE),
            "PodUpdated"),
        row("plan failed", active, failed, "PlanFailed"),
        row("plan stays failed", failed, failed),
        row("plan superseded", active, other, "PlanSuperseded"),
        row("another try", failed, other),
        row("tracked", NEW, tracked, "StatefulSetTracked"),
        row("lost", RUNNING, untracked, "StatefulSetLost"),
        row("recreated", untracked, RUNNING, "StatefulSetRecreated"),
        row("replaced", RUNNING, untracked.withReplacing("x"), "StatefulSetReplacing"),
        row("claim lost", active, pending, "PhaseTransition", "ClaimLost"),
        row(
            "paused",
            set(NEW, NodeConditionType.PAUSED, false, "NotPaused"),
            set(NEW, NodeConditionType.PAUSED, true, "Paused"),
            "Paused"),
        row(
            "unpaused",
            set(NEW, NodeConditionType.PAUSED, true, "Paused"),
            set(NEW, NodeConditionType.PAUSED, false, "NotPaused"),
            "Unpaused"),
        row(
            "pausing",
            set(NEW, NodeConditionType.PAUSED, false, "NotPaused"),
            set(NEW, NodeConditionType.PAUSED, false, "Pausing")),
        row(
            "paused once the pod is gone",
            set(NEW, NodeConditionType.PAUSED, false, "Pausing"),
            set(NEW, NodeConditionType.PAUSED, true, "Paused"),
            "Paused"),
        row("sidecar never was ready", sidecar("NotProbed"), sidecar("NotReady")),
        row("invalid", NEW, set(NEW, NodeConditionType.READY, false, "InvalidSpec"), "InvalidSpec"),
        row(
            "invalid still",
            set(NEW, NodeConditionType.READY, false, "InvalidSpec"),
            set(NEW, NodeConditionType.READY, false, "InvalidSpec")),
        row(
            "unready",
            set(NEW, NodeConditionType.READY, true, "PodReady"),
            set(NEW, NodeConditionType.READY, false, "NoPod")));
  }

  static Stream<Arguments> stalls() {
    return Stream.of(
        row("stalled first", NEW, stalled(NEW, true, "ImagePull"), "Stalled"),
        row("not stalled first", NEW, stalled(NEW, false, "NotStalled")),
        row("stalled", stalled(NEW, false, "X"), stalled(NEW, true, "ImagePull"), "Stalled"),
        row("stalled still", stalled(NEW, true, "ImagePull"), stalled(NEW, true, "ImagePull")),
        row("otherwise", stalled(NEW, true, "Unknown"), stalled(NEW, true, "CrashLoop"), "Stalled"),
        row("tries another spec", stalled(NEW, true, "X"), stalled(READY, false, "Recovering")),
        row("paused or halted", stalled(NEW, true, "X"), stalled(NEW, false, "NotStalled")),
        row("recovered", stalled(NEW, true, "X"), stalled(READY, false, "NotStalled"), "Recovered"),
        row(
            "recovered in the end",
            stalled(NEW, false, "Recovering"),
            stalled(READY, false, "NotStalled"),
            "Recovered"),
        row(
            "stalled again",
            stalled(NEW, false, "Recovering"),
            stalled(NEW, true, "ImagePull"),
            "Stalled"),
        row("no news", stalled(NEW, false, "Progressing"), stalled(NEW, false, "NotStalled")));
  }

  static Stream<Arguments> rowsOfUpgradesAhead() {
    return Stream.of(
        row("halted", RUNNING, halted(RUNNING), "HaltedAtUpgrade"),
        row("halted still", halted(RUNNING), halted(RUNNING)),
        row("halted at a listed upgrade", RUNNING, halted(listing("v2"))),
        row("halted at another one", RUNNING, halted(listing("v3")), "HaltedAtUpgrade"),
        row("unlisted", NEW, upgrades(false, "NotListed"), "UpgradeNotListed"),
        row("unlisted still", upgrades(false, "NotListed"), upgrades(false, "NotListed")),
        row("listed", upgrades(false, "NotListed"), upgrades(true, "Scheduled")),
        row("not minor", NEW, upgrades(false, "NotMinor")));
  }

  static Stream<Arguments> volumes() {
    return Stream.of(
        row("new volume", NEW, resized(NEW, true, "Resized")),
        row("resizing", RUNNING, resized(RUNNING, false, "Resizing"), "DataVolumeResizing"),
        row(
            "resized",
            resized(NEW, false, "Resizing"),
            resized(NEW, true, "Resized"),
            "DataVolumeResized"),
        row(
            "resize refused",
            resized(NEW, true, "Resized"),
            resized(NEW, false, "ResizeRefused"),
            "DataVolumeResizeRefused"));
  }

  static Stream<Arguments> signingKeys() {
    SeiNodeStatus recorded = RUNNING.withSigningPublicKey("a");
    return Stream.of(
        row("first signing key", RUNNING, recorded),
        row("signing key unknown", recorded, RUNNING),
        row("other signing key", recorded, RUNNING.withSigningPublicKey("b"), "SigningKeyChanged"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"rows", "stalls", "rowsOfUpgradesAhead", "volumes", "signingKeys"})
  void tells(String name, SeiNodeStatus before, SeiNodeStatus after, List<String> reasons) {
    assertThat(NodeEvents.between(before, after, OfflineNode.CONDITIONS))
        .extracting(ObjectEvent::reason)
        .isEqualTo(reasons);
  }

  /** The other one may be imported, or made by the user: the operator makes none then. */
  @Test
  void nodeThatStartsOverIsNotSaidToGetANewClaim() {
    assertThat(
            NodeEvents.between(
                RUNNING, RUNNING.withPhase(NodePhase.PENDING), OfflineNode.CONDITIONS))
        .extracting(ObjectEvent::message)
        .contains(
            "the claim with the node's data is gone, or was made again on another volume; the node"
                + " starts over");
  }

  @Test
  void whatNeedsAHumanIsAWarning() {
    var stalled =
        NodeEvents.between(NEW, stalled(NEW, true, "ImagePull"), OfflineNode.CONDITIONS).get(0);
    var complete =
        NodeEvents.between(RUNNING.withPlan(ACTIVE), RUNNING, OfflineNode.CONDITIONS).get(0);

    assertThat(stalled.warning()).isTrue();
    assertThat(stalled.message()).isEqualTo("ImagePull: message");
    assertThat(complete.warning()).isFalse();
    assertThat(complete.message()).isEqualTo("Update plan to image sei:b");
  }

  private static Arguments row(
      String name, SeiNodeStatus before, SeiNodeStatus after, String... reasons) {
    return Arguments.of(name, before, after, List.of(reasons));
  }

  private static SeiNodeStatus upgrades(boolean ready, String reason) {
    return set(NEW, NodeConditionType.UPGRADES_READY, ready, reason);
  }

  private static SeiNodeStatus sidecar(String reason) {
    return set(NEW, NodeConditionType.SIDECAR_READY, reason.equals("Ready"), reason);
  }

  private static SeiNodeStatus stalled(SeiNodeStatus status, boolean value, String reason) {
    return set(status, NodeConditionType.STALLED, value, reason);
  }

  private static SeiNodeStatus listing(String upgrade) {
    return RUNNING.withUpgrades(
        List.of(UpgradeStatus.scheduled(new Upgrade(upgrade, 100L, "sei:b", null))));
  }

  private static SeiNodeStatus halted(SeiNodeStatus status) {
    return status.withConditions(
        Conditions.with(
            status.conditions(),
            NodeConditionType.READY,
            ConditionStatus.FALSE,
            StallReason.HALTED_AT_UPGRADE,
            "seid stopped for upgrade \"v2\" at height 100; list it",
            7L,
            NOW));
  }

  private static SeiNodeStatus set(
      SeiNodeStatus status, NodeConditionType type, boolean value, String reason) {
    return RecordedConditions.with(status, type, value, reason, NOW);
  }

  private static SeiNodeStatus resized(SeiNodeStatus status, boolean value, String reason) {
    return set(status, NodeConditionType.DATA_VOLUME_RESIZED, value, reason);
  }
}
