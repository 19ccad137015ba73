package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.NodeAssembly;
import io.sei.operator.Watches;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import io.sei.operator.node.config.ConfigRestart;
import io.sei.operator.node.config.SeidRestart;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.objects.NodePodDisruptionBudget;
import io.sei.operator.node.rollout.PodTasks;
import io.sei.operator.node.rollout.PodUpdates;
import io.sei.operator.node.rollout.RestartBackOffs;
import io.sei.operator.node.rollout.UpdatePulls;
import io.sei.operator.node.signing.SignersKey;
import io.sei.operator.node.signing.SigningScope;
import io.sei.operator.node.sync.SyncWatch;
import io.sei.operator.node.volume.UsageWatch;
import io.sei.operator.node.volume.VolumeKeeper;
import io.sei.operator.node.volume.VolumeWatch;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Features, plans and the plan engine of nodes, assembled without a cluster. */
public final class OfflineNode {

  /** The features that shape pods and files, and veto. */
  public static final List<NodeFeature> POD_FEATURES =
      NodeAssembly.podFeatures(
          null,
          null,
          null,
          new VolumeKeeper(null, null, null, false),
          new NodePodDisruptionBudget(null, null, null, null),
          new SigningScope(Optional.empty()));

  /** All features, for the hooks that only decide and report. */
  public static final List<NodeFeature> FEATURES = features(syncWatch());

  /** The operations of all features. */
  public static final OperationParts OPERATIONS = NodeFeature.operationsOf(FEATURES);

  /** The conditions of all features. */
  public static final ConditionParts CONDITIONS = NodeFeature.conditionsOf(FEATURES);

  /** The types of all tasks. */
  public static final PlanEngine<NodePass> ENGINE =
      new PlanEngine<>(
          new CoreTasks(null, null, null, null, null, null, null)
              .types(OPERATIONS, new Vetoes(POD_FEATURES)),
          Refused::or,
          Clock.fixed(NodeSample.NOW, ZoneOffset.UTC));

  /** Builds every plan. */
  public static final NodePlans PLANS = new NodePlans(OPERATIONS);

  private OfflineNode() {}

  private static List<NodeFeature> features(SyncWatch sync) {
    return NodeAssembly.features(
        POD_FEATURES,
        null,
        null,
        new LostStatus(null, null),
        null,
        new VolumeWatch(null, node -> Optional.empty(), new PerObjectState<>()),
        new SigningScope(Optional.empty()),
        new SignersKey(view -> Optional.empty()),
        new PodUpdates(
            null,
            null,
            new PodTasks(
                null,
                null,
                null,
                null,
                new RestartBackOffs(node -> Optional.empty(), new PerObjectState<>(), pod -> false),
                null),
            new UpdatePulls(null, null, null, null),
            false),
        new ConfigRestart(null, new SeidRestart(null, null), false),
        new Watches(null, sync, usageWatch()),
        (namespace, pod) -> "",
        (namespace, pod) -> "",
        polling());
  }

  /** Asks nothing. */
  private static Polling<ResourceID> polling() {
    return new Polling<>(
        new PerObjectState<>(),
        (owner, task, delay) -> {},
        Clock.fixed(NodeSample.NOW, ZoneOffset.UTC));
  }

  /** Gets no answer from any seid. */
  public static SyncWatch syncWatch() {
    return new SyncWatch(
        (node, chain) -> new CompletableFuture<>(),
        Clock.fixed(NodeSample.NOW, ZoneOffset.UTC),
        polling());
  }

  /** Has no Prometheus. */
  public static UsageWatch usageWatch() {
    return new UsageWatch(
        Optional.empty(),
        Duration.ofMinutes(2),
        Clock.systemUTC(),
        new PerObjectState<>(),
        new ScheduledThreadPoolExecutor(0));
  }
}
