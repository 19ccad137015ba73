package io.sei.operator.node.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.NodeDiagnosis;
import io.sei.operator.node.bootstrap.BootstrapJobs;
import io.sei.operator.node.bootstrap.ConfigRecord;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.resources.NodeObjects;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.sidecar.SidecarClient;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * The types of tasks that no feature owns.
 *
 * @param whenReady told once the sidecar has let seid of a pod start
 */
public record CoreTasks(
    KubeApi api,
    NodeObjects objects,
    BootstrapJobs jobs,
    EnsureDataPvcTask claim,
    NodeDiagnosis diagnosis,
    SidecarClient sidecar,
    BiConsumer<NodeReconcile, Pod> whenReady) {

  /** Peers may be down for a while, and are looked for at each attempt: a day of them. */
  private static final int RETRIES_OF_PEERS = 24 * 60 * 2;

  /** All of them. */
  public List<TaskType<NodeReconcile, ?>> types() {
    var bootstrap = new BootstrapRun(jobs, diagnosis);
    return Stream.of(ofOperator(bootstrap), ofSidecar(bootstrap)).flatMap(List::stream).toList();
  }

  private List<TaskType<NodeReconcile, ?>> ofOperator(BootstrapRun bootstrap) {
    return List.of(
        TaskType.of(TaskTypes.ENSURE_DATA_PVC, Traits.LASTING, it -> claim.run(it)),
        TaskType.of(
            TaskTypes.APPLY_RBAC_PROXY_CONFIG, Traits.LASTING, it -> objects.syncProxyConfig(it)),
        new TaskType<>(
            TaskTypes.DEPLOY_BOOTSTRAP_JOB,
            TaskType.None.class,
            Traits.OF_OPERATOR,
            (task, params, reconcile) -> jobs.deploy(reconcile, task.id())),
        new TaskType<>(
            TaskTypes.AWAIT_BOOTSTRAP,
            AwaitBootstrapTask.Seen.class,
            Traits.OF_OPERATOR,
            new AwaitBootstrapTask(api, sidecar, bootstrap)::run),
        TaskType.of(TaskTypes.TEARDOWN_BOOTSTRAP, Traits.OF_OPERATOR, it -> jobs.remove(it)),
        TaskType.of(
            TaskTypes.APPLY_STATEFUL_SET, Traits.OF_OPERATOR, it -> objects.syncStatefulSet(it)),
        TaskType.of(TaskTypes.APPLY_SERVICE, Traits.LASTING, it -> objects.syncService(it)));
  }

  private List<TaskType<NodeReconcile, ?>> ofSidecar(BootstrapRun bootstrap) {
    var markReady = runner(SidecarTaskTypes.MARK_READY, bootstrap).withOnCompleted(whenReady);
    return List.of(
        type(runner(SidecarTaskTypes.CONFIGURE_GENESIS, bootstrap), Traits.OF_SIDECAR),
        type(
            runner(SidecarTaskTypes.SNAPSHOT_RESTORE, bootstrap).withGuard(VolumeHistory::restored),
            Traits.LONG),
        type(
            runner(SidecarTaskTypes.CONFIG_APPLY, bootstrap).withGuard(new VolumeHistory(sidecar)),
            Traits.OF_SIDECAR),
        type(
            runner(SidecarTaskTypes.DISCOVER_PEERS, bootstrap)
                .with(it -> it.guard(PeerDiscovery::check).request(PeerDiscovery::request)),
            Traits.OF_SIDECAR.retried(RETRIES_OF_PEERS)),
        type(
            runner(SidecarTaskTypes.CONFIGURE_STATE_SYNC, bootstrap)
                .with(
                    it -> it.guard(StateSyncWitnesses::check).request(StateSyncWitnesses::request)),
            Traits.OF_SIDECAR.retried(RETRIES_OF_PEERS)),
        type(
            runner(SidecarTaskTypes.CONFIG_VALIDATE, bootstrap)
                .withOnCompleted((reconcile, pod) -> ConfigRecord.applied(reconcile)),
            Traits.OF_SIDECAR),
        type(
            runner(SidecarTaskTypes.SNAPSHOT_UPLOAD, bootstrap).withEndless(true), Traits.HARMLESS),
        type(runner(SidecarTaskTypes.MARK_NOT_READY, bootstrap), Traits.HARMLESS),
        new TaskType<>(
            TaskTypes.MARK_READY,
            TaskType.None.class,
            Traits.HARMLESS,
            (task, params, it) -> new MarkReadyTask(markReady, sidecar).run(task, it)));
  }

  private SidecarTaskRunner runner(String type, BootstrapRun bootstrap) {
    return SidecarTaskRunner.of(type, sidecar, bootstrap);
  }

  private static TaskType<NodeReconcile, ?> type(SidecarTaskRunner runner, Traits traits) {
    return new TaskType<>(
        runner.type(),
        TaskType.None.class,
        traits,
        (task, params, reconcile) -> runner.run(task, reconcile));
  }
}
