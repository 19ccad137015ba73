package io.sei.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ChainState;
import io.sei.operator.fleet.Children;
import io.sei.operator.fleet.FleetCaches;
import io.sei.operator.fleet.FleetCoexistence;
import io.sei.operator.fleet.FleetController;
import io.sei.operator.fleet.FleetDeletion;
import io.sei.operator.fleet.FleetObjects;
import io.sei.operator.fleet.FleetObserver;
import io.sei.operator.fleet.InheritedObjects;
import io.sei.operator.fleet.LostData;
import io.sei.operator.fleet.RevisionStore;
import io.sei.operator.fleet.SeiNodeDeploymentReconciler;
import io.sei.operator.fleet.disruption.DataVolumesAtRisk;
import io.sei.operator.fleet.disruption.FleetUpgrades;
import io.sei.operator.fleet.disruption.GradualConfiguration;
import io.sei.operator.fleet.disruption.RestartRequests;
import io.sei.operator.fleet.disruption.RolloutPlanner;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.fleet.feature.ReadyConfirmation;
import io.sei.operator.fleet.genesis.BlockProduction;
import io.sei.operator.fleet.genesis.ChainGenesis;
import io.sei.operator.fleet.snapshots.SnapshotRuns;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.observability.OperatorMetrics;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.reconcile.Kernel;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.takeover.FieldOwnership;
import io.sei.operator.takeover.TakeoverGate;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Puts the SeiNodeDeployment controller together.
 *
 * @param configuredAtStart whether seid is not restarted for a configuration at nodes that do not
 *     say
 * @param confirmation how long a node must stay Ready before the next one is taken down
 * @param lastSaid the newest block of a node when it was last asked, if it answers
 * @param leaving what announces that the Kubernetes node of this name is about to be drained
 * @param exitsSoon whether a task is about to end a node's seid
 * @param requestsRestart whether the task of a node's request to restart seid has not ended
 * @param hasAbandonedRestart whether the task of a node's request to restart seid has ended
 * @param restartObstacles what fleets wait for before they grant such a request
 * @param chains what was last heard of a chain, by the nodes of a namespace
 */
public record FleetAssembly(
    boolean configuredAtStart,
    ReadyConfirmation confirmation,
    KubernetesClient client,
    Function<SeiNode, Optional<BlockProduction.Block>> lastSaid,
    Function<String, Optional<String>> leaving,
    Predicate<SeiNode> exitsSoon,
    Predicate<SeiNode> requestsRestart,
    Predicate<SeiNode> hasAbandonedRestart,
    PerObjectMap<ResourceID, String> restartObstacles,
    BiFunction<String, String, Optional<ChainState>> chains,
    PerObjectState<ResourceID> memory,
    TakeoverGate takeover,
    EventRecorder events,
    OperatorMetrics metrics,
    Clock clock,
    Clock steady) {

  /** Every feature, in the order in which they are called. */
  public List<FleetFeature> features(KubeApi api, FleetCaches caches, FleetObjects objects) {
    return List.of(
        new RolloutPlanner(),
        new GradualConfiguration(configuredAtStart),
        new FleetUpgrades(chains),
        new DataVolumesAtRisk(),
        new RestartRequests(
            api,
            (written, before) -> caches.remember(written, Optional.of(before)),
            requestsRestart,
            hasAbandonedRestart,
            restartObstacles),
        new SnapshotRuns(api),
        new InheritedObjects(api, caches, memory),
        objects,
        ChainGenesis.of(api, clock),
        new BlockProduction(lastSaid));
  }

  Kernel<SeiNodeDeployment, ?, ?> pipeline(FleetCaches caches) {
    return pipeline(caches, feature -> true);
  }

  Kernel<SeiNodeDeployment, ?, ?> pipeline(FleetCaches caches, Predicate<FleetFeature> on) {
    var api = new KubeApi(client);
    var applier =
        new Applier(
            api,
            client.getKubernetesSerialization(),
            SeiNodeDeploymentReconciler.NAME,
            Annotations.RENDERED_HASH,
            memory,
            metrics.registry());
    var objects = new FleetObjects(new OwnedObjects(api, applier, Labels.NODE_DEPLOYMENT), caches);
    List<FleetFeature> features = features(api, caches, objects).stream().filter(on).toList();
    FleetConditionParts conditions = FleetFeature.conditionsOf(features);
    metrics.gaugesOfDeployments(conditions.gauges());
    var lostData = new LostData(events);
    var children =
        new Children(
            api,
            objects,
            new FieldOwnership(client, SeiNodeDeploymentReconciler.NAME),
            caches,
            lostData,
            features);
    return new Kernel<>(
        new FleetController(
            new FleetObserver(
                caches,
                api,
                DisruptionSource.among(features),
                leaving,
                exitsSoon,
                confirmation,
                clock),
            new RevisionStore(client, api, caches),
            children,
            new FleetCoexistence(takeover)::begin,
            features,
            conditions),
        new FleetDeletion(api, caches, features, lostData),
        api,
        events,
        new PlanMetrics(metrics.registry(), List.of()),
        Kernel.unfinished(metrics.registry(), SeiNodeDeploymentReconciler.NAME),
        memory,
        clock,
        steady);
  }
}
