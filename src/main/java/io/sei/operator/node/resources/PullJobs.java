package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.Kept;
import io.sei.operator.base.Memory;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullJobRenderer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jobs that pull images on the Kubernetes node of a node's pod, one of a node at a time. Neither
 * they nor their pods are watched: a pull in progress is looked at now and then.
 */
public final class PullJobs {

  private static final Logger log = LoggerFactory.getLogger(PullJobs.class);

  /** A small image is there by then; each look is as far from the beginning again. */
  private static final Duration FIRST_LOOK = Duration.ofSeconds(2);

  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** A pull whose Job this process has made or found, and when to look at it. */
  private record Watched(PullJob pull, Instant lookAt) {}

  private final KubeApi api;
  private final PullJobRenderer renderer = new PullJobRenderer();
  private final Kept<ResourceID, Watched> watched;

  public PullJobs(KubeApi api, Memory<ResourceID> memory) {
    this.api = api;
    this.watched = memory.compartment();
  }

  /**
   * How a pull stands that is on record by now. Makes its Job, deletes it once the pull has ended,
   * and has the node looked at again until then.
   *
   * @param pod of the node, whose rights the pull has
   * @throws RefusedException if the API server refuses the Job, which ends the pull
   * @throws KubernetesClientException for other failures
   */
  public PullReport follow(NodeReconcile reconcile, PullJob pull, Pod pod) {
    Optional<Watched> of = watched.get(id(reconcile)).filter(it -> it.pull().equals(pull));
    Instant now = reconcile.snapshot().now();
    try {
      if (of.isEmpty()) {
        make(reconcile, pull, pod);
      } else if (now.isBefore(of.get().lookAt())) {
        reconcile.recheckAfter(Duration.between(now, of.get().lookAt()));
      } else {
        return look(reconcile, pull);
      }
      return new PullReport.Pulling();
    } catch (RefusedException e) {
      watched.remove(id(reconcile));
      throw e;
    }
  }

  /** A Job that is there already was made by a process that died. */
  private void make(NodeReconcile reconcile, PullJob pull, Pod pod) {
    Optional<Pod> live =
        api.get(Pod.class, reconcile.namespace(), pod.getMetadata().getName())
            .filter(it -> it.getMetadata().getUid().equals(pod.getMetadata().getUid()));
    if (live.isEmpty()) {
      reconcile.recheckAfter(FIRST_LOOK);
      return;
    }
    try {
      api.create(renderer.render(reconcile.node(), pull, live.get()));
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
    lookLater(reconcile, pull, FIRST_LOOK);
  }

  private PullReport look(NodeReconcile reconcile, PullJob pull) {
    String name = Names.pullJob(reconcile.node(), pull);
    List<Pod> pods =
        api.list(Pod.class, reconcile.namespace(), Labels.ofPull(reconcile.name(), name));
    Optional<Job> job = pods.isEmpty() ? read(reconcile, name) : of(pods.get(0));
    Duration elapsed = elapsed(pull, reconcile.snapshot().now());
    PullReport report = PullReport.of(job, pods, elapsed);
    if (report instanceof PullReport.Pulling) {
      Duration next = elapsed.compareTo(LONGEST) > 0 ? LONGEST : elapsed;
      lookLater(reconcile, pull, next.compareTo(FIRST_LOOK) < 0 ? FIRST_LOOK : next);
    } else {
      job.ifPresent(it -> delete(reconcile, it));
      watched.remove(id(reconcile));
    }
    return report;
  }

  /** Ends a pull that nobody needs any more. */
  public void drop(NodeReconcile reconcile, PullJob pull) {
    try {
      read(reconcile, Names.pullJob(reconcile.node(), pull)).ifPresent(it -> delete(reconcile, it));
    } catch (RefusedException e) {
      log.warn("Cannot look for a Job of node {}: {}", reconcile.name(), e.getMessage());
    }
    watched.remove(id(reconcile));
  }

  private void lookLater(NodeReconcile reconcile, PullJob pull, Duration delay) {
    watched.put(id(reconcile), new Watched(pull, reconcile.snapshot().now().plus(delay)));
    reconcile.recheckAfter(delay);
  }

  private Optional<Job> read(NodeReconcile reconcile, String name) {
    return api.get(Job.class, reconcile.namespace(), name)
        .filter(job -> Ownership.isOurs(job, reconcile.node()));
  }

  /** The Job of a pod, as far as deleting it needs. */
  private static Optional<Job> of(Pod pod) {
    return Ownership.controller(pod).map(it -> job(pod, it));
  }

  private static Job job(Pod pod, OwnerReference owner) {
    return new JobBuilder()
        .withNewMetadata()
        .withName(owner.getName())
        .withNamespace(pod.getMetadata().getNamespace())
        .withUid(owner.getUid())
        .endMetadata()
        .build();
  }

  /** What cannot be deleted goes by itself some time after it has ended. */
  private void delete(NodeReconcile reconcile, Job job) {
    try {
      api.delete(job, Propagation.BACKGROUND, false);
    } catch (RefusedException e) {
      log.warn("Cannot delete a Job of node {}: {}", reconcile.name(), e.getMessage());
    }
  }

  private static Duration elapsed(PullJob pull, Instant now) {
    return pull.startedAt() == null ? LONGEST : Duration.between(pull.startedAt(), now);
  }

  private static ResourceID id(NodeReconcile reconcile) {
    return ResourceID.fromResource(reconcile.node());
  }
}
