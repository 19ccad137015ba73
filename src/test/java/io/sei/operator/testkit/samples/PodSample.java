package io.sei.operator.testkit.samples;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.time.Instant;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A pod as a cluster may show it; what no method set is absent. Immutable: each method returns a
 * changed copy.
 */
public final class PodSample {

  private final Pod pod;

  private PodSample(Pod pod) {
    this.pod = pod;
  }

  /** A pod of this name and nothing else. */
  public static PodSample aPod(String name) {
    return aPod(new Pod()).edit(pod -> pod.withNewMetadata().withName(name).endMetadata());
  }

  public static PodSample aPod(Pod pod) {
    return new PodSample(pod);
  }

  /**
   * The pod that the recorded StatefulSet of a node makes of its spec. Where the node is held, its
   * containers run; otherwise their statuses are left to the test.
   */
  public static PodSample aPod(NodeSample node) {
    SeiNode made = node.build();
    String name = made.getMetadata().getName();
    PodSample pod =
        aPod(name + "-0")
            .uid("pod-1")
            .annotation(Annotations.SPEC_HASH, node.specHash())
            .ownedBy("StatefulSet", name, NodeSample.STATEFUL_SET_UID)
            .container(Names.SEID, made.getSpec().image())
            .phase("Running");
    return made.getSpec().holding().isPresent()
        ? pod.held().status(Names.SEID, ContainerSample::running)
        : pod;
  }

  public PodSample namespace(String namespace) {
    return edit(pod -> pod.editOrNewMetadata().withNamespace(namespace).endMetadata());
  }

  public PodSample uid(String uid) {
    return edit(pod -> pod.editOrNewMetadata().withUid(uid).endMetadata());
  }

  public PodSample label(String key, String value) {
    return edit(pod -> pod.editOrNewMetadata().addToLabels(key, value).endMetadata());
  }

  public PodSample annotation(String key, String value) {
    return edit(pod -> pod.editOrNewMetadata().addToAnnotations(key, value).endMetadata());
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
    return edit(pod -> pod.editOrNewMetadata().withOwnerReferences(owner).endMetadata());
  }

  /** Its deletion was requested, with this deadline. */
  public PodSample terminating(Instant due) {
    return edit(pod -> pod.editOrNewMetadata().withDeletionTimestamp(due.toString()).endMetadata());
  }

  public PodSample unowned() {
    return edit(pod -> pod.editOrNewMetadata().withOwnerReferences().endMetadata());
  }

  /** Bound to a Kubernetes node. */
  public PodSample on(String kubernetesNode) {
    return edit(pod -> pod.editOrNewSpec().withNodeName(kubernetesNode).endSpec());
  }

  public PodSample container(String name, String image) {
    return edit(
        pod ->
            pod.editOrNewSpec()
                .addNewContainer()
                .withName(name)
                .withImage(image)
                .endContainer()
                .endSpec());
  }

  public PodSample initContainer(String name, String image) {
    return edit(
        pod ->
            pod.editOrNewSpec()
                .addNewInitContainer()
                .withName(name)
                .withImage(image)
                .endInitContainer()
                .endSpec());
  }

  /** Has a proxy with these arguments. */
  public PodSample proxy(String... arguments) {
    return edit(
        pod ->
            pod.editOrNewSpec()
                .addNewInitContainer()
                .withName(Names.PROXY)
                .withArgs(arguments)
                .endInitContainer()
                .endSpec());
  }

  /** Mounts a claim. */
  public PodSample claim(String claim) {
    return edit(
        pod ->
            pod.editOrNewSpec()
                .addNewVolume()
                .withName("data")
                .withNewPersistentVolumeClaim(claim, false)
                .endVolume()
                .endSpec());
  }

  /** Has the gate of a held node, in whose pod seid does not start. */
  public PodSample held() {
    return edit(pod -> pod.editOrNewSpec().addNewReadinessGate(Names.RELEASED_GATE).endSpec());
  }

  public PodSample phase(String phase) {
    return edit(pod -> pod.editOrNewStatus().withPhase(phase).endStatus());
  }

  public PodSample address(String address) {
    return edit(pod -> pod.editOrNewStatus().withPodIP(address).endStatus());
  }

  public PodSample ready() {
    return condition("Ready", "True");
  }

  /** The control plane set Ready to False, against the last report of the kubelet. */
  public PodSample overruled() {
    return condition("ContainersReady", "True").condition("Ready", "False");
  }

  public PodSample condition(String type, String status) {
    return condition(type, status, (Instant) null);
  }

  public PodSample condition(String type, String status, Instant since) {
    return condition(
        new PodConditionBuilder()
            .withType(type)
            .withStatus(status)
            .withLastTransitionTime(since == null ? null : since.toString())
            .build());
  }

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
        pod ->
            pod.editOrNewStatus()
                .removeMatchingFromConditions(old -> old.getType().equals(condition.getType()))
                .addToConditions(condition)
                .endStatus());
  }

  /** Sets the status of a container and no other. */
  public PodSample status(String container, Consumer<ContainerSample> state) {
    var sample = ContainerSample.named(container);
    state.accept(sample);
    return statuses(sample.build());
  }

  public PodSample statuses(ContainerStatus... statuses) {
    return edit(pod -> pod.editOrNewStatus().withContainerStatuses(statuses).endStatus());
  }

  public PodSample initStatuses(ContainerStatus... statuses) {
    return edit(pod -> pod.editOrNewStatus().withInitContainerStatuses(statuses).endStatus());
  }

  /** Another change, for what has no method here. */
  public PodSample edit(UnaryOperator<PodBuilder> change) {
    return new PodSample(change.apply(new PodBuilder(pod)).build());
  }

  public Pod build() {
    return new PodBuilder(pod).build();
  }
}
