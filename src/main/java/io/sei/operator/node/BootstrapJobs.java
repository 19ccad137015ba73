package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.net.HttpURLConnection;
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

  /** Nothing announces that a foreign Job is gone. */
  private static final Duration CONFLICT_RECHECK = Duration.ofSeconds(30);

  /** A backstop: that a pod is gone is announced by its watch. */
  private static final Duration POD_RECHECK = Duration.ofSeconds(5);

  private static final Duration JOB_RECHECK = Duration.ofSeconds(1);

  private final KubeApi api;
  private final BiFunction<SeiNode, String, Job> renderer;

  /**
   * @param renderer the Job of a node for a run of that name
   */
  public BootstrapJobs(KubeApi api, BiFunction<SeiNode, String, Job> renderer) {
    this.api = api;
    this.renderer = renderer;
  }

  /** Makes the Job of a run, once nothing else uses the volume. */
  public SyncResult deploy(NodeWork work, String run) {
    Optional<SyncResult> statefulSet = withoutStatefulSet(work);
    if (statefulSet.isPresent()) {
      return statefulSet.get();
    }
    Optional<Job> live = read(work);
    Optional<SyncResult> stranger = live.flatMap(job -> stranger(work, job));
    if (stranger.isPresent()) {
      return stranger.get();
    }
    if (live.filter(job -> isOf(job, run) && !job.isMarkedForDeletion()).isPresent()) {
      return new SyncResult.Ready();
    }
    if (live.isPresent()) {
      return delete(live.get());
    }
    List<Pod> pods = api.list(Pod.class, work.namespace(), Labels.selector(work.name()));
    return pods.isEmpty() ? create(work, run) : inUse(pods);
  }

  /** Removes the Job, whatever run it was for; {@code Ready} once its pods are gone as well. */
  public SyncResult remove(NodeWork work) {
    Optional<Job> live = read(work).filter(job -> isOurs(work, job));
    if (live.isPresent()) {
      return delete(live.get());
    }
    List<Pod> pods = api.list(Pod.class, work.namespace(), Labels.ofBootstrap(work.name()));
    return pods.isEmpty() ? new SyncResult.Ready() : inUse(pods);
  }

  /**
   * Stops the run of a node that is paused: its plan makes the Job anew when it goes on. A run that
   * has ended is left, for there is nothing to stop and its end has yet to be seen.
   */
  void stop(NodeWork work) {
    boolean ended =
        work.snapshot().bootstrapPods().stream()
            .anyMatch(pod -> PodFacts.end(pod, Names.SEID).isPresent());
    if (BootstrapTasks.isUnderWay(work.status().plan()) && !ended) {
      read(work).filter(job -> isOurs(work, job)).ifPresent(this::delete);
    }
  }

  /** Reads the Job with the name of the node's, live. */
  public Optional<Job> read(NodeWork work) {
    return api.get(Job.class, work.namespace(), Names.bootstrapJob(work.node()));
  }

  /** Whether a Job is the node's and was made for a run of this name. */
  public static boolean isFor(NodeWork work, Job job, String run) {
    return isOurs(work, job) && isOf(job, run) && !job.isMarkedForDeletion();
  }

  /** A StatefulSet of the node is deleted as one that is replaced: recorded first, by its uid. */
  private Optional<SyncResult> withoutStatefulSet(NodeWork work) {
    StatefulSetRef tracked = work.status().statefulSet();
    if (tracked != null) {
      work.update(status -> status.with(it -> it.statefulSet(null).replacing(tracked.uid())));
      return Optional.of(new SyncResult.Persist());
    }
    String name = Names.statefulSet(work.node());
    if (api.get(StatefulSet.class, work.namespace(), name).isPresent()) {
      return Optional.of(
          new SyncResult.Blocked(
              "StatefulSetTerminating", "StatefulSet " + name + " is still there", JOB_RECHECK));
    }
    work.update(status -> status.withReplacing(null));
    return Optional.empty();
  }

  private SyncResult create(NodeWork work, String run) {
    try {
      api.create(renderer.apply(work.node(), run));
      return new SyncResult.Ready();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return blocked("BootstrapJobChanged", Names.bootstrapJob(work.node()) + " appeared");
      }
      throw e;
    }
  }

  private SyncResult delete(Job job) {
    if (!job.isMarkedForDeletion()) {
      api.delete(job, Propagation.BACKGROUND, false);
    }
    return blocked("BootstrapJobTerminating", job.getMetadata().getName() + " is being deleted");
  }

  private static Optional<SyncResult> stranger(NodeWork work, Job job) {
    if (isOurs(work, job)) {
      return Optional.empty();
    }
    String owner =
        Ownership.of(job, work.node()) instanceof Ownership.Foreign foreign
            ? foreign.owner()
            : "nobody, but is not labelled as this node's";
    String message = "Job " + job.getMetadata().getName() + " belongs to " + owner;
    work.obstacle(message);
    return Optional.of(
        new SyncResult.Blocked(NodeReason.CONFLICT.toString(), message, CONFLICT_RECHECK));
  }

  /** An ownerless Job with the node's labels is the node's, as the Go operator may leave one. */
  private static boolean isOurs(NodeWork work, Job job) {
    Ownership ownership = Ownership.of(job, work.node());
    Map<String, String> labels = job.getMetadata().getLabels();
    return ownership instanceof Ownership.Ours
        || (ownership instanceof Ownership.Nobodys
            && labels != null
            && labels.entrySet().containsAll(Labels.ofBootstrap(work.name()).entrySet()));
  }

  private static boolean isOf(Job job, String run) {
    Map<String, String> annotations = job.getMetadata().getAnnotations();
    return annotations != null && run.equals(annotations.get(Annotations.BOOTSTRAP_RUN));
  }

  private static SyncResult inUse(List<Pod> pods) {
    String names =
        pods.stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.joining(", "));
    return new SyncResult.Blocked(
        "VolumeInUse", "waiting for pod " + names + " to be gone", POD_RECHECK);
  }

  private static SyncResult blocked(String reason, String job) {
    return new SyncResult.Blocked(reason, "Job " + job, JOB_RECHECK);
  }
}
