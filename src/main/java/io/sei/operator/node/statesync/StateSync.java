package io.sei.operator.node.statesync;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.ConfigFiles;
import io.sei.operator.node.model.ConfigParts;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PlanShape;
import io.sei.operator.node.model.SidecarWork;
import io.sei.operator.node.model.Slot;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import io.sei.operator.progression.PeerSources;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.progression.Witnesses;
import io.sei.operator.render.Names;
import io.sei.operator.render.PodParts;
import java.util.List;
import java.util.Map;

/**
 * What state sync needs of a volume. The sidecar configures it once in a volume's life, which a
 * marker there tells (seen on every version from 0.0.50 to 0.0.70). Files that are written again
 * are without it, and seid then plays the chain from its first block, which takes days. A node that
 * has never synced gets another trusted block with a restart that somebody asks for.
 */
public record StateSync() implements NodeFeature {

  private static final String TRUST_HEIGHT = "state_sync.trust_height";

  @Override
  public void config(NodeSnapshot snapshot, ConfigParts parts) {
    parts.files(files(snapshot));
    if (isRenewed(snapshot, parts.shape())) {
      parts.again();
    }
  }

  @Override
  public void pod(SeiNode node, PodParts pod) {
    TrustRenewal.render(node).ifPresent(pod::atHome);
  }

  private static ConfigFiles files(NodeSnapshot snapshot) {
    if (!isToCome(snapshot)) {
      return ConfigFiles.REPLACED;
    }
    if (mayBeConfigured(snapshot)) {
      return ConfigFiles.KEPT;
    }
    return isVolumeUsed(snapshot) ? ConfigFiles.UNDECIDED : ConfigFiles.REPLACED;
  }

  @Override
  public List<SidecarWork> sidecarWork() {
    return List.of(
        SidecarWork.of(
                SidecarTaskTypes.CONFIGURE_STATE_SYNC,
                Traits.OF_SIDECAR.retried(PeerSources.RETRIES))
            .with(
                it ->
                    it.guard((task, pass, sidecar) -> StateSyncWitnesses.check(task, pass))
                        .request(StateSyncWitnesses::request)));
  }

  @Override
  public List<Step> steps(NodeSnapshot snapshot, PlanShape shape, Slot slot) {
    return slot == Slot.EXTEND && (shape.isOfNewVolume() || isRenewed(snapshot, shape))
        ? snapshot.node().getSpec().initialSnapshot().stream()
            .map(it -> new Step(SidecarTaskTypes.CONFIGURE_STATE_SYNC, params(it)))
            .toList()
        : List.of();
  }

  /** A snapshot from S3 is restored by state sync too, from the files on the volume. */
  private static ObjectNode params(Snapshot snapshot) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    if (snapshot.s3() != null) {
      params.put("useLocalSnapshot", true);
    }
    if (snapshot.trustPeriod() != null && !snapshot.trustPeriod().isEmpty()) {
      params.put("trustPeriod", snapshot.trustPeriod());
    }
    if (snapshot.backfillBlocks() != null && snapshot.backfillBlocks() != 0) {
      params.put("backfillBlocks", snapshot.backfillBlocks());
    }
    return params;
  }

  /** Notes that seid has its state, which is when its pod is first Ready. */
  @Override
  public void record(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    if (reconcile.status().syncedAt() == null
        // The pod from before a reset of the data says nothing about what comes after it.
        && snapshot.podDifference().isEmpty()
        && snapshot.livePod().filter(PodFacts::isReady).isPresent()) {
      reconcile.update(status -> status.withSyncedAt(snapshot.now()));
    }
  }

  /**
   * Whether a new pod takes the marker away, of a node that has never synced and names no block.
   */
  private static boolean isRenewed(NodeSnapshot snapshot, PlanShape shape) {
    Map<String, String> overrides = snapshot.node().getSpec().overrides();
    return shape == PlanShape.UPDATE
        && TrustRenewal.isAskedFor(snapshot.node())
        && isToCome(snapshot)
        && (overrides == null || !overrides.containsKey(TRUST_HEIGHT));
  }

  private static boolean isToCome(NodeSnapshot snapshot) {
    return Witnesses.areWanted(snapshot.node().getSpec())
        && snapshot.status().syncedAt() == null
        && snapshot.livePod().filter(PodFacts::isReady).isEmpty();
  }

  /** Another node may have run on it: it was imported, or retained by one of the same name. */
  private static boolean isVolumeUsed(NodeSnapshot snapshot) {
    return Names.importedClaim(snapshot.node()).isPresent()
        || snapshot.claim().filter(claim -> isOlder(claim, snapshot.node())).isPresent();
  }

  /**
   * Times of the API server are text of one length, so that their order is that of the alphabet.
   */
  private static boolean isOlder(HasMetadata object, HasMetadata than) {
    String created = object.getMetadata().getCreationTimestamp();
    String after = than.getMetadata().getCreationTimestamp();
    return created != null && after != null && created.compareTo(after) < 0;
  }

  /** A plan that runs, or one before it, may have had it configured. */
  private static boolean mayBeConfigured(NodeSnapshot snapshot) {
    TaskPlan plan = snapshot.status().plan();
    return snapshot.isRunning()
        || (plan != null
            && plan.kind() == PlanKind.INIT
            && plan.tasks().stream().anyMatch(task -> isConfiguring(task) || isKeeping(task)));
  }

  private static boolean isConfiguring(PlannedTask task) {
    return SidecarTaskTypes.CONFIGURE_STATE_SYNC.equals(task.type())
        && (task.startedAt() != null || task.status() != TaskStatus.PENDING);
  }

  private static boolean isKeeping(PlannedTask task) {
    return SidecarTaskTypes.CONFIG_APPLY.equals(task.type())
        && task.params() != null
        && task.params().path("incremental").asBoolean();
  }
}
