package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.ImagePull;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.resources.PullJobs;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.PullJob;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Pulls the images of the upgrades ahead, each by a Job on the Kubernetes node of the node's pod. A
 * pull is on record in the status before its Job is made and until it is deleted, so that whoever
 * comes next finds it.
 */
final class ImagePulls {

  private final PullJobs jobs;

  ImagePulls(PullJobs jobs) {
    this.jobs = jobs;
  }

  /**
   * Does what is due. What the API server refuses is recorded as the reason why the image is not
   * there.
   *
   * @param nextAt when the chain is expected to reach the next upgrade, if that is known
   * @throws KubernetesClientException for failures other than a refusal
   */
  void advance(NodePass pass, Optional<Instant> nextAt) {
    ImagePull inProgress = pass.stored().imagePull();
    List<UpgradeStatus> listed =
        upgrades(pass)
            .filter(UpgradeStatus::isAhead)
            .map(it -> tried(pass, it, inProgress))
            .toList();
    Optional<Pod> pod = pass.view().livePod();
    Optional<String> kubernetesNode = pod.flatMap(PodFacts::nodeName);
    if (kubernetesNode.isEmpty() || (inProgress == null && listed.isEmpty())) {
      return;
    }
    Instant now = pass.view().now();
    switch (PullDecision.of(listed, inProgress, kubernetesNode.get(), now, nextAt)) {
      case PullDecision.Rest rest -> rest.until().ifPresent(pass::recheckAfter);
      case PullDecision.Begin begin -> record(pass, begin.pull());
      case PullDecision.Watch watch -> watch(pass, watch.pull(), pod.get());
      case PullDecision.Drop drop -> drop(pass, drop.pull());
    }
  }

  /** Anything else may be due next, and nothing announces it. */
  private static void record(NodePass pass, ImagePull pull) {
    pass.update(status -> status.withImagePull(pull));
    pass.take(Next.writeFirst("image-pull"));
  }

  private void watch(NodePass pass, ImagePull pull, Pod pod) {
    Instant now = pass.view().now();
    try {
      switch (jobs.follow(pass, PullJob.of(pull), pod)) {
        case PullReport.Pulling _ -> {}
        case PullReport.Pulled pulled ->
            end(pass, pull, it -> ChainEntries.pulled(it, pull, pulled.resolved(), now));
        case PullReport.Failed failed -> failed(pass, pull, failed.why());
        case PullReport.Untried untried -> end(pass, pull, it -> it.notPulled(untried.why(), now));
        case PullReport.Gone _ -> end(pass, pull, it -> it);
      }
    } catch (RefusedException e) {
      end(pass, pull, it -> it.notPulled(e.getMessage(), now));
    }
  }

  /** Of an upgrade that the operator listed itself, the next template is tried at once. */
  private static void failed(NodePass pass, ImagePull pull, String why) {
    Instant now = pass.view().now();
    var templates = ImageTemplates.of(pass.node().getSpec());
    boolean isOfChain =
        upgrades(pass)
            .anyMatch(it -> ChainEntries.isOfChain(it) && it.name().equals(pull.upgrade()));
    Optional<String> next =
        templates.after(pull.upgrade(), pull.image()).filter(image -> isOfChain);
    if (next.isPresent()) {
      record(pass, new ImagePull(pull.upgrade(), next.get(), pull.kubernetesNode(), now));
    } else {
      end(
          pass,
          pull,
          it ->
              it.notPulled(
                  it.image().equals(pull.image())
                      ? why
                      : "nor can %s, the last of the templates: %s".formatted(pull.image(), why),
                  now));
    }
  }

  /** An upgrade with the image of it that is being pulled, which may be one of several. */
  private static UpgradeStatus tried(NodePass pass, UpgradeStatus upgrade, ImagePull pull) {
    return pull != null
            && ChainEntries.isOfChain(upgrade)
            && upgrade.name().equals(pull.upgrade())
            && ImageTemplates.of(pass.node().getSpec()).isOneOf(upgrade, pull.image())
        ? upgrade.withImage(pull.image())
        : upgrade;
  }

  private void drop(NodePass pass, ImagePull pull) {
    jobs.drop(pass, PullJob.of(pull));
    end(pass, pull, it -> it);
  }

  private static void end(NodePass pass, ImagePull pull, UnaryOperator<UpgradeStatus> outcome) {
    List<UpgradeStatus> upgrades =
        upgrades(pass)
            .map(
                it ->
                    it.isAhead() && PullDecision.isOf(pull, tried(pass, it, pull))
                        ? outcome.apply(it)
                        : it)
            .toList();
    pass.update(status -> status.with(it -> it.imagePull(null).upgrades(upgrades)));
    pass.take(Next.writeFirst("image-pull"));
  }

  private static Stream<UpgradeStatus> upgrades(NodePass pass) {
    return ChainEntries.status(pass.view(), pass.view().upgrades(), pass.stored()).stream();
  }
}
