package io.sei.operator;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.HttpChainClient;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.node.BackgroundReads;
import io.sei.operator.node.Coexistence;
import io.sei.operator.node.CoreTasks;
import io.sei.operator.node.CrashLogs;
import io.sei.operator.node.EnsureDataPvcTask;
import io.sei.operator.node.KubernetesNodes;
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
import io.sei.operator.node.PodAccess;
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
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.hold.AwaitExit;
import io.sei.operator.node.hold.Hold;
import io.sei.operator.node.hold.StopRecord;
import io.sei.operator.node.objects.BootstrapJobs;
import io.sei.operator.node.objects.ClaimGuard;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.node.objects.ExporterReady;
import io.sei.operator.node.objects.GrpcPort;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.node.objects.ImportedClaim;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.node.objects.NodePodDisruptionBudget;
import io.sei.operator.node.objects.OwnedObjectSync;
import io.sei.operator.node.objects.Replay;
import io.sei.operator.node.objects.RestoredClaim;
import io.sei.operator.node.objects.StatefulSetSync;
import io.sei.operator.node.rollout.InPlaceUpdate;
import io.sei.operator.node.rollout.PodTasks;
import io.sei.operator.node.rollout.PodUpdates;
import io.sei.operator.node.rollout.RestartBackOffs;
import io.sei.operator.node.rollout.UpdatePulls;
import io.sei.operator.node.signing.ChangedSecret;
import io.sei.operator.node.signing.KeyConditions;
import io.sei.operator.node.signing.KeyTasks;
import io.sei.operator.node.signing.NodeIdRecord;
import io.sei.operator.node.signing.OtherSigner;
import io.sei.operator.node.signing.RemoteSigning;
import io.sei.operator.node.signing.SignatureRecord;
import io.sei.operator.node.signing.SignersKey;
import io.sei.operator.node.signing.SigningClaim;
import io.sei.operator.node.signing.SigningKeyGuard;
import io.sei.operator.node.signing.SigningRecords;
import io.sei.operator.node.signing.SigningScope;
import io.sei.operator.node.sync.BucketSnapshots;
import io.sei.operator.node.sync.CaughtUp;
import io.sei.operator.node.sync.Frozen;
import io.sei.operator.node.sync.GivenGenesis;
import io.sei.operator.node.sync.HeightStandsStill;
import io.sei.operator.node.sync.NeededBuckets;
import io.sei.operator.node.sync.SnapshotServer;
import io.sei.operator.node.sync.Starting;
import io.sei.operator.node.sync.StateSync;
import io.sei.operator.node.upgrade.Upgrades;
import io.sei.operator.node.volume.AutoGrowth;
import io.sei.operator.node.volume.BadSource;
import io.sei.operator.node.volume.ClaimGrowth;
import io.sei.operator.node.volume.DataResets;
import io.sei.operator.node.volume.DataVolumeAtRisk;
import io.sei.operator.node.volume.DataVolumeResized;
import io.sei.operator.node.volume.LostClaim;
import io.sei.operator.node.volume.PinnedVolume;
import io.sei.operator.node.volume.PodGuard;
import io.sei.operator.node.volume.ReleasedVolume;
import io.sei.operator.node.volume.RestoredSource;
import io.sei.operator.node.volume.VolumeAttributes;
import io.sei.operator.node.volume.VolumeEvents;
import io.sei.operator.node.volume.VolumeKeeper;
import io.sei.operator.node.volume.VolumeRebinding;
import io.sei.operator.node.volume.VolumeWatch;
import io.sei.operator.observability.OperatorMetrics;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.reconcile.Kernel;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.BootstrapJobRenderer;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.DisruptionBudgetRenderer;
import io.sei.operator.render.Labels;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.RbacProxyConfigRenderer;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.render.SidecarContainer;
import io.sei.operator.render.StatefulSetRenderer;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.sidecar.Sidecars;
import io.sei.operator.takeover.FieldOwnership;
import io.sei.operator.takeover.TakeoverGate;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;

/** Puts the SeiNode controller together. */
public record NodeAssembly(
    OperatorConfig config,
    KubernetesClient client,
    PerObjectState<ResourceID> memory,
    KubernetesNodes kubernetesNodes,
    PodAccess access,
    SidecarClient sidecar,
    Sidecars sidecars,
    HttpChainClient chain,
    Watches watches,
    FairExecutor<ResourceID> logReads,
    Polling<ResourceID> polling,
    TakeoverGate takeover,
    EventRecorder events,
    OperatorMetrics metrics,
    Clock clock,
    Clock steady) {

  /**
   * The first features: all that shape a pod or its files, or veto an act. What renders pods, acts
   * on them or configures seid is built with these.
   */
  public static List<NodeFeature> podFeatures(
      KubeApi api,
      NodeCaches caches,
      DataClaim dataClaim,
      VolumeKeeper keeper,
      NodePodDisruptionBudget keptPod,
      SigningScope signing) {
    return List.of(
        new ResolvedPeers(),
        new Replay(),
        new StopRecord(),
        keeper,
        keptPod,
        new VolumeRebinding(api, keeper),
        new PodGuard(caches, keeper.volumes()),
        new ClaimGuard(api),
        new AwaitExit(),
        new KeyTasks(api, new SigningKeyGuard(api, signing)),
        new GivenGenesis(api),
        new BucketSnapshots(),
        new StateSync(),
        new SnapshotServer(),
        new Frozen(),
        new Hold(),
        new SigningClaim(dataClaim),
        new DataResets(dataClaim),
        new VolumeEvents(),
        new RestoredSource(),
        new BadSource(api),
        new RemoteSigning(api, caches, keptPod.owned()));
  }

  /** Every feature, in the order they are called: first those of pods, then these. */
  public static List<NodeFeature> features(
      List<NodeFeature> podFeatures,
      KubeApi api,
      NodeCaches caches,
      LostStatus lostStatus,
      DataClaim dataClaim,
      VolumeWatch volumes,
      SigningScope signing,
      SignersKey signers,
      PodUpdates pods,
      ConfigRestart restarts,
      Watches watches,
      HeightStandsStill.Log podLogs,
      ExporterReady.Log exporterLogs,
      Polling<ResourceID> polling) {
    PerObjectState<ResourceID> memory = polling.memory();
    var growth = new AutoGrowth(watches.usage(), memory);
    List<NodeFeature> others =
        List.of(
            new Configuration(podFeatures),
            lostStatus,
            new LostClaim(dataClaim, new ReleasedVolume(volumes)::hasData),
            new KeyConditions(signers, new ChangedSecret(api, signing, polling)),
            new SignatureRecord(),
            new OtherSigner(),
            new Upgrades(api, caches, dataClaim, pods.pulls().puller()),
            new ClaimGrowth(api, caches, restarts.restart().vetoes(), growth, memory),
            new PinnedVolume(volumes),
            new DataVolumeResized(growth),
            new VolumeAttributes(api, caches, memory),
            new DataVolumeAtRisk(),
            new CaughtUp(watches.sync()),
            new ExporterReady(exporterLogs, polling),
            pods,
            restarts,
            pods.pods().backOffs(),
            new Starting(watches.sync(), podLogs, polling),
            new HeightStandsStill(watches.sync(), podLogs, polling),
            new SigningRecords(api, signing),
            new NodeIdRecord(api));
    return Stream.concat(podFeatures.stream(), others.stream()).toList();
  }

  Kernel<SeiNode, ?, ?> pipeline(NodeCaches caches) {
    access.judgeBy(caches);
    var api = new KubeApi(client);
    var applier = applier(api);
    var dataClaim = dataClaim(api, caches);
    var volumes = new VolumeWatch(api, caches::anyClaim, memory);
    var owned = new OwnedObjectSync(new OwnedObjects(api, applier, Labels.NODE), caches);
    SigningScope signing = signingScope(api);
    List<NodeFeature> podFeatures =
        podFeatures(
            api,
            caches,
            dataClaim,
            new VolumeKeeper(api, caches::anyClaim, volumes, config.process().retainVolumes()),
            new NodePodDisruptionBudget(
                api, caches, owned, new DisruptionBudgetRenderer()::renderKeeping),
            signing);
    var vetoes = new Vetoes(podFeatures);
    var objects = objects(api, applier, caches, vetoes, podFeatures, dataClaim, owned);
    var progressDeadline = new ProgressDeadline(config.process().progressDeadline());
    var live = new LiveEvidence(api, kubernetesNodes, progressDeadline, memory, steady);
    var podLogs = new PodLogReader(api, steady);
    var reads = reads(caches, podLogs);
    var diagnosis = new NodeDiagnosis(live, reads.logs());
    var pulls =
        new UpdatePulls(
            new ImagePuller(api, memory, steady),
            namespace -> caches.nodes(namespace).flatMap(node -> caches.pod(node).stream()),
            live::isMachineLost,
            memory.newMap());
    var inPlace = inPlace(api, caches, live, progressDeadline, pulls);
    var backOffs = new RestartBackOffs(caches::pod, memory, live::machineTakesPods);
    var pods = new PodTasks(api, caches, vetoes, inPlace, backOffs, diagnosis::of);
    var bootstrapJobs =
        new BootstrapJobs(api, vetoes, new BootstrapJobRenderer(config, podFeatures)::render);
    List<NodeFeature> features =
        features(
            podFeatures,
            api,
            caches,
            new LostStatus(sidecar, objects),
            dataClaim,
            volumes,
            signing,
            new SignersKey(watches.sync()::signingKey),
            new PodUpdates(api, caches, pods, pulls, config.pod().updatedInPlace()),
            restarts(new SeidRestart(new PodDeletion(api, caches), vetoes)),
            watches,
            podLogs::endOfNewest,
            podLogs::beginningOfExporter,
            polling);
    var conditions = NodeFeature.conditionsOf(features);
    metrics.gaugesOfNodes(conditions.gauges());
    var core = coreTasks(api, objects, bootstrapJobs, dataClaim, diagnosis);
    var operations = NodeFeature.operationsOf(features);
    var engine = new PlanEngine<>(core.types(operations, vetoes), Refused::or, clock);
    return new Kernel<>(
        new NodeController(
            api,
            node -> NeededBuckets.missing(node, config.buckets()),
            observer(caches, reads, volumes, features),
            new Coexistence(takeover, memory, steady)::begin,
            actions(engine, objects, bootstrapJobs, operations, features),
            reads,
            diagnosis,
            progressDeadline,
            conditions),
        new NodeDeletion(api, dataClaim, reads, events),
        api,
        events,
        new PlanMetrics(metrics.registry(), engine.names()),
        Kernel.unfinished(metrics.registry(), SeiNodeReconciler.NAME),
        memory,
        clock,
        steady);
  }

  /** Background reads, of which chains are measured as well. */
  private BackgroundReads reads(NodeCaches caches, PodLogReader podLogs) {
    metrics.ofChains(watches.chains()::reports);
    return new BackgroundReads(
        sidecars,
        new PeerResolver(caches, sidecars),
        new CrashLogs(podLogs, memory, logReads),
        new LogProbe(podLogs, polling),
        watches.chains(),
        watches.sync()::awaitsFirstAnswer);
  }

  private InPlaceUpdate inPlace(
      KubeApi api,
      NodeCaches caches,
      LiveEvidence live,
      ProgressDeadline deadline,
      UpdatePulls pulls) {
    return new InPlaceUpdate(api, caches, live::isMachineLost, deadline, pulls, metrics.registry());
  }

  private SigningScope signingScope(KubeApi api) {
    var process = config.process();
    return SigningScope.of(api, process.signsByNamespace(), process.watchNamespaces(), memory);
  }

  private ConfigRestart restarts(SeidRestart restart) {
    return new ConfigRestart(sidecar, restart, config.pod().configuredAtStart());
  }

  private Applier applier(KubeApi api) {
    return new Applier(
        api,
        client.getKubernetesSerialization(),
        SeiNodeReconciler.NAME,
        Annotations.RENDERED_HASH,
        memory,
        metrics.registry());
  }

  private DataClaim dataClaim(KubeApi api, NodeCaches caches) {
    var claims = new ClaimRenderer(config);
    return new DataClaim(
        api, caches, node -> claims.render(node).orElseThrow(), SeiNodeReconciler.NAME);
  }

  private NodeActions actions(
      PlanEngine<NodePass> engine,
      NodeObjects objects,
      BootstrapJobs bootstrapJobs,
      OperationParts operations,
      List<NodeFeature> features) {
    return new NodeActions(
        new NodePlanner(engine::knows, operations),
        engine,
        objects,
        bootstrapJobs,
        new PlanHandover(sidecar, engine::traits),
        new NodePlans(operations),
        ConfigRecord::written,
        features);
  }

  private NodeObserver observer(
      NodeCaches caches, BackgroundReads reads, VolumeWatch volumes, List<NodeFeature> features) {
    return new NodeObserver(
        caches,
        reads,
        volumes::risk,
        node -> SidecarContainer.image(node.getSpec(), config),
        features,
        clock);
  }

  private NodeObjects objects(
      KubeApi api,
      Applier applier,
      NodeCaches caches,
      Vetoes vetoes,
      List<NodeFeature> podFeatures,
      DataClaim dataClaim,
      OwnedObjectSync owned) {
    return new NodeObjects(
        new StatefulSetSync(
            api,
            applier,
            new FieldOwnership(client, SeiNodeReconciler.NAME),
            caches,
            vetoes,
            takeover::mayAdopt,
            new StatefulSetRenderer(config, podFeatures)::render),
        owned,
        dataClaim,
        new ServiceRenderer(),
        new GrpcPort(chain::version, polling),
        RbacProxyConfigRenderer::render);
  }

  private CoreTasks coreTasks(
      KubeApi api,
      NodeObjects objects,
      BootstrapJobs bootstrapJobs,
      DataClaim dataClaim,
      NodeDiagnosis diagnosis) {
    var claimGuard = new ClaimGuard(api);
    var imported =
        new ImportedClaim(node -> NodeMode.of(node.getSpec()).storage(config).size(), claimGuard);
    return new CoreTasks(
        api,
        objects,
        bootstrapJobs,
        new EnsureDataPvcTask(dataClaim, imported, new RestoredClaim(api, dataClaim), claimGuard),
        diagnosis,
        sidecar,
        this::sidecarIsReady);
  }

  /** Notes that the sidecar has just become ready, so that it is not asked for that again. */
  private void sidecarIsReady(NodePass pass) {
    Pod pod = pass.view().livePod().orElseThrow();
    sidecars.note(
        ResourceID.fromResource(pass.node()), pod.getMetadata().getUid(), SidecarHealth.READY);
    pass.sidecarBecame(SidecarHealth.READY);
  }
}
