package io.sei.operator;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.BackgroundReads;
import io.sei.operator.node.Coexistence;
import io.sei.operator.node.CoreTasks;
import io.sei.operator.node.CrashLogs;
import io.sei.operator.node.EnsureDataPvcTask;
import io.sei.operator.node.LiveEvidence;
import io.sei.operator.node.LogProbe;
import io.sei.operator.node.NodeActions;
import io.sei.operator.node.NodeController;
import io.sei.operator.node.NodeDeletion;
import io.sei.operator.node.NodeDiagnosis;
import io.sei.operator.node.NodeObserver;
import io.sei.operator.node.NodePlanner;
import io.sei.operator.node.NodePlans;
import io.sei.operator.node.PeerResolver;
import io.sei.operator.node.PlanHandover;
import io.sei.operator.node.PodLogReader;
import io.sei.operator.node.SeiNodeReconciler;
import io.sei.operator.node.config.ConfigRecord;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.objects.BootstrapJobs;
import io.sei.operator.node.objects.ClaimGuard;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.node.objects.ImportedClaim;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.node.objects.RestoredClaim;
import io.sei.operator.node.objects.RunningVersion;
import io.sei.operator.node.objects.ServicePorts;
import io.sei.operator.node.objects.StatefulSetSync;
import io.sei.operator.node.sync.NeededBuckets;
import io.sei.operator.node.volume.VolumeWatch;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.reconcile.Kernel;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.BootstrapJobRenderer;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.RbacProxyConfigRenderer;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.render.SidecarContainer;
import io.sei.operator.render.StatefulSetRenderer;
import io.sei.operator.takeover.FieldOwnership;
import java.util.List;

/** The core of the SeiNode controller: what no feature owns, and what several of them share. */
final class NodeCore {

  private final NodePorts ports;
  private final NodeCaches caches;
  private final OperatorConfig config;
  final KubeApi api;
  final DataClaim claims;
  final VolumeWatch volumes;
  final PodLogReader logs;
  final ProgressDeadline deadline;
  final LiveEvidence live;
  final RunningVersion running;

  NodeCore(NodePorts ports, NodeCaches caches) {
    this.ports = ports;
    this.caches = caches;
    this.config = ports.config();
    this.api = new KubeApi(ports.client());
    var claimRenderer = new ClaimRenderer(config);
    this.claims =
        new DataClaim(
            api, caches, node -> claimRenderer.render(node).orElseThrow(), SeiNodeReconciler.NAME);
    this.volumes = new VolumeWatch(api, node -> caches.anyClaim(node), ports.memory());
    this.logs = new PodLogReader(api, ports.steady());
    this.deadline = new ProgressDeadline(config.process().progressDeadline());
    this.running = new RunningVersion(node -> ports.chain().version(node), ports.polling());
    this.live =
        new LiveEvidence(api, ports.kubernetesNodes(), deadline, ports.memory(), ports.steady());
  }

  /** Applies the objects of nodes. */
  Applier applier() {
    return new Applier(
        api,
        ports.client().getKubernetesSerialization(),
        SeiNodeReconciler.NAME,
        Annotations.RENDERED_HASH,
        ports.memory(),
        ports.metrics().registry());
  }

  /** The objects of a node, rendered with the features of its pod. */
  NodeObjects objects(List<NodeFeature> podFeatures, Applier applier, OwnedObjectSync owned) {
    return new NodeObjects(
        new StatefulSetSync(
            api,
            applier,
            new FieldOwnership(ports.client(), SeiNodeReconciler.NAME),
            caches,
            new Vetoes(podFeatures),
            ports.takeover()::mayAdopt,
            new StatefulSetRenderer(config, podFeatures)::render),
        owned,
        claims,
        new ServiceRenderer(),
        new ServicePorts(running, ports.releases()),
        RbacProxyConfigRenderer::render);
  }

  /** Background reads, of which chains are measured as well. */
  BackgroundReads reads() {
    var pollers = ports.pollers();
    ports.metrics().ofChains(pollers.chains()::reports);
    return new BackgroundReads(
        ports.sidecars(),
        new PeerResolver(caches, ports.sidecars()),
        new CrashLogs(logs, ports.memory(), ports.logReads()),
        new LogProbe(logs, ports.polling()),
        pollers.chains(),
        pollers.sync()::awaitsFirstAnswer);
  }

  /** The passes of a node, which call the hooks of its features. */
  Kernel<SeiNode, ?, ?> kernel(
      List<NodeFeature> podFeatures,
      List<NodeFeature> features,
      NodeObjects objects,
      BackgroundReads reads,
      NodeDiagnosis diagnosis) {
    ports.access().judgeBy(caches);
    var operations = NodeFeature.operationsOf(features);
    var conditions = NodeFeature.conditionsOf(features);
    ports.metrics().gaugesOfNodes(conditions.gauges());
    var vetoes = new Vetoes(podFeatures);
    var jobs =
        new BootstrapJobs(api, vetoes, new BootstrapJobRenderer(config, podFeatures)::render);
    var core = coreTasks(objects, jobs, diagnosis);
    var engine =
        new PlanEngine<NodePass>(core.types(operations, vetoes), Refused::or, ports.clock());
    var actions =
        new NodeActions(
            new NodePlanner(engine::knows, operations),
            engine,
            objects,
            jobs,
            new PlanHandover(ports.sidecar(), engine::traits),
            new NodePlans(operations),
            ConfigRecord::written,
            features);
    return new Kernel<>(
        new NodeController(
            api,
            node -> NeededBuckets.missing(node, config.buckets()),
            new NodeObserver(
                caches,
                reads,
                volumes::risk,
                node -> SidecarContainer.image(node.getSpec(), config),
                features,
                ports.clock()),
            new Coexistence(ports.takeover(), ports.memory(), ports.steady())::begin,
            actions,
            reads,
            diagnosis,
            deadline,
            conditions),
        new NodeDeletion(api, claims, reads, ports.events()),
        api,
        ports.events(),
        new PlanMetrics(ports.metrics().registry(), engine.names()),
        Kernel.unfinished(ports.metrics().registry(), SeiNodeReconciler.NAME),
        ports.memory(),
        ports.clock(),
        ports.steady());
  }

  private CoreTasks coreTasks(NodeObjects objects, BootstrapJobs jobs, NodeDiagnosis diagnosis) {
    var guard = new ClaimGuard(api);
    var imported =
        new ImportedClaim(node -> NodeMode.of(node.getSpec()).storage(config).size(), guard);
    return new CoreTasks(
        api,
        objects,
        jobs,
        new EnsureDataPvcTask(claims, imported, new RestoredClaim(api, claims), guard),
        diagnosis,
        ports.sidecar(),
        ports.sidecars());
  }
}
