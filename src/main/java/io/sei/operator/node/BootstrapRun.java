package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.BootstrapJobs;
import io.sei.operator.node.objects.BootstrapState;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;
import java.util.Optional;

/** Effects of a bootstrap Job's run on the tasks that depend on it. */
public record BootstrapRun(BootstrapJobs jobs, NodeDiagnosis diagnosis) {

  /** Whether a task is one for the sidecar of the Job's pod, and not of the node's own. */
  static boolean isInJob(PlannedTask task, NodePass pass) {
    return BootstrapTasks.isInJob(pass.stored().plan(), task);
  }

  /** Whether there is a pod whose sidecar a task is for. */
  static boolean hasSidecar(PlannedTask task, NodePass pass) {
    return isInJob(task, pass)
        ? state(pass) instanceof BootstrapState.Running
        : pass.view().livePod().isPresent();
  }

  /** Returns the state of the run. */
  static BootstrapState state(NodePass pass) {
    TaskPlan plan = pass.stored().plan();
    return BootstrapState.of(pass.view().bootstrapPods(), BootstrapTasks.run(plan).orElseThrow());
  }

  /** Returns why a run does not go on, or how it begins again; never Done. */
  TaskOutcome interrupted(NodePass pass, BootstrapState.Interrupted state) {
    return switch (state) {
      case BootstrapState.Failed _
          when pass.view()
              .bootstrapPod()
              .filter(pod -> diagnosis.isReadingLog(pass, pod))
              .isPresent() ->
          TaskOutcome.waitFor(
              TaskReason.READING_LOG, "reading in its log why seid ended", Recheck.BACKSTOP);
      case BootstrapState.Failed _
          when pass.view().bootstrapPod().filter(PodFacts::isDisrupted).isPresent() ->
          again(pass);
      case BootstrapState.Failed failed -> new TaskOutcome.Fail(failed.cause());
      case BootstrapState.Leaving leaving ->
          TaskOutcome.waitFor(
              NodeReason.POD_TERMINATING,
              "waiting for pod " + leaving.pods() + " to be gone",
              Recheck.BACKSTOP);
      case BootstrapState.Missing _ -> withoutPod(pass);
    };
  }

  /** Returns the pod of a run with the end of seid by its log, where that was read. */
  Pod withWords(NodePass pass, Pod pod) {
    return diagnosis.logs().withWords(ResourceID.fromResource(pass.node()), pod);
  }

  /** Returns a wait for what is diagnosed; without a diagnosis, the outcome that is given. */
  TaskOutcome await(NodePass pass, TaskOutcome otherwise, Duration recheck) {
    return diagnosis.of(pass).map(finding -> Refused.waitFor(finding, recheck)).orElse(otherwise);
  }

  private TaskOutcome withoutPod(NodePass pass) {
    String run = BootstrapTasks.run(pass.stored().plan()).orElseThrow();
    Optional<Job> job =
        jobs.read(pass).filter(candidate -> BootstrapJobs.isFor(pass, candidate, run));
    if (job.isEmpty()) {
      return new TaskOutcome.Rewind(
          TaskTypes.DEPLOY_BOOTSTRAP_JOB, "the bootstrap Job does not exist");
    }
    Optional<JobCondition> failure = PodFacts.condition(job.get(), "Failed");
    // Complete proves nothing: seid that is stopped before its height ends with code 0 as well.
    if (PodFacts.condition(job.get(), "Complete").isPresent()
        || failure.filter(failed -> PodFacts.isInterrupted(failed, Optional.empty())).isPresent()) {
      // Where the cache is behind, the pod can still show how seid ended.
      return jobs.hasPod(pass)
          ? TaskOutcome.waitFor(TaskReason.POD_CHANGED, "the bootstrap pod changed", Recheck.RACE)
          : again(pass);
    }
    if (failure.isPresent()) {
      return new TaskOutcome.Fail(
          "Job %s failed and has no pod: %s: %s"
              .formatted(
                  job.get().getMetadata().getName(),
                  failure.get().getReason(),
                  failure.get().getMessage()));
    }
    String message = "waiting for the bootstrap Job's pod";
    return await(
        pass,
        TaskOutcome.waitFor(NodeReason.POD_STARTING, message, Recheck.BACKSTOP),
        Recheck.BACKSTOP);
  }

  /** Begins the run again with another Job. */
  private TaskOutcome again(NodePass pass) {
    return jobs.remove(pass)
        .then(
            () ->
                new TaskOutcome.Rewind(
                    TaskTypes.DEPLOY_BOOTSTRAP_JOB, "the bootstrap Job was interrupted"));
  }
}
