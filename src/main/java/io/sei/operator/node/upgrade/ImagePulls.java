package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.ImagePull;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.Kept;
import io.sei.operator.base.Memory;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.PullJobRenderer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls the images of the upgrades ahead, each by a Job on the Kubernetes node of the node's pod. A
 * pull is on record in the status before its Job is made and until it is deleted, so that whoever
 * comes next finds it. Neither these Jobs nor their pods are watched: a pull in progress is looked
 * at now and then.
 */
final class ImagePulls {

  private static final Logger log = LoggerFactory.getLogger(ImagePulls.class);

  /** A small image is there by then; each look is as far from the beginning again. */
  private static final Duration FIRST_LOOK = Duration.ofSeconds(2);

  private static final Duration LONGEST = Duration.ofMinutes(1);

  /** A pull whose Job this process has made or found, and when to look at it. */
  private record Watched(ImagePull pull, Instant lookAt) {}

  private final KubeApi api;
  private final PullJobRenderer renderer = new PullJobRenderer();
  private final Kept<ResourceID, Watched> watched;

  ImagePulls(KubeApi api, Memory<ResourceID> memory) {
    this.api = api;
    this.watched = memory.compartment();
  }

  /**
   * Does what is due. What the API server refuses is recorded as the reason why the image is not
   * there.
   *
   * @param nextAt when the chain is expected to reach the next upgrade, if that is known
   * @throws KubernetesClientException for failures other than a refusal
   */
  void advance(NodeReconcile reconcile, Optional<Instant> nextAt) {
    ImagePull inProgress = reconcile.status().imagePull();
    List<UpgradeStatus> listed = upgrades(reconcile).filter(UpgradeStatus::isAhead).toList();
    Optional<Pod> pod = reconcile.snapshot().livePod();
    Optional<String> kubernetesNode = pod.flatMap(PodFacts::nodeName);
    if (kubernetesNode.isEmpty() || (inProgress == null && listed.isEmpty())) {
      return;
    }
    Instant now = reconcile.snapshot().now();
    switch (PullDecision.of(listed, inProgress, kubernetesNode.get(), now, nextAt)) {
      case PullDecision.Rest rest -> rest.until().ifPresent(reconcile::recheckAfter);
      case PullDecision.Begin begin -> record(reconcile, begin.pull());
      case PullDecision.Watch watch -> watch(reconcile, watch.pull(), pod.get());
      case PullDecision.Drop drop -> drop(reconcile, drop.pull());
    }
  }

  /** Anything else may be due next, and nothing announces it. */
  private static void record(NodeReconcile reconcile, ImagePull pull) {
    reconcile.update(status -> status.withImagePull(pull));
    reconcile.take(Next.writeFirst("image-pull"));
  }

  private void watch(NodeReconcile reconcile, ImagePull pull, Pod pod) {
    Optional<Watched> of = watched.get(id(reconcile)).filter(it -> it.pull().equals(pull));
    Instant now = reconcile.snapshot().now();
    try {
      if (of.isEmpty()) {
        make(reconcile, pull, pod);
      } else if (now.isBefore(of.get().lookAt())) {
        reconcile.recheckAfter(Duration.between(now, of.get().lookAt()));
      } else {
        look(reconcile, pull);
      }
    } catch (RefusedException e) {
      end(reconcile, pull, it -> it.notPulled(e.getMessage(), now));
    }
  }

  /** A Job that is there already was made by a process that died. */
  private void make(NodeReconcile reconcile, ImagePull pull, Pod pod) {
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

  private void look(NodeReconcile reconcile, ImagePull pull) {
    String name = Names.pullJob(reconcile.node(), pull);
    List<Pod> pods =
        api.list(Pod.class, reconcile.namespace(), Labels.ofPull(reconcile.name(), name));
    Optional<Job> job = pods.isEmpty() ? read(reconcile, name) : of(pods.get(0));
    Instant now = reconcile.snapshot().now();
    Duration elapsed = elapsed(pull, now);
    UnaryOperator<UpgradeStatus> outcome;
    switch (PullReport.of(job, pods, elapsed)) {
      case PullReport.Pulling _ -> {
        Duration next = elapsed.compareTo(LONGEST) > 0 ? LONGEST : elapsed;
        lookLater(reconcile, pull, next.compareTo(FIRST_LOOK) < 0 ? FIRST_LOOK : next);
        return;
      }
      case PullReport.Pulled pulled ->
          outcome = it -> it.pulled(pulled.resolved(), pull.kubernetesNode(), now);
      case PullReport.Failed failed -> outcome = it -> it.notPulled(failed.why(), now);
      case PullReport.Gone _ -> outcome = it -> it;
    }
    job.ifPresent(it -> delete(reconcile, it));
    end(reconcile, pull, outcome);
  }

  private void drop(NodeReconcile reconcile, ImagePull pull) {
    try {
      read(reconcile, Names.pullJob(reconcile.node(), pull)).ifPresent(it -> delete(reconcile, it));
    } catch (RefusedException e) {
      log.warn("Cannot look for a Job of node {}: {}", reconcile.name(), e.getMessage());
    }
    end(reconcile, pull, it -> it);
  }

  private void end(NodeReconcile reconcile, ImagePull pull, UnaryOperator<UpgradeStatus> outcome) {
    watched.remove(id(reconcile));
    List<UpgradeStatus> upgrades =
        upgrades(reconcile)
            .map(it -> it.isAhead() && PullDecision.isOf(pull, it) ? outcome.apply(it) : it)
            .toList();
    reconcile.update(status -> status.with(it -> it.imagePull(null).upgrades(upgrades)));
    reconcile.take(Next.writeFirst("image-pull"));
  }

  private static Stream<UpgradeStatus> upgrades(NodeReconcile reconcile) {
    return reconcile
        .snapshot()
        .upgrades()
        .status(reconcile.node().getSpec(), reconcile.status())
        .stream();
  }

  private void lookLater(NodeReconcile reconcile, ImagePull pull, Duration delay) {
    watched.put(id(reconcile), new Watched(pull, reconcile.snapshot().now().plus(delay)));
    reconcile.recheckAfter(delay);
  }

  private Optional<Job> read(NodeReconcile reconcile, String name) {
    return api.get(Job.class, reconcile.namespace(), name)
        .filter(job -> Ownership.of(job, reconcile.node()) instanceof Ownership.Ours);
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

  private static Duration elapsed(ImagePull pull, Instant now) {
    return pull.startedAt() == null ? LONGEST : Duration.between(pull.startedAt(), now);
  }

  private static ResourceID id(NodeReconcile reconcile) {
    return ResourceID.fromResource(reconcile.node());
  }
}
