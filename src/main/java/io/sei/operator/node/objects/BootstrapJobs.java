package io.sei.operator.node.objects;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Makes and removes bootstrap Jobs. A Job and a StatefulSet of one node never have a pod at the
 * same time, for both write to the same volume; so each is made only after a live read has shown
 * that the other, and its pods, are gone. Jobs are not watched, their pods are.
 */
public final class BootstrapJobs {

  /** A backstop: that a pod is gone is announced by its watch. */
  private static final Duration POD_RECHECK = Duration.ofSeconds(5);

  private static final Duration JOB_RECHECK = Duration.ofSeconds(1);

  private final KubeApi api;
  private final Vetoes vetoes;
  private final BiFunction<SeiNode, String, Job> renderer;

  /**
   * @param vetoes is asked before a Job or a StatefulSet goes, and its pod with it
   * @param renderer the Job of a node for a run of that name
   */
  public BootstrapJobs(KubeApi api, Vetoes vetoes, BiFunction<SeiNode, String, Job> renderer) {
    this.api = api;
    this.vetoes = vetoes;
    this.renderer = renderer;
  }

  /** Makes the Job of a run, once nothing else uses the volume. */
  public TaskOutcome deploy(NodePass pass, String run) {
    return withoutStatefulSet(pass).then(() -> make(pass, run));
  }

  private TaskOutcome make(NodePass pass, String run) {
    Optional<Job> live = read(pass);
    if (live.isEmpty()) {
      return withoutPods(pass, Labels.selector(pass.name())).then(() -> create(pass, run));
    }
    if (!isOurs(pass, live.get())) {
      return stranger(pass, live.get());
    }
    return isFor(pass, live.get(), run) ? TaskOutcome.done() : delete(pass, live.get());
  }

  /** Removes the Job, whatever run it was for; done once its pods are gone as well. */
  public TaskOutcome remove(NodePass pass) {
    return read(pass)
        .filter(job -> isOurs(pass, job))
        .map(job -> delete(pass, job))
        .orElseGet(() -> withoutPods(pass, Labels.ofBootstrap(pass.name())));
  }

  /** Returns whether there is a pod of a bootstrap of the node, live. */
  public boolean hasPod(NodePass pass) {
    return !api.list(Pod.class, pass.namespace(), Labels.ofBootstrap(pass.name())).isEmpty();
  }

  /**
   * Stops the run of a paused node: its plan creates the Job again when it is resumed. A run that
   * has ended stays, since its end has not been seen yet.
   */
  public void stop(NodePass pass) {
    boolean ended =
        pass.view().bootstrapPods().stream()
            .anyMatch(pod -> PodFacts.end(pod, Names.SEID).isPresent());
    if (BootstrapTasks.isUnderWay(pass.stored().plan()) && !ended) {
      read(pass).filter(job -> isOurs(pass, job)).ifPresent(job -> delete(pass, job));
    }
  }

  /** Reads the Job with the name of the node's, live. */
  public Optional<Job> read(NodePass pass) {
    return api.get(Job.class, pass.namespace(), Names.bootstrapJob(pass.node()));
  }

  /** Returns whether a Job is the node's and was made for a run of this name. */
  public static boolean isFor(NodePass pass, Job job, String run) {
    return isOurs(pass, job) && isOf(job, run) && !job.isMarkedForDeletion();
  }

  /** A StatefulSet of the node is deleted as one that is replaced: recorded first, by its uid. */
  private TaskOutcome withoutStatefulSet(NodePass pass) {
    Optional<StatefulSetRef> tracked = pass.tracked();
    if (tracked.isPresent()) {
      return vetoes.ask(IrreversibleAct.END_POD, pass).then(() -> replaced(pass, tracked.get()));
    }
    String name = Names.statefulSet(pass.node());
    if (api.get(StatefulSet.class, pass.namespace(), name).isPresent()) {
      return TaskOutcome.waitFor(
          TaskReason.STATEFUL_SET_TERMINATING,
          "StatefulSet " + name + " still exists",
          JOB_RECHECK);
    }
    pass.update(status -> status.withReplacing(null));
    return TaskOutcome.done();
  }

  private static TaskOutcome replaced(NodePass pass, StatefulSetRef tracked) {
    pass.update(
        status -> status.with(builder -> builder.statefulSet(null).replacing(tracked.uid())));
    return TaskOutcome.recording();
  }

  private TaskOutcome create(NodePass pass, String run) {
    try {
      api.create(renderer.apply(pass.node(), run));
      return TaskOutcome.done();
    } catch (KubernetesClientException e) {
      if (isConflict(e)) {
        return blocked(
            TaskReason.BOOTSTRAP_JOB_CHANGED, Names.bootstrapJob(pass.node()) + " appeared");
      }
      throw e;
    }
  }

  private TaskOutcome delete(NodePass pass, Job job) {
    return vetoes
        .ask(IrreversibleAct.END_POD, pass)
        .then(
            () -> {
              if (!job.isMarkedForDeletion()) {
                api.delete(job, Propagation.BACKGROUND, false);
              }
              return blocked(
                  TaskReason.BOOTSTRAP_JOB_TERMINATING,
                  job.getMetadata().getName() + " is being deleted");
            });
  }

  private static TaskOutcome stranger(NodePass pass, Job job) {
    String owner =
        Ownership.of(job, pass.node()) instanceof Ownership.Foreign foreign
            ? foreign.owner()
            : "no owner and lacks this node's labels";
    String message = "Job " + job.getMetadata().getName() + " belongs to " + owner;
    pass.obstacle(message);
    return TaskOutcome.waitFor(NodeReason.CONFLICT, message, Recheck.CONFLICT);
  }

  /** An ownerless Job with the node's labels is the node's, as another operator may leave one. */
  private static boolean isOurs(NodePass pass, Job job) {
    return switch (Ownership.of(job, pass.node())) {
      case Ownership.Ours _ -> true;
      case Ownership.Unowned _ -> Labels.isOfNode(job, pass.name()) && Labels.isOfBootstrap(job);
      case Ownership.Foreign _ -> false;
    };
  }

  private static boolean isOf(Job job, String run) {
    return Annotations.has(job, Annotations.BOOTSTRAP_RUN, run);
  }

  private TaskOutcome withoutPods(NodePass pass, Map<String, String> labels) {
    List<Pod> pods = api.list(Pod.class, pass.namespace(), labels);
    String names =
        pods.stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.joining(", "));
    return pods.isEmpty()
        ? TaskOutcome.done()
        : TaskOutcome.waitFor(
            TaskReason.VOLUME_IN_USE, "waiting for pod " + names + " to be gone", POD_RECHECK);
  }

  private static TaskOutcome blocked(Reason reason, String job) {
    return TaskOutcome.waitFor(reason, "Job " + job, JOB_RECHECK);
  }
}
