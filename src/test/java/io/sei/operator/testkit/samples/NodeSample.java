package io.sei.operator.testkit.samples;

import static io.sei.operator.testkit.samples.PodSample.aPod;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.Maintenance.Hold;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.chain.ChainState;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.NodeViewBuilder;
import io.sei.operator.node.feature.PeerResolution;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.render.Labels;
import io.sei.operator.render.SpecHash;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A node and what belongs to it, as one pass may find it. Immutable: each method returns a changed
 * copy, and they tell in their order what happened. {@code aNode("a").running().withPod()} is up to
 * date; {@code .image("b")} after it is a user's edit that no pod has yet.
 */
public final class NodeSample {

  public static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  public static final Instant LONG_AGO = NOW.minusSeconds(3600);

  /** The uid of the StatefulSet that a running node has recorded. */
  public static final String STATEFUL_SET_UID = "statefulset-1";

  public static final String SIDECAR_IMAGE = "sidecar:1";

  private final SeiNode node;
  private final SeiNodeStatus status;
  private final Optional<Pod> pod;
  private final UnaryOperator<NodeView> rest;

  private NodeSample(
      SeiNode node, SeiNodeStatus status, Optional<Pod> pod, UnaryOperator<NodeView> rest) {
    this.node = node;
    this.status = status;
    this.pod = pod;
    this.rest = rest;
  }

  /** A full node of generation 7 that nothing was done for yet. */
  public static NodeSample aNode(String image) {
    SeiNode node = Samples.node("default", "node", Samples.fullNode(image));
    node.getMetadata().setGeneration(7L);
    return aNode(node);
  }

  public static NodeSample aNode(SeiNode node) {
    return new NodeSample(node, node.getStatus(), Optional.empty(), UnaryOperator.identity());
  }

  public NodeSample named(String namespace, String name) {
    return metadata(metadata -> metadata.withNamespace(namespace).withName(name));
  }

  public NodeSample generation(long generation) {
    return metadata(metadata -> metadata.withGeneration(generation));
  }

  public NodeSample annotation(String key, String value) {
    return metadata(metadata -> metadata.addToAnnotations(key, value));
  }

  public NodeSample label(String key, String value) {
    return metadata(metadata -> metadata.addToLabels(key, value));
  }

  /** The node is a child of this fleet. */
  public NodeSample ofFleet(String fleet) {
    return label(Labels.NODE_DEPLOYMENT, fleet);
  }

  public NodeSample metadata(UnaryOperator<ObjectMetaBuilder> change) {
    SeiNode changed = copy();
    changed.setMetadata(change.apply(new ObjectMetaBuilder(node.getMetadata())).build());
    return with(changed);
  }

  public NodeSample spec(UnaryOperator<SeiNodeSpec> change) {
    SeiNode changed = copy();
    changed.setSpec(change.apply(node.getSpec()));
    return with(changed);
  }

  public NodeSample spec(SeiNodeSpec spec) {
    return spec(old -> spec);
  }

  public NodeSample image(String image) {
    return spec(spec -> spec.withImage(image));
  }

  public NodeSample validator(Validator keys) {
    return spec(spec -> spec.withFullNode(null).withValidator(keys));
  }

  /** The user holds the node; it is not Ready any more if it was. */
  public NodeSample held() {
    return spec(spec -> spec.withMaintenance(new Maintenance(Hold.IMMEDIATE)))
        .unreadyIfReported("Held");
  }

  /** The user ended the hold. */
  public NodeSample released() {
    return spec(spec -> spec.withMaintenance(null));
  }

  /** The user paused the node, and its pod is gone. */
  public NodeSample paused() {
    return spec(spec -> spec.withPaused(true)).withoutPod().unreadyIfReported("Paused");
  }

  private NodeSample unreadyIfReported(String reason) {
    boolean isReported =
        Conditions.find(status().conditions(), NodeConditionType.READY).isPresent();
    return isReported ? unready(reason) : this;
  }

  /** The user deleted the node. */
  public NodeSample terminating() {
    return metadata(metadata -> metadata.withDeletionTimestamp(LONG_AGO.toString()));
  }

  /** The node was started as its spec says, and has nothing to do. */
  public NodeSample running() {
    return status(
        (status == null ? SeiNodeStatus.empty() : status)
            .with(
                draft ->
                    draft
                        .phase(NodePhase.RUNNING)
                        .currentImage(node.getSpec().image())
                        .podSpecHash(SpecHash.of(node))
                        .statefulSet(
                            new StatefulSetRef(node.getMetadata().getName(), STATEFUL_SET_UID))));
  }

  public NodeSample status(SeiNodeStatus newStatus) {
    return new NodeSample(node, newStatus, pod, rest);
  }

  public NodeSample status(UnaryOperator<SeiNodeStatus> change) {
    return status(change.apply(status()));
  }

  public NodeSample condition(NodeConditionType type, boolean value, String reason, Instant since) {
    return status(old -> RecordedConditions.with(old, type, value, reason, since));
  }

  /** Reports that the node is Ready and up to date, and nothing else. */
  public NodeSample ready() {
    return reports(
        evidence(NodeConditionType.READY, true, "PodReady"),
        evidence(NodeConditionType.UP_TO_DATE, true, "UpToDate"));
  }

  /** Reports that the node is up to date, and why it is not Ready. */
  public NodeSample unready(String reason) {
    return reports(
        evidence(NodeConditionType.READY, false, reason),
        evidence(NodeConditionType.UP_TO_DATE, true, "UpToDate"));
  }

  public NodeSample stalled(String reason) {
    return unready("PodNotReady").reportsToo(NodeConditionType.STALLED, true, reason);
  }

  public NodeSample failed() {
    return unready("PodNotReady").status(old -> old.withPhase(NodePhase.FAILED));
  }

  /** The node has not been Ready since it was created. */
  public NodeSample neverReady() {
    return unready("PodNotReady").status(old -> old.withSyncedAt(null));
  }

  /** Reports what it did, but not that the node is up to date. */
  public NodeSample outdated() {
    String upToDate = NodeConditionType.UP_TO_DATE.toString();
    return status(
        old ->
            old.withConditions(
                old.conditions().stream()
                    .filter(condition -> !condition.type().equals(upToDate))
                    .toList()));
  }

  /** Has this configuration in its spec. */
  public NodeSample overrides(Map<String, String> overrides) {
    return spec(spec -> spec.withOverrides(overrides));
  }

  public NodeSample upgrades(Upgrade... listed) {
    return spec(spec -> spec.withUpgrades(List.of(listed)));
  }

  public NodeSample restartPending() {
    return ready().reportsToo(NodeConditionType.RESTART_PENDING, true, "TemplateChanged");
  }

  /** Reports whether seid has caught up, while its pod is Ready or its machine is lost. */
  public NodeSample caughtUp(boolean ready, boolean caughtUp) {
    return (ready ? ready() : unready("NodeLost"))
        .reportsToo(NodeConditionType.CAUGHT_UP, caughtUp, caughtUp ? "CaughtUp" : "CatchingUp");
  }

  /** The pod is still of the spec with another image. */
  public NodeSample stillRuns(String image) {
    String hash = image(image).specHash();
    return status(old -> old.with(draft -> draft.podSpecHash(hash).currentImage(image)));
  }

  private NodeSample reports(Condition... conditions) {
    return status(old -> old.withConditions(List.of(conditions)));
  }

  private Condition evidence(NodeConditionType type, boolean value, String reason) {
    return new Condition(
        type.toString(),
        ConditionStatus.of(value),
        node.getMetadata().getGeneration(),
        LONG_AGO,
        reason,
        "the evidence");
  }

  private NodeSample reportsToo(NodeConditionType type, boolean value, String reason) {
    Condition condition = evidence(type, value, reason);
    return status(
        old ->
            old.withConditions(
                Stream.concat(old.conditions().stream(), Stream.of(condition)).toList()));
  }

  /**
   * Applies methods that words name, from the last to the first, as in {@code "paused outdated"}.
   *
   * @param own words of a test beside them
   */
  NodeSample words(String words, Map<String, UnaryOperator<NodeSample>> own) {
    NodeSample changed = this;
    for (String word : List.of(words.split(" ")).reversed()) {
      changed = own.containsKey(word) ? own.get(word).apply(changed) : changed.word(word);
    }
    return changed;
  }

  private NodeSample word(String word) {
    String[] parts = word.split(":");
    return switch (parts[0]) {
      case "ready" -> this;
      case "unready" -> unready(parts.length == 1 ? "PodNotReady" : parts[1]);
      case "stalled" -> stalled(parts[1]);
      case "outdated" -> outdated();
      case "neverReady" -> neverReady();
      case "paused" -> paused();
      case "held" -> held();
      case "terminating" -> terminating();
      default -> throw new IllegalArgumentException(word);
    };
  }

  public NodeSample plan(TaskPlan plan) {
    return status(old -> old.withPlan(plan));
  }

  /** The pod that the StatefulSet makes of the spec; its containers run. */
  public NodeSample withPod() {
    return withPod(aPod(this));
  }

  public NodeSample withReadyPod() {
    return withPod(aPod(this).ready());
  }

  public NodeSample withPod(PodSample newPod) {
    return withPod(newPod.build());
  }

  public NodeSample withPod(Pod newPod) {
    return pod(Optional.of(newPod));
  }

  public NodeSample withoutPod() {
    return pod(Optional.empty());
  }

  public NodeSample pod(Optional<Pod> newPod) {
    return new NodeSample(node, status, newPod, rest);
  }

  /** The last answer of the pod's sidecar; null if none came. */
  public NodeSample sidecar(SidecarHealth health) {
    return with(view -> view.withSidecar(Optional.ofNullable(health)));
  }

  public NodeSample peers(PeerResolution peers) {
    return with(view -> view.withPeers(peers));
  }

  public NodeSample claim(ClaimSample claim) {
    return claim(claim.build());
  }

  public NodeSample claim(PersistentVolumeClaim claim) {
    return with(view -> view.withClaim(Optional.ofNullable(claim)));
  }

  public NodeSample chain(ChainState chain) {
    return with(view -> view.withChain(Optional.of(chain)));
  }

  /** The claim with the data of the node is being deleted. */
  public NodeSample atRisk() {
    var risk =
        new VolumeRisk(
            NodeReason.CLAIM_TERMINATING,
            "data-node",
            "claim-1",
            Optional.empty(),
            Optional.empty(),
            false);
    return with(view -> view.withRisk(Optional.of(risk)))
        .status(
            old ->
                old.withConditions(
                    Conditions.with(
                        old.conditions(),
                        NodeConditionType.DATA_VOLUME_AT_RISK,
                        ConditionStatus.TRUE,
                        NodeReason.CLAIM_TERMINATING,
                        "the claim is being deleted",
                        node.getMetadata().getGeneration(),
                        NOW)));
  }

  public NodeSample now(Instant now) {
    return with(view -> view.withNow(now));
  }

  /** Another change of the view, for what has no method here. */
  public NodeSample with(UnaryOperator<NodeView> change) {
    return new NodeSample(node, status, pod, view -> change.apply(rest.apply(view)));
  }

  private NodeSample with(SeiNode changed) {
    return new NodeSample(changed, status, pod, rest);
  }

  private SeiNode copy() {
    SeiNode copy = Samples.node("", "", node.getSpec());
    copy.setMetadata(new ObjectMetaBuilder(node.getMetadata()).build());
    return copy;
  }

  /** The digest that pods of this spec have. */
  public String specHash() {
    return SpecHash.of(node);
  }

  public SeiNodeStatus status() {
    return status == null ? SeiNodeStatus.empty() : status;
  }

  public SeiNode build() {
    SeiNode built = copy();
    built.setStatus(status);
    return built;
  }

  public NodeView view() {
    SeiNode built = build();
    return rest.apply(
        NodeViewBuilder.builder()
            .effective(new EffectiveNode(built, built, List.of(), List.of()))
            .stored(RecordedConditions.of(status()))
            .specHash(specHash())
            .sidecarImage(SIDECAR_IMAGE)
            .statefulSet(Optional.empty())
            .pod(pod)
            .halt(Optional.empty())
            .bootstrapPods(List.of())
            .claim(Optional.empty())
            .service(Optional.empty())
            .proxyConfig(Optional.empty())
            .sidecar(Optional.empty())
            .peers(PeerResolution.NONE)
            .chain(Optional.empty())
            .height(Optional.empty())
            .risk(Optional.empty())
            .now(NOW)
            .build());
  }

  public NodePass pass() {
    return new NodePass(view());
  }
}
