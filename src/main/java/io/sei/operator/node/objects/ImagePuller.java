package io.sei.operator.node.objects;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.diagnosis.SeidInspection;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullJobRenderer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pulls images on the Kubernetes node of a node's pod before the pod needs them, with one Job per
 * node at a time. The name of a Job is a short digest of the try: a restarted process creates it
 * again, compares the Job that is there, and follows it. Neither Jobs nor their pods are watched; a
 * pull in progress is polled.
 */
public final class ImagePuller {

  private static final Logger log = LoggerFactory.getLogger(ImagePuller.class);

  /**
   * Delay of the first poll; each further one doubles the time since the start, by a minute at
   * most.
   */
  private static final Duration FIRST_POLL = Duration.ofSeconds(2);

  private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

  /** Polls for an image that is there to say what it is: after 2, 8 and 32 seconds and a minute. */
  private static final int INSPECTION_POLLS = 4;

  /**
   * The pull of a node that this process follows.
   *
   * @param job null if none was created, or the one of this name is foreign
   * @param since when this process began to follow it
   * @param inspectionPolls how often the image was there and had not said what it is
   * @param report {@link PullReport.Pulling} until there is an outcome
   */
  private record Followed(
      PullJob pull,
      Job job,
      Instant since,
      int inspectionPolls,
      Instant pollAt,
      PullReport report) {}

  private final KubeApi api;
  private final InstantSource steady;
  private final PullJobRenderer renderer = new PullJobRenderer();
  private final PerObjectMap<ResourceID, Followed> followed;

  /**
   * @param steady for ages; never set back or forth
   */
  public ImagePuller(KubeApi api, PerObjectState<ResourceID> memory, InstantSource steady) {
    this.api = api;
    this.steady = steady;
    this.followed = memory.newMap();
  }

  /**
   * Reports on a pull. Creates its Job, which takes the place of the node's last one, and requests
   * another reconcile while the pull is in progress. An outcome is repeated until {@link #end}.
   *
   * @param pod of the node, whose pull secrets and ServiceAccount the Job has
   * @throws KubernetesClientException for failures other than a refusal
   */
  public PullReport follow(NodePass pass, PullJob pull, Pod pod) {
    Optional<Followed> known = followed.get(id(pass));
    if (known.isPresent() && !known.get().pull().equals(pull)) {
      end(pass);
      known = Optional.empty();
    }
    try {
      return known.isPresent()
          ? poll(pass, known.get(), pod)
          : begin(pass, pull, pod, steady.instant());
    } catch (RefusedException e) {
      Job job = known.map(Followed::job).orElse(null);
      return ended(pass, pull, job, new PullReport.Untried(e.getMessage()));
    }
  }

  /** Returns whether this process follows the pull, or has its outcome. */
  public boolean isFollowing(NodePass pass, PullJob pull) {
    return followed.get(id(pass)).filter(known -> known.pull().equals(pull)).isPresent();
  }

  /** Deletes the Job of the node's last pull: its outcome is written, or not needed any more. */
  public void end(NodePass pass) {
    Optional<Job> job = followed.get(id(pass)).map(Followed::job);
    if (job.isPresent()) {
      delete(pass, job.get());
    }
    followed.remove(id(pass));
  }

  private PullReport begin(NodePass pass, PullJob pull, Pod pod, Instant since) {
    Optional<Pod> live = api.get(Pod.class, pass.namespace(), pod.getMetadata().getName());
    if (live.isEmpty() || !live.get().getMetadata().getUid().equals(pod.getMetadata().getUid())) {
      pass.recheckAfter(FIRST_POLL);
      return new PullReport.Pulling();
    }
    Job job = created(pass, renderer.render(pass.node(), pull, live.get()));
    if (!Ownership.isOurs(job, pass.node())) {
      String why =
          "Job %s belongs to another owner; delete it".formatted(job.getMetadata().getName());
      return ended(pass, pull, null, new PullReport.Untried(why));
    }
    return pollLater(pass, pull, job, since);
  }

  /**
   * Creates a Job, or returns the one of this name. Where that has just been deleted, the Job is
   * returned as rendered, without a uid, and the next poll misses it.
   */
  private Job created(NodePass pass, Job job) {
    try {
      return api.create(job);
    } catch (KubernetesClientException e) {
      if (!isConflict(e)) {
        throw e;
      }
    }
    Optional<Job> found =
        api.get(Job.class, job.getMetadata().getNamespace(), job.getMetadata().getName());
    // A Job that is gone is missed at the first poll, and created again.
    if (found.isEmpty()) {
      return job;
    }
    if (Ownership.isOurs(found.get(), pass.node()) && !isOfSamePull(found.get(), job)) {
      delete(pass, found.get());
      return job;
    }
    return found.get();
  }

  /** A name has few digits, so another pull may have the same. */
  private static boolean isOfSamePull(Job found, Job wanted) {
    PodSpec of = found.getSpec().getTemplate().getSpec();
    PodSpec like = wanted.getSpec().getTemplate().getSpec();
    return Objects.equals(of.getNodeName(), like.getNodeName()) && images(of).equals(images(like));
  }

  private static List<String> images(PodSpec pod) {
    return pod.getContainers().stream().map(Container::getImage).toList();
  }

  private PullReport poll(NodePass pass, Followed known, Pod pod) {
    if (!(known.report() instanceof PullReport.Pulling)) {
      return known.report();
    }
    Instant now = steady.instant();
    if (now.isBefore(known.pollAt())) {
      pass.recheckAfter(Duration.between(now, known.pollAt()));
      return known.report();
    }
    String name = Names.pullJob(pass.node(), known.pull());
    List<Pod> pods = api.list(Pod.class, pass.namespace(), Labels.ofPull(pass.name()));
    deleteOthers(pass, name, pods);
    // The garbage collector may be late with the pods of a Job of the same name.
    String uid = known.job().getMetadata().getUid();
    Optional<Pod> own =
        pods.stream()
            .filter(
                each ->
                    Ownership.controller(each)
                        .filter(owner -> owner.getUid().equals(uid))
                        .isPresent())
            .findFirst();
    if (own.isPresent()) {
      return reported(pass, known, known.job(), PullReport.of(known.pull(), own.get()));
    }
    Optional<Job> job = api.get(Job.class, pass.namespace(), name);
    if (job.isEmpty() || !job.get().getMetadata().getUid().equals(uid)) {
      return begin(pass, known.pull(), pod, known.since());
    }
    Duration elapsed = Duration.between(known.since(), now);
    return reported(pass, known, job.get(), PullReport.of(known.pull(), job.get(), elapsed));
  }

  private PullReport reported(NodePass pass, Followed known, Job job, PullReport report) {
    return switch (report) {
      case PullReport.Pulling _ -> pollLater(pass, known.pull(), job, known.since());
      case PullReport.Inspecting inspecting -> inspecting(pass, known, job, inspecting);
      default -> ended(pass, known.pull(), job, report);
    };
  }

  /** Polls again, or gives the inspection up: the image is there all the same. */
  private PullReport inspecting(
      NodePass pass, Followed known, Job job, PullReport.Inspecting inspecting) {
    int polls = known.inspectionPolls();
    if (polls == INSPECTION_POLLS) {
      if (known.pull().isGate()) {
        var untried = new PullReport.Untried("the Job that looks into the files does not end");
        return ended(pass, known.pull(), job, untried);
      }
      var hangs = Optional.of(SeidInspection.HANGS);
      return ended(pass, known.pull(), job, new PullReport.Pulled(inspecting.imageIds(), hangs));
    }
    Duration delay = limited(FIRST_POLL.multipliedBy(1L << (2 * polls)));
    return pollLater(pass, known.pull(), job, known.since(), polls + 1, delay);
  }

  private PullReport pollLater(NodePass pass, PullJob pull, Job job, Instant since) {
    Duration delay = limited(Duration.between(since, steady.instant()));
    return pollLater(pass, pull, job, since, 0, delay);
  }

  private static Duration limited(Duration delay) {
    if (delay.compareTo(FIRST_POLL) < 0) {
      return FIRST_POLL;
    }
    return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
  }

  private PullReport pollLater(
      NodePass pass, PullJob pull, Job job, Instant since, int inspectionPolls, Duration delay) {
    pass.recheckAfter(delay);
    var pulling = new PullReport.Pulling();
    Instant pollAt = steady.instant().plus(delay);
    followed.put(id(pass), new Followed(pull, job, since, inspectionPolls, pollAt, pulling));
    return pulling;
  }

  private PullReport ended(NodePass pass, PullJob pull, Job job, PullReport report) {
    if (report instanceof PullReport.Untried untried) {
      log.warn("Images of node {} are not pulled ahead: {}", pass.name(), untried.why());
    }
    Instant now = steady.instant();
    followed.put(id(pass), new Followed(pull, job, now, 0, now, report));
    return report;
  }

  /** Deletes the Jobs of processes that died, of which no other is known. */
  private void deleteOthers(NodePass pass, String name, List<Pod> pods) {
    for (Pod pod : pods) {
      String job = job(pod);
      if (job.startsWith(Names.pullJobs(pass.node()))
          && !job.equals(name)
          && !PodFacts.isTerminating(pod)) {
        String uid = Ownership.controller(pod).map(OwnerReference::getUid).orElseThrow();
        delete(
            pass,
            new JobBuilder()
                .withNewMetadata()
                .withName(job)
                .withNamespace(pass.namespace())
                .withUid(uid)
                .endMetadata()
                .build());
      }
    }
  }

  /** Name of the Job of a pod; empty if it has none. */
  private static String job(Pod pod) {
    return Ownership.controller(pod)
        .filter(owner -> owner.getKind().equals("Job"))
        .map(OwnerReference::getName)
        .orElse("");
  }

  /** A Job that the operator may not delete is deleted by its TTL. */
  private void delete(NodePass pass, Job job) {
    try {
      api.delete(job, Propagation.BACKGROUND, false);
    } catch (RefusedException e) {
      log.warn("Cannot delete a Job of node {}: {}", pass.name(), e.getMessage());
    }
  }

  private static ResourceID id(NodePass pass) {
    return ResourceID.fromResource(pass.node());
  }
}
