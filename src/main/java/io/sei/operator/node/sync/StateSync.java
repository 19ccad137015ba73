package io.sei.operator.node.sync;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.ConfigFiles;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PeerSources;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.node.feature.Witnesses;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import io.sei.operator.render.Names;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.PodParts;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Has a node sync its state from others, and serve its own. The sidecar configures state sync once
 * in the life of a volume, and marks the volume (seen on every version from 0.0.50 to 0.0.70).
 * Files that are written again lack it, and seid then replays the chain from its first block, which
 * takes days. A node that has never synced gets another trusted block with a requested restart.
 */
public record StateSync() implements NodeFeature {

  private static final String TRUST_HEIGHT = "state_sync.trust_height";

  /** Blocks between two snapshots of the state. */
  private static final String INTERVAL = "2000";

  /** A full node that serves them has more peers to send them to, at 20 MiB/s each. */
  private static final Map<String, String> FULL =
      Map.of(
          "storage.pruning_keep_recent", "50000",
          "storage.pruning_keep_every", "0",
          "chain.min_retain_blocks", "50000",
          "network.p2p.max_connections", "500",
          "network.p2p.send_rate", "20971520",
          "network.p2p.recv_rate", "20971520");

  @Override
  public void config(NodeView view, ConfigParts parts) {
    parts.files(files(view));
    if (isRenewed(view, parts.shape())) {
      parts.again();
    }
    serve(view, parts);
  }

  /** Has a node take the snapshots from which others sync their state. */
  private static void serve(NodeView view, ConfigParts parts) {
    SeiNodeSpec spec = view.node().getSpec();
    NodeMode mode = NodeMode.of(spec);
    if (mode != NodeMode.FULL && mode != NodeMode.ARCHIVE) {
      return;
    }
    spec.stateSyncSnapshots()
        .map(SnapshotGeneration.Tendermint::keepRecent)
        .ifPresent(
            keep -> {
              parts.set("storage.snapshot_interval", INTERVAL);
              parts.set("storage.snapshot_keep_recent", String.valueOf(keep));
              if (mode == NodeMode.FULL) {
                FULL.forEach(parts::set);
              }
            });
  }

  @Override
  public void pod(SeiNode node, PodParts pod) {
    TrustRenewal.render(node).ifPresent(pod::atHome);
  }

  private static ConfigFiles files(NodeView view) {
    if (!isToCome(view)) {
      return ConfigFiles.REPLACED;
    }
    if (mayBeConfigured(view)) {
      return ConfigFiles.KEPT;
    }
    return isVolumeUsed(view) ? ConfigFiles.UNDECIDED : ConfigFiles.REPLACED;
  }

  @Override
  public void operations(OperationParts operations) {
    operations
        .task(
            SidecarWork.of(
                    SidecarTaskTypes.CONFIGURE_STATE_SYNC,
                    Traits.OF_SIDECAR.retried(PeerSources.RETRIES))
                .with(
                    configuring ->
                        configuring
                            .guard((task, pass, sidecar) -> StateSyncWitnesses.check(task, pass))
                            .request(StateSyncWitnesses::request)))
        .steps(Slot.EXTEND, StateSync::steps);
  }

  static Stream<Step> steps(NodeView view, PlanShape shape) {
    return shape.isOfNewVolume() || isRenewed(view, shape)
        ? view.node().getSpec().initialSnapshot().stream()
            .map(snapshot -> new Step(SidecarTaskTypes.CONFIGURE_STATE_SYNC, params(snapshot)))
        : Stream.empty();
  }

  /** A snapshot from S3 is restored by state sync too, from the files on the volume. */
  private static ObjectNode params(Snapshot view) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    if (view.s3() != null) {
      params.put("useLocalSnapshot", true);
    }
    if (view.trustPeriod() != null && !view.trustPeriod().isEmpty()) {
      params.put("trustPeriod", view.trustPeriod());
    }
    if (view.backfillBlocks() != null && view.backfillBlocks() != 0) {
      params.put("backfillBlocks", view.backfillBlocks());
    }
    return params;
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(this::record).record(StateSync::awaitWitnesses);
  }

  /** Notes that seid has its state, which is when its pod is first Ready. */
  void record(NodePass reconcile) {
    NodeView view = reconcile.view();
    if (reconcile.draft().syncedAt() == null
        // The pod from before a reset of the data says nothing about what comes after it.
        && view.podDifference().isEmpty()
        && view.livePod().filter(PodFacts::isReady).isPresent()) {
      reconcile.update(status -> status.withSyncedAt(view.now()));
    }
  }

  /** Offers the nodes to sync state from as the cause while a plan waits for them. */
  static void awaitWitnesses(NodePass pass) {
    if (pass.waitsFor(StallReason.WITNESSES_MISSING) && !pass.view().isPaused()) {
      String message = pass.waitingTask().orElseThrow().message();
      pass.offer(
          FindingRank.AWAITED_INPUT,
          new Finding(
              StallReason.WITNESSES_MISSING,
              message,
              "the node goes on by itself once it has them",
              false));
    }
  }

  /** Returns whether a new pod removes the marker: the node has never synced and names no block. */
  private static boolean isRenewed(NodeView view, PlanShape shape) {
    Map<String, String> overrides = view.node().getSpec().overrides();
    return shape == PlanShape.UPDATE
        && TrustRenewal.isAskedFor(view.node())
        && isToCome(view)
        && (overrides == null || !overrides.containsKey(TRUST_HEIGHT));
  }

  private static boolean isToCome(NodeView view) {
    return Witnesses.areWanted(view.node().getSpec())
        && view.stored().syncedAt() == null
        && view.livePod().filter(PodFacts::isReady).isEmpty();
  }

  /** Another node may have run on it: it was imported, or retained by one of the same name. */
  private static boolean isVolumeUsed(NodeView view) {
    return Names.importedClaim(view.node()).isPresent()
        || view.claim().filter(claim -> isOlder(claim, view.node())).isPresent();
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
  private static boolean mayBeConfigured(NodeView view) {
    TaskPlan plan = view.stored().plan();
    return view.isRunning()
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
