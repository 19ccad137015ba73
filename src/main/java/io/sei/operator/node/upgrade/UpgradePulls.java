package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.diagnosis.SeidInspection;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.reconcile.Next;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Pulls the images of the upgrades ahead, on the Kubernetes node of the node's pod. Outcomes are
 * recorded in {@code status.upgrades}; a pull in progress is known by its Job alone.
 */
record UpgradePulls(ImagePuller puller) {

  /**
   * Follows the pull that is in progress or due, and records its outcome.
   *
   * @param nextAt when the chain is expected to reach the next upgrade, if that is known
   * @throws KubernetesClientException for failures other than a refusal
   */
  void advance(NodePass pass, Optional<Instant> nextAt) {
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
        var inspection = pulled.inspection().orElse(new SeidInspection(null, null));
        record(pass, upgrade, outcome.inspected(inspection.version(), inspection.problem()));
      }
      case PullReport.Failed failed -> record(pass, upgrade, failed(pass, upgrade, failed.why()));
      case PullReport.Untried untried ->
          record(pass, upgrade, upgrade.notPulled(untried.why(), now));
    }
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
