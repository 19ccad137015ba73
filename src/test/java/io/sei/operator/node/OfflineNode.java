package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.NodeAssembly;
import io.sei.operator.NodePollers;
import io.sei.operator.NodePortsBuilder;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.sync.SyncPoller;
import io.sei.operator.node.volume.UsagePoller;
import io.sei.operator.observability.OperatorMetrics;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Features, plans and the plan engine of nodes, assembled without a cluster. */
public final class OfflineNode {

  private static final NodeAssembly ASSEMBLY = assembly();

  /** The features that shape pods and files, and veto. */
  public static final List<NodeFeature> POD_FEATURES = ASSEMBLY.podFeatures(null);

  /** All features, for the hooks that only decide and report. */
  public static final List<NodeFeature> FEATURES =
      ASSEMBLY.features(POD_FEATURES, new LostStatus(null, null), null, node -> Optional.empty());

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

  private static NodeAssembly assembly() {
    Clock clock = Clock.fixed(NodeSample.NOW, ZoneOffset.UTC);
    return new NodeAssembly(
        NodePortsBuilder.builder()
            .config(OperatorConfig.fromEnvironment(Map.of("SEI_SIGNING_SCOPE", "Namespaces")))
            .memory(new PerObjectState<>())
            .releases(ReleaseReader::builtIn)
            .pollers(new NodePollers(null, syncPoller(), usagePoller()))
            .polling(polling())
            .metrics(new OperatorMetrics(clock))
            .clock(clock)
            .steady(clock)
            .build(),
        null);
  }

  /** Asks nothing. */
  private static Polling<ResourceID> polling() {
    return new Polling<>(
        new PerObjectState<>(),
        (owner, task, delay) -> {},
        Clock.fixed(NodeSample.NOW, ZoneOffset.UTC));
  }

  /** Gets no answer from any seid. */
  public static SyncPoller syncPoller() {
    return new SyncPoller(
        (node, chain) -> new CompletableFuture<>(),
        Clock.fixed(NodeSample.NOW, ZoneOffset.UTC),
        polling());
  }

  /** Has no Prometheus. */
  public static UsagePoller usagePoller() {
    return new UsagePoller(
        Optional.empty(),
        Duration.ofMinutes(2),
        Clock.systemUTC(),
        new PerObjectState<>(),
        new ScheduledThreadPoolExecutor(0));
  }
}
