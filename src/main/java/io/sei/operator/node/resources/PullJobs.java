package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodePass;
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
  private final PerObjectMap<ResourceID, Watched> watched;

  public PullJobs(KubeApi api, PerObjectState<ResourceID> memory) {
    this.api = api;
    this.watched = memory.newMap();
  }

  /**
   * How a pull stands that is on record by now. Makes its Job, deletes it once the pull has ended,
   * and has the node looked at again until then.
   *
   * @param pod of the node, whose rights the pull has
   * @throws RefusedException if the API server refuses the Job, which ends the pull
   * @throws KubernetesClientException for other failures
   */
  public PullReport follow(NodePass pass, PullJob pull, Pod pod) {
    Optional<Watched> of = watched.get(id(pass)).filter(it -> it.pull().equals(pull));
    Instant now = pass.view().now();
    try {
      if (of.isEmpty()) {
        make(pass, pull, pod);
      } else if (now.isBefore(of.get().lookAt())) {
        pass.recheckAfter(Duration.between(now, of.get().lookAt()));
      } else {
        return look(pass, pull);
      }
      return new PullReport.Pulling();
    } catch (RefusedException e) {
      watched.remove(id(pass));
      throw e;
    }
  }

  /** A Job that is there already was made by a process that died. */
  private void make(NodePass pass, PullJob pull, Pod pod) {
    Optional<Pod> live =
        api.get(Pod.class, pass.namespace(), pod.getMetadata().getName())
            .filter(it -> it.getMetadata().getUid().equals(pod.getMetadata().getUid()));
    if (live.isEmpty()) {
      pass.recheckAfter(FIRST_LOOK);
      return;
    }
    try {
      api.create(renderer.render(pass.node(), pull, live.get()));
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
    lookLater(pass, pull, FIRST_LOOK);
  }

  private PullReport look(NodePass pass, PullJob pull) {
    String name = Names.pullJob(pass.node(), pull);
    List<Pod> pods = api.list(Pod.class, pass.namespace(), Labels.ofPull(pass.name(), name));
    Optional<Job> job = pods.isEmpty() ? read(pass, name) : of(pods.get(0));
    Duration elapsed = elapsed(pull, pass.view().now());
    PullReport report = PullReport.of(job, pods, elapsed);
    if (report instanceof PullReport.Pulling) {
      Duration next = elapsed.compareTo(LONGEST) > 0 ? LONGEST : elapsed;
      lookLater(pass, pull, next.compareTo(FIRST_LOOK) < 0 ? FIRST_LOOK : next);
    } else {
      job.ifPresent(it -> delete(pass, it));
      watched.remove(id(pass));
    }
    return report;
  }

  /** Ends a pull that nobody needs any more. */
  public void drop(NodePass pass, PullJob pull) {
    try {
      read(pass, Names.pullJob(pass.node(), pull)).ifPresent(it -> delete(pass, it));
    } catch (RefusedException e) {
      log.warn("Cannot look for a Job of node {}: {}", pass.name(), e.getMessage());
    }
    watched.remove(id(pass));
  }

  private void lookLater(NodePass pass, PullJob pull, Duration delay) {
    watched.put(id(pass), new Watched(pull, pass.view().now().plus(delay)));
    pass.recheckAfter(delay);
  }

  private Optional<Job> read(NodePass pass, String name) {
    return api.get(Job.class, pass.namespace(), name)
        .filter(job -> Ownership.isOurs(job, pass.node()));
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
  private void delete(NodePass pass, Job job) {
    try {
      api.delete(job, Propagation.BACKGROUND, false);
    } catch (RefusedException e) {
      log.warn("Cannot delete a Job of node {}: {}", pass.name(), e.getMessage());
    }
  }

  private static Duration elapsed(PullJob pull, Instant now) {
    return pull.startedAt() == null ? LONGEST : Duration.between(pull.startedAt(), now);
  }

  private static ResourceID id(NodePass pass) {
    return ResourceID.fromResource(pass.node());
  }
}
