package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration.State;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.diagnosis.SeidInspection;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Names;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PulledImage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Pulls the images of the upgrades ahead, on the Kubernetes node of the node's pod. Outcomes are
 * recorded in {@code status.upgrades}; a pull in progress is known by its Job alone. Once an image
 * is there, the node's files are compared with what it needs.
 *
 * @param running reports the version that a node runs; empty if that is not known
 * @param volumes reads the volume of a node's data; empty if it could not be read
 */
record UpgradePulls(
    ImagePuller puller,
    Supplier<Releases> releases,
    Function<NodePass, Optional<SeidVersion>> running,
    Function<SeiNode, Optional<VolumeFacts>> volumes) {

  private static final String ONE_POD = "ReadWriteOncePod";

  /** A task that has waited for longer may wait for days, such as for data that is at risk. */
  private static final Duration MOVES_SOON = Duration.ofMinutes(10);

  /**
   * Follows the pull that is in progress or due, and records its outcome. Not while the node is
   * paused, nor while a plan may move the pod or pulls an image itself.
   *
   * @param nextAt when the chain is expected to reach the next upgrade, if that is known
   * @throws KubernetesClientException for failures other than a refusal
   */
  void advance(NodePass pass, Optional<Instant> nextAt) {
    if (pass.view().isPaused() || isMovingPod(pass)) {
      return;
    }
    List<UpgradeStatus> ahead = upgrades(pass).filter(UpgradeStatus::isAhead).toList();
    if (ahead.isEmpty()) {
      puller.end(pass);
      return;
    }
    Optional<Pod> pod = pass.view().livePod();
    Optional<String> kubernetesNode = pod.flatMap(PodFacts::nodeName);
    if (kubernetesNode.isEmpty()) {
      return;
    }
    Instant now = pass.now();
    Optional<UpgradeStatus> inProgress = inProgress(pass, ahead, kubernetesNode.get());
    PullSchedule schedule = PullSchedule.of(ahead, kubernetesNode.get(), now, nextAt);
    if (inProgress.isEmpty() && schedule.due().isEmpty()) {
      if (isComparing(pass, ahead, pod.get(), kubernetesNode.get())) {
        return;
      }
      puller.end(pass);
      schedule.rest().ifPresent(pass::recheckAfter);
      return;
    }
    UpgradeStatus upgrade = inProgress.orElseGet(() -> schedule.due().get());
    var job = PullSchedule.job(upgrade, kubernetesNode.get());
    switch (puller.follow(pass, job, pod.get())) {
      case PullReport.Pulling _, PullReport.Inspecting _ -> {}
      case PullReport.Pulled pulled -> {
        String imageId = pulled.imageIds().getFirst();
        UpgradeStatus outcome = ChainEntries.pulled(upgrade, kubernetesNode.get(), imageId, now);
        var inspection =
            pulled
                .inspection()
                .filter(found -> found.problem() == null || !hasAnswered(upgrade, imageId))
                .orElse(new SeidInspection(upgrade.seidVersion(), null));
        record(pass, upgrade, outcome.inspected(inspection.version(), inspection.problem()));
      }
      case PullReport.Failed failed -> record(pass, upgrade, failed(pass, upgrade, failed.why()));
      case PullReport.Untried untried ->
          record(pass, upgrade, upgrade.notPulled(untried.why(), now));
      case PullReport.LookedInto _ -> {}
    }
  }

  /**
   * Has a Job compare the node's files with what the next image needs, once that is where the node
   * runs.
   *
   * @return whether the Job goes on, or its outcome is to be written
   */
  private boolean isComparing(
      NodePass pass, List<UpgradeStatus> ahead, Pod pod, String kubernetesNode) {
    Instant now = pass.now();
    // A restart of seid in its pod may be over before a pass has seen the pod not Ready.
    Instant readySince = PodFacts.readySince(pod).orElse(Instant.EPOCH);
    Optional<SeidVersion> version =
        running.apply(pass).or(() -> PodFacts.image(pod, Names.SEID).flatMap(SeidVersion::ofImage));
    for (UpgradeStatus upgrade : ahead) {
      var gate = ConfigurationGate.of(upgrade, version, releases.get());
      if (gate.settings().isEmpty() && upgrade.configuration() != null) {
        record(pass, upgrade, upgrade.withConfiguration(null));
        return true;
      }
      Optional<Duration> due = gate.due(now, readySince);
      if (due.isEmpty() || !kubernetesNode.equals(upgrade.pulledOn())) {
        continue;
      }
      if (due.get().isPositive()) {
        pass.recheckAfter(due.get());
        continue;
      }
      Optional<String> obstacle = obstacle(pass, pod);
      if (obstacle.isPresent()) {
        unchecked(pass, upgrade, obstacle.get());
        return true;
      }
      String slot = "files for %s after %s".formatted(upgrade.name(), checkedAt(upgrade));
      String image = PodFacts.image(pod, Names.SEID).orElseThrow();
      var job =
          new PullJob(
              slot,
              kubernetesNode,
              List.of(PulledImage.ofContainer(Names.SEID, image)),
              gate.files());
      switch (puller.follow(pass, job, pod)) {
        case PullReport.LookedInto looked ->
            record(pass, upgrade, upgrade.withConfiguration(gate.judge(looked.answers(), now)));
        case PullReport.Failed failed -> unchecked(pass, upgrade, failed.why());
        case PullReport.Untried untried -> unchecked(pass, upgrade, untried.why());
        default -> {}
      }
      return true;
    }
    return false;
  }

  private static boolean isMovingPod(NodePass pass) {
    TaskPlan plan = pass.stored().plan();
    return plan != null
        && plan.isActive()
        && plan.currentTask()
            .filter(task -> task.startedAt() != null)
            .filter(task -> task.startedAt().plus(MOVES_SOON).isBefore(pass.now()))
            .filter(task -> !task.waitsFor(TaskReason.IMAGE_PULLING))
            .filter(task -> !task.waitsFor(StallReason.IMAGE_PULL))
            .isEmpty();
  }

  private static Instant checkedAt(UpgradeStatus upgrade) {
    return upgrade.configuration() == null
        ? upgrade.pulledAt()
        : upgrade.configuration().checkedAt();
  }

  /** Returns why no Job looks into the files of the node. */
  private Optional<String> obstacle(NodePass pass, Pod pod) {
    if (!PodFacts.isReady(pod)) {
      return Optional.of("the node is not Ready on its volume");
    }
    Optional<PersistentVolumeClaim> claim = pass.view().claim();
    if (claim.isEmpty()) {
      return Optional.of("the claim of its volume is imported, and not known");
    }
    if (claim.get().getSpec().getAccessModes().contains(ONE_POD)) {
      return Optional.of("its claim is ReadWriteOncePod, so that no other pod mounts the volume");
    }
    // The kubelet would make a directory of a missing file on it.
    Optional<VolumeFacts> volume = volumes.apply(pass.node());
    if (volume.isEmpty()) {
      return Optional.of(
          "PersistentVolume %s cannot be read, and one of type hostPath is writable in every pod; grant the verb get on persistentvolumes"
              .formatted(claim.get().getSpec().getVolumeName()));
    }
    return volume.get().isHostPath()
        ? Optional.of(
            "PersistentVolume %s is of type hostPath, which is writable in every pod; compare the files by hand"
                .formatted(volume.get().name()))
        : Optional.empty();
  }

  private static void unchecked(NodePass pass, UpgradeStatus upgrade, String why) {
    var unchecked = new UpgradeConfiguration(State.UNCHECKED, why, pass.now());
    record(pass, upgrade, upgrade.withConfiguration(unchecked));
  }

  /** An image that said what it is once does not say it in time on a busy machine. */
  private static boolean hasAnswered(UpgradeStatus upgrade, String imageId) {
    return imageId.equals(upgrade.imageID()) && upgrade.seidVersion() != null;
  }

  /** The upgrade whose pull is followed until it has an outcome, whatever else becomes due. */
  private Optional<UpgradeStatus> inProgress(
      NodePass pass, List<UpgradeStatus> ahead, String kubernetesNode) {
    return ahead.stream()
        .filter(upgrade -> puller.isFollowing(pass, PullSchedule.job(upgrade, kubernetesNode)))
        .findFirst();
  }

  /**
   * Returns an upgrade after a failed pull. An upgrade that the operator listed itself gets the
   * image of the next template, unless a digest was pulled before: the repository that had it is
   * the one that has it.
   */
  private static UpgradeStatus failed(NodePass pass, UpgradeStatus upgrade, String why) {
    if (!ChainEntries.isOfChain(upgrade) || ChainEntries.digest(upgrade).isPresent()) {
      return upgrade.notPulled(why, pass.now());
    }
    var templates = ImageTemplates.of(pass.node().getSpec());
    Optional<String> next = templates.after(upgrade);
    if (next.isPresent()) {
      return upgrade.withImage(next.get());
    }
    String all =
        "tried %s; the last answer: %s"
            .formatted(String.join(", ", templates.images(upgrade.name())), why);
    return upgrade.withImage(templates.first(upgrade)).notPulled(all, pass.now());
  }

  private static void record(NodePass pass, UpgradeStatus before, UpgradeStatus outcome) {
    List<UpgradeStatus> upgrades =
        upgrades(pass).map(upgrade -> upgrade.equals(before) ? outcome : upgrade).toList();
    pass.update(status -> status.withUpgrades(upgrades));
    pass.take(Next.writeFirst("image-pull"));
  }

  private static Stream<UpgradeStatus> upgrades(NodePass pass) {
    return ChainEntries.status(pass.view(), pass.view().upgrades(), pass.stored()).stream();
  }
}
