package io.sei.operator;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.node.BackgroundReads;
import io.sei.operator.node.Coexistence;
import io.sei.operator.node.CoreTasks;
import io.sei.operator.node.CrashLogs;
import io.sei.operator.node.EnsureDataPvcTask;
import io.sei.operator.node.LiveEvidence;
import io.sei.operator.node.LogProbe;
import io.sei.operator.node.LostStatus;
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
import io.sei.operator.node.config.ConfigRestart;
import io.sei.operator.node.config.Configuration;
import io.sei.operator.node.config.ResolvedPeers;
import io.sei.operator.node.config.SeidRestart;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.hold.Hold;
import io.sei.operator.node.objects.BootstrapJobs;
import io.sei.operator.node.objects.ClaimGuard;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.node.objects.ExporterReady;
import io.sei.operator.node.objects.GrpcPort;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.node.objects.ImportedClaim;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.node.objects.Replay;
import io.sei.operator.node.objects.RestoredClaim;
import io.sei.operator.node.objects.StatefulSetSync;
import io.sei.operator.node.rollout.InPlaceUpdate;
import io.sei.operator.node.rollout.LeavingMachine;
import io.sei.operator.node.rollout.PodUpdates;
import io.sei.operator.node.rollout.RestartBackOffs;
import io.sei.operator.node.rollout.UpdatePulls;
import io.sei.operator.node.signing.Signing;
import io.sei.operator.node.sync.BucketSnapshots;
import io.sei.operator.node.sync.ChainSync;
import io.sei.operator.node.sync.Frozen;
import io.sei.operator.node.sync.GivenGenesis;
import io.sei.operator.node.sync.NeededBuckets;
import io.sei.operator.node.sync.StateSync;
import io.sei.operator.node.upgrade.Upgrades;
import io.sei.operator.node.volume.DataLifecycle;
import io.sei.operator.node.volume.VolumeChanges;
import io.sei.operator.node.volume.VolumeProtection;
import io.sei.operator.node.volume.VolumeWatch;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.reconcile.Kernel;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.BootstrapJobRenderer;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Labels;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.RbacProxyConfigRenderer;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.render.SidecarContainer;
import io.sei.operator.render.StatefulSetRenderer;
import io.sei.operator.takeover.FieldOwnership;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Assembles the SeiNode controller: its features first, then what calls them. */
public final class NodeAssembly {

  private final NodePorts ports;
  private final NodeCaches caches;
  private final OperatorConfig config;
  private final PerObjectState<ResourceID> memory;
  private final KubeApi api;
  private final DataClaim claims;
  private final VolumeWatch volumes;
  private final Signing signing;
  private final PodLogReader logs;
  private final ProgressDeadline deadline;
  private final LiveEvidence live;

  public NodeAssembly(NodePorts ports, NodeCaches caches) {
    this.ports = ports;
    this.caches = caches;
    this.config = ports.config();
    this.memory = ports.memory();
    this.api = new KubeApi(ports.client());
    var claimRenderer = new ClaimRenderer(config);
    this.claims =
        new DataClaim(
            api, caches, node -> claimRenderer.render(node).orElseThrow(), SeiNodeReconciler.NAME);
    this.volumes = new VolumeWatch(api, node -> caches.anyClaim(node), memory);
    var process = config.process();
    this.signing =
        process.signsByNamespace()
            ? Signing.inNamespaces(api)
            : Signing.inCluster(api, process.watchNamespaces(), caches::hasReportedEnd, memory);
    this.logs = new PodLogReader(api, ports.steady());
    this.deadline = new ProgressDeadline(process.progressDeadline());
    this.live = new LiveEvidence(api, ports.kubernetesNodes(), deadline, memory, ports.steady());
  }

  /** Features that shape a pod or its files, or veto an act; renderers are built with them. */
  public List<NodeFeature> podFeatures(OwnedObjectSync owned) {
    return List.of(
        new ResolvedPeers(),
        new Replay(),
        new VolumeProtection(api, caches, owned, volumes, config.process().retainVolumes()),
        signing.keys(caches, claims, owned),
        new GivenGenesis(api),
        new BucketSnapshots(),
        new StateSync(),
        new Frozen(),
        new Hold(),
        new LeavingMachine(
            live::machine, node -> volumes.volume(node).flatMap(VolumeFacts::onlyNode).isPresent()),
        new DataLifecycle(api, claims, volumes));
  }

  /**
   * Every feature, in the order in which hooks call them: those of pods first.
   *
   * @param reported pod of a node as its kubelet reports it
   */
  public List<NodeFeature> features(
      List<NodeFeature> podFeatures,
      LostStatus lostStatus,
      NodeDiagnosis diagnosis,
      Function<SeiNode, Optional<Pod>> reported) {
    var pollers = ports.pollers();
    var polling = ports.polling();
    var vetoes = new Vetoes(podFeatures);
    var puller = new ImagePuller(api, memory, ports.steady());
    List<NodeFeature> others =
        List.of(
            lostStatus,
            new Upgrades(api, caches, claims, puller, ReleaseReader::builtIn),
            new VolumeChanges(api, caches, vetoes, volumes, pollers.usage(), memory),
            new ChainSync(pollers.sync(), logs::endOfNewest, polling),
            new ExporterReady(logs::beginningOfExporter, polling),
            podUpdates(vetoes, puller, diagnosis, reported),
            new Configuration(
                podFeatures,
                new ConfigRestart(
                    ports.sidecar(),
                    new SeidRestart(new PodDeletion(api, caches), vetoes),
                    config.pod().configuredAtStart())),
            signing.records(pollers.sync()::signingKey, polling));
    return Stream.concat(podFeatures.stream(), others.stream()).toList();
  }

  private PodUpdates podUpdates(
      Vetoes vetoes,
      ImagePuller puller,
      NodeDiagnosis diagnosis,
      Function<SeiNode, Optional<Pod>> reported) {
    var pulls =
        new UpdatePulls(
            puller,
            namespace -> caches.nodes(namespace).flatMap(node -> caches.pod(node).stream()),
            live::isMachineLost,
            memory.newMap());
    return new PodUpdates(
        api,
        caches,
        vetoes,
        new InPlaceUpdate(
            api, caches, live::isMachineLost, deadline, pulls, ports.metrics().registry()),
        pulls,
        new RestartBackOffs(reported, memory, live::machineTakesPods),
        pass -> diagnosis.of(pass),
        config.pod().updatedInPlace());
  }

  /** Assembles the controller with the features that are on, which outside of tests are all. */
  Kernel<SeiNode, ?, ?> kernel(Predicate<NodeFeature> on) {
    ports.access().judgeBy(caches);
    var metrics = ports.metrics();
    var applier =
        new Applier(
            api,
            ports.client().getKubernetesSerialization(),
            SeiNodeReconciler.NAME,
            Annotations.RENDERED_HASH,
            memory,
            metrics.registry());
    var owned = new OwnedObjectSync(new OwnedObjects(api, applier, Labels.NODE), caches);
    List<NodeFeature> podFeatures = podFeatures(owned).stream().filter(on).toList();
    var vetoes = new Vetoes(podFeatures);
    NodeObjects objects = objects(podFeatures, vetoes, applier, owned);
    BackgroundReads reads = reads();
    var diagnosis = new NodeDiagnosis(live, reads.logs());
    var lostStatus = new LostStatus(ports.sidecar(), objects);
    List<NodeFeature> features =
        features(podFeatures, lostStatus, diagnosis, caches::pod).stream().filter(on).toList();
    var operations = NodeFeature.operationsOf(features);
    var conditions = NodeFeature.conditionsOf(features);
    metrics.gaugesOfNodes(conditions.gauges());
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
            new Coexistence(ports.takeover(), memory, ports.steady())::begin,
            actions,
            reads,
            diagnosis,
            deadline,
            conditions),
        new NodeDeletion(api, claims, reads, ports.events()),
        api,
        ports.events(),
        new PlanMetrics(metrics.registry(), engine.names()),
        Kernel.unfinished(metrics.registry(), SeiNodeReconciler.NAME),
        memory,
        ports.clock(),
        ports.steady());
  }

  /** Background reads, of which chains are measured as well. */
  private BackgroundReads reads() {
    var pollers = ports.pollers();
    ports.metrics().ofChains(pollers.chains()::reports);
    return new BackgroundReads(
        ports.sidecars(),
        new PeerResolver(caches, ports.sidecars()),
        new CrashLogs(logs, memory, ports.logReads()),
        new LogProbe(logs, ports.polling()),
        pollers.chains(),
        pollers.sync()::awaitsFirstAnswer);
  }

  private NodeObjects objects(
      List<NodeFeature> podFeatures, Vetoes vetoes, Applier applier, OwnedObjectSync owned) {
    return new NodeObjects(
        new StatefulSetSync(
            api,
            applier,
            new FieldOwnership(ports.client(), SeiNodeReconciler.NAME),
            caches,
            vetoes,
            ports.takeover()::mayAdopt,
            new StatefulSetRenderer(config, podFeatures)::render),
        owned,
        claims,
        new ServiceRenderer(),
        new GrpcPort(ports.chain()::version, ports.polling()),
        RbacProxyConfigRenderer::render);
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
