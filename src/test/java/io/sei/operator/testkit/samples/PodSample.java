package io.sei.operator.testkit.samples;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.sei.operator.render.Names;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A pod as a cluster may show it: what is not asked for is absent. */
public final class PodSample {

  private PodBuilder pod;

  private PodSample(PodBuilder pod) {
    this.pod = pod;
  }

  /** One with this name and nothing else. */
  public static PodSample named(String name) {
    return of(new Pod()).edit(it -> it.withNewMetadata().withName(name).endMetadata());
  }

  /** A copy to change. */
  public static PodSample of(Pod pod) {
    return new PodSample(new PodBuilder(pod));
  }

  public PodSample namespace(String namespace) {
    return edit(it -> it.editOrNewMetadata().withNamespace(namespace).endMetadata());
  }

  public PodSample uid(String uid) {
    return edit(it -> it.editOrNewMetadata().withUid(uid).endMetadata());
  }

  public PodSample label(String key, String value) {
    return edit(it -> it.editOrNewMetadata().addToLabels(key, value).endMetadata());
  }

  public PodSample annotation(String key, String value) {
    return edit(it -> it.editOrNewMetadata().addToAnnotations(key, value).endMetadata());
  }

  /** Its only owner, and controller. */
  public PodSample ownedBy(String kind, String name, String uid) {
    var owner =
        new OwnerReferenceBuilder()
            .withKind(kind)
            .withName(name)
            .withUid(uid)
            .withController(true)
            .build();
    return edit(it -> it.editOrNewMetadata().withOwnerReferences(owner).endMetadata());
  }

  /** It was asked to be gone at this time. */
  public PodSample terminating(Instant due) {
    return edit(it -> it.editOrNewMetadata().withDeletionTimestamp(due.toString()).endMetadata());
  }

  public PodSample unowned() {
    return edit(it -> it.editOrNewMetadata().withOwnerReferences().endMetadata());
  }

  /** Bound to a Kubernetes node. */
  public PodSample on(String kubernetesNode) {
    return edit(it -> it.editOrNewSpec().withNodeName(kubernetesNode).endSpec());
  }

  public PodSample container(String name, String image) {
    return edit(
        it ->
            it.editOrNewSpec()
                .addNewContainer()
                .withName(name)
                .withImage(image)
                .endContainer()
                .endSpec());
  }

  public PodSample initContainer(String name, String image) {
    return edit(
        it ->
            it.editOrNewSpec()
                .addNewInitContainer()
                .withName(name)
                .withImage(image)
                .endInitContainer()
                .endSpec());
  }

  /** It has a proxy that was started with these arguments. */
  public PodSample proxy(String... arguments) {
    return edit(
        it ->
            it.editOrNewSpec()
                .addNewInitContainer()
                .withName(Names.PROXY)
                .withArgs(arguments)
                .endInitContainer()
                .endSpec());
  }

  /** It mounts a claim. */
  public PodSample claim(String claim) {
    return edit(
        it ->
            it.editOrNewSpec()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim(claim, false)
                .endVolume()
                .endSpec());
  }

  /** Its seid is kept from running. */
  public PodSample held() {
    return edit(it -> it.editOrNewSpec().addNewReadinessGate(Names.RELEASED_GATE).endSpec());
  }

  public PodSample phase(String phase) {
    return edit(it -> it.editOrNewStatus().withPhase(phase).endStatus());
  }

  public PodSample address(String address) {
    return edit(it -> it.editOrNewStatus().withPodIP(address).endStatus());
  }

  public PodSample ready() {
    return condition("Ready", "True");
  }

  /** The control plane calls it unready, against the last words of its kubelet. */
  public PodSample overruled() {
    return condition("ContainersReady", "True").condition("Ready", "False");
  }

  public PodSample condition(String type, String status) {
    return condition(type, status, (Instant) null);
  }

  /** The same, since some time. */
  public PodSample condition(String type, String status, Instant since) {
    return condition(
        new PodConditionBuilder()
            .withType(type)
            .withStatus(status)
            .withLastTransitionTime(since == null ? null : since.toString())
            .build());
  }

  /** The same, for a reason. */
  public PodSample condition(String type, String status, String reason, String message) {
    return condition(
        new PodConditionBuilder()
            .withType(type)
            .withStatus(status)
            .withReason(reason)
            .withMessage(message)
            .build());
  }

  private PodSample condition(PodCondition condition) {
    return edit(
        it ->
            it.editOrNewStatus()
                .removeMatchingFromConditions(old -> old.getType().equals(condition.getType()))
                .addToConditions(condition)
                .endStatus());
  }

  /** The status of a container that is all there is. */
  public PodSample status(String container, Consumer<ContainerSample> state) {
    var sample = ContainerSample.named(container);
    state.accept(sample);
    return statuses(sample.build());
  }

  public PodSample statuses(ContainerStatus... statuses) {
    return edit(it -> it.editOrNewStatus().withContainerStatuses(statuses).endStatus());
  }

  public PodSample initStatuses(ContainerStatus... statuses) {
    return edit(it -> it.editOrNewStatus().withInitContainerStatuses(statuses).endStatus());
  }

  /** Whatever there is no word for. */
  public PodSample edit(UnaryOperator<PodBuilder> change) {
    pod = change.apply(pod);
    return this;
  }

  public Pod build() {
    return pod.build();
  }
}
