package io.sei.operator;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.MeterRegistry;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.FieldOwnership;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.kube.SettledObjects;
import io.sei.operator.node.CrashLogs;
import io.sei.operator.node.KubernetesNodes;
import io.sei.operator.node.LiveEvidence;
import io.sei.operator.node.NodeController;
import io.sei.operator.node.NodeDeletion;
import io.sei.operator.node.NodeDiagnosis;
import io.sei.operator.node.NodeObserver;
import io.sei.operator.node.NodeStatusWriter;
import io.sei.operator.node.PlanHandover;
import io.sei.operator.node.PodAccess;
import io.sei.operator.node.PredecessorWatch;
import io.sei.operator.node.SeiNodeReconciler;
import io.sei.operator.node.SidecarMonitor;
import io.sei.operator.node.bootstrap.BootstrapJobs;
import io.sei.operator.node.bootstrap.ConfigRecord;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.peers.PeerDirectory;
import io.sei.operator.node.peers.PeerResolver;
import io.sei.operator.node.resources.ClaimGuard;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.node.resources.ImportedClaim;
import io.sei.operator.node.resources.NodeObjects;
import io.sei.operator.node.resources.OwnedObjectSync;
import io.sei.operator.node.resources.StatefulSetSync;
import io.sei.operator.node.signing.SigningKeyGuard;
import io.sei.operator.node.task.ApplyTask;
import io.sei.operator.node.task.AwaitBootstrapTask;
import io.sei.operator.node.task.BootstrapRun;
import io.sei.operator.node.task.DeployBootstrapJobTask;
import io.sei.operator.node.task.EnsureDataPvcTask;
import io.sei.operator.node.task.GuardedTask;
import io.sei.operator.node.task.MarkReadyTask;
import io.sei.operator.node.task.ObserveImageTask;
import io.sei.operator.node.task.PeerDiscovery;
import io.sei.operator.node.task.RefusableTask;
import io.sei.operator.node.task.ReplacePodTask;
import io.sei.operator.node.task.RestoredVolume;
import io.sei.operator.node.task.SidecarTaskRunner;
import io.sei.operator.node.task.StateSyncWitnesses;
import io.sei.operator.node.task.ValidateKeyTask;
import io.sei.operator.node.task.VolumeHistory;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.plan.Task;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.BootstrapJobRenderer;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Labels;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.RbacProxyConfigRenderer;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.render.SidecarContainer;
import io.sei.operator.render.StatefulSetRenderer;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Puts the SeiNode controller together. */
record NodeAssembly(
    OperatorConfig config,
    KubernetesClient client,
    KubernetesNodes machines,
    PodAccess access,
    SidecarClient sidecar,
    SidecarMonitor sidecars,
    CrashLogs logs,
    PeerDirectory peerDirectory,
    BooleanSupplier predecessor,
    EventRecorder events,
    MeterRegistry metrics,
    Clock clock) {

  NodeController pipeline(NodeCaches caches) {
    access.judgeBy(caches);
    var api = new KubeApi(client);
    var serialization = client.getKubernetesSerialization();
    var applier =
        new Applier(api, serialization, SeiNodeReconciler.NAME, Annotations.RENDERED_HASH, metrics);
    var signingKeys = new SigningKeyGuard(api);
    var claims = new ClaimRenderer(config);
    var dataClaim =
        new DataClaim(
            api,
            serialization,
            caches,
            node -> claims.render(node).orElseThrow(),
            SeiNodeReconciler.NAME);
    var objects = objects(api, applier, caches, signingKeys, dataClaim);
    var progressDeadline = new ProgressDeadline(config.process().progressDeadline());
    var diagnosis = new NodeDiagnosis(new LiveEvidence(api, machines, progressDeadline), logs);
    var peers = new PeerResolver(caches, peerDirectory);
    var bootstrapJobs = new BootstrapJobs(api, new BootstrapJobRenderer(config)::render);
    return new NodeController(
        new NodeObserver(
            caches,
            sidecars,
            logs,
            peers,
            new PredecessorWatch(predecessor, clock.instant(), clock),
            node -> SidecarContainer.image(node.getSpec(), config),
            clock),
        new PlanEngine<>(
            tasks(api, caches, objects, bootstrapJobs, dataClaim, diagnosis, signingKeys), clock),
        objects,
        bootstrapJobs,
        new PlanHandover(sidecar),
        new NodeDeletion(api, dataClaim),
        sidecars,
        logs,
        peers,
        diagnosis,
        new NodeStatusWriter(events, new PlanMetrics(metrics, TaskTypes.ALL)),
        progressDeadline,
        config.buckets(),
        clock);
  }

  private NodeObjects objects(
      KubeApi api,
      Applier applier,
      NodeCaches caches,
      SigningKeyGuard signingKeys,
      DataClaim dataClaim) {
    var settled = new SettledObjects();
    return new NodeObjects(
        new StatefulSetSync(
            api,
            applier,
            new FieldOwnership(client, SeiNodeReconciler.NAME),
            caches,
            signingKeys,
            new ClaimGuard(api),
            settled,
            new StatefulSetRenderer(config)::render),
        new OwnedObjectSync(new OwnedObjects(api, applier, settled, Labels.NODE), caches),
        dataClaim,
        settled,
        new ServiceRenderer()::render,
        new RbacProxyConfigRenderer()::render);
  }

  private List<Task<NodeReconcile>> tasks(
      KubeApi api,
      NodeCaches caches,
      NodeObjects objects,
      BootstrapJobs bootstrapJobs,
      DataClaim dataClaim,
      NodeDiagnosis diagnosis,
      SigningKeyGuard signingKeys) {
    var bootstrap = new BootstrapRun(bootstrapJobs, diagnosis);
    var tasks = new ArrayList<Task<NodeReconcile>>();
    var guard = new ClaimGuard(api);
    tasks.add(
        new EnsureDataPvcTask(
            dataClaim,
            new ImportedClaim(node -> NodeMode.of(node.getSpec()).storage(config).size(), guard),
            guard));
    tasks.add(ValidateKeyTask.ofSigningKey(api, signingKeys));
    tasks.add(ValidateKeyTask.ofNodeKey(api));
    tasks.add(ValidateKeyTask.ofOperatorKeyring(api));
    tasks.add(new ApplyTask(TaskTypes.APPLY_RBAC_PROXY_CONFIG, objects::syncProxyConfig));
    tasks.add(new DeployBootstrapJobTask(bootstrapJobs));
    tasks.add(new AwaitBootstrapTask(api, sidecar, bootstrap));
    tasks.add(new ApplyTask(TaskTypes.TEARDOWN_BOOTSTRAP, bootstrapJobs::remove));
    tasks.add(new ApplyTask(TaskTypes.APPLY_STATEFUL_SET, objects::syncStatefulSet));
    tasks.add(new ApplyTask(TaskTypes.APPLY_SERVICE, objects::syncService));
    tasks.add(new ReplacePodTask(api, caches));
    tasks.add(new ObserveImageTask(api, diagnosis));
    tasks.addAll(ofSidecar(bootstrap));
    return tasks.stream().<Task<NodeReconcile>>map(RefusableTask::new).toList();
  }

  private List<Task<NodeReconcile>> ofSidecar(BootstrapRun bootstrap) {
    return List.of(
        new SidecarTaskRunner(SidecarTaskTypes.CONFIGURE_GENESIS, sidecar, bootstrap),
        new GuardedTask(
            new RestoredVolume(),
            new SidecarTaskRunner(SidecarTaskTypes.SNAPSHOT_RESTORE, sidecar, bootstrap)),
        new GuardedTask(
            new VolumeHistory(sidecar),
            new SidecarTaskRunner(SidecarTaskTypes.CONFIG_APPLY, sidecar, bootstrap)),
        new GuardedTask(
            new PeerDiscovery(),
            SidecarTaskRunner.translated(
                SidecarTaskTypes.DISCOVER_PEERS, PeerDiscovery::request, sidecar, bootstrap)),
        new GuardedTask(
            new StateSyncWitnesses(),
            SidecarTaskRunner.translated(
                SidecarTaskTypes.CONFIGURE_STATE_SYNC,
                StateSyncWitnesses::request,
                sidecar,
                bootstrap)),
        new SidecarTaskRunner(
            SidecarTaskTypes.CONFIG_VALIDATE,
            sidecar,
            bootstrap,
            (reconcile, pod) -> ConfigRecord.applied(reconcile)),
        SidecarTaskRunner.endless(SidecarTaskTypes.SNAPSHOT_UPLOAD, sidecar, bootstrap),
        new MarkReadyTask(
            new SidecarTaskRunner(
                SidecarTaskTypes.MARK_READY, sidecar, bootstrap, this::sidecarIsReady),
            sidecar));
  }

  /** What the sidecar was just asked for need not be asked for again. */
  private void sidecarIsReady(NodeReconcile reconcile, Pod pod) {
    sidecars.note(
        ResourceID.fromResource(reconcile.node()), pod.getMetadata().getUid(), SidecarHealth.READY);
    reconcile.sidecarBecame(SidecarHealth.READY);
  }
}
