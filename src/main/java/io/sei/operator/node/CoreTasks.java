package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.node.objects.BootstrapJobs;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.sidecar.Sidecars;
import java.util.List;
import java.util.stream.Stream;

/**
 * The types of tasks that no feature owns.
 *
 * @param sidecars know which sidecars are ready
 */
public record CoreTasks(
    KubeApi api,
    NodeObjects objects,
    BootstrapJobs jobs,
    EnsureDataPvcTask claim,
    NodeDiagnosis diagnosis,
    SidecarClient sidecar,
    Sidecars sidecars) {

  /** All of them, and those of features. */
  public List<TaskType<NodePass, ?>> types(OperationParts operations, Vetoes vetoes) {
    var bootstrap = new BootstrapRun(jobs, diagnosis);
    return Stream.of(
            ofOperator(bootstrap).stream(),
            ofSidecar(bootstrap, vetoes).stream(),
            operations.tasks().stream(),
            operations.sidecarTasks().stream().map(this::of))
        .<TaskType<NodePass, ?>>flatMap(types -> types)
        .toList();
  }

  private List<TaskType<NodePass, ?>> ofOperator(BootstrapRun bootstrap) {
    return List.of(
        TaskType.of(TaskTypes.ENSURE_DATA_PVC, Traits.LASTING, pass -> claim.run(pass)),
        TaskType.of(
            TaskTypes.APPLY_RBAC_PROXY_CONFIG,
            Traits.LASTING,
            pass -> objects.syncProxyConfig(pass)),
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
        TaskType.of(TaskTypes.TEARDOWN_BOOTSTRAP, Traits.OF_OPERATOR, pass -> jobs.remove(pass)),
        TaskType.of(
            TaskTypes.APPLY_STATEFUL_SET,
            Traits.OF_OPERATOR,
            pass -> objects.syncStatefulSet(pass)),
        TaskType.of(TaskTypes.APPLY_SERVICE, Traits.LASTING, pass -> objects.syncService(pass)));
  }

  private List<TaskType<NodePass, ?>> ofSidecar(BootstrapRun bootstrap, Vetoes vetoes) {
    var markReady =
        new SidecarTaskRunner(
            SidecarWork.of(SidecarTaskTypes.MARK_READY, Traits.HARMLESS)
                .withOnCompleted(this::noteReady),
            sidecar,
            bootstrap);
    return List.of(
        of(SidecarWork.of(SidecarTaskTypes.CONFIGURE_GENESIS, Traits.OF_SIDECAR)),
        new TaskType<>(
            TaskTypes.MARK_READY,
            TaskType.None.class,
            Traits.HARMLESS,
            (task, params, it) ->
                vetoes
                    .ask(IrreversibleAct.RELEASE_SEID, it)
                    .then(() -> new MarkReadyTask(markReady, sidecar).run(task, it))));
  }

  /** Notes that the sidecar has just become ready, so that it is not asked for that again. */
  private void noteReady(NodePass pass) {
    Pod pod = pass.view().livePod().orElseThrow();
    sidecars.note(
        ResourceID.fromResource(pass.node()), pod.getMetadata().getUid(), SidecarHealth.READY);
    pass.sidecarBecame(SidecarHealth.READY);
  }

  /** The type of a task that the sidecar carries out. */
  public TaskType<NodePass, ?> of(SidecarWork work) {
    var runner = new SidecarTaskRunner(work, sidecar, new BootstrapRun(jobs, diagnosis));
    return new TaskType<>(
        work.type(),
        TaskType.None.class,
        work.traits(),
        (task, params, reconcile) -> runner.run(task, reconcile));
  }
}
