package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatusBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatusBuilder;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.fleet.model.Revisions;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.SpecHash;
import io.sei.operator.testkit.samples.RecordedConditions;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A deployment named {@code fleet} as one reconcile sees it. */
public final class SnapshotBuilder {

  public static final String A = "sei:a";
  public static final String B = "sei:b";
  public static final String C = "sei:c";

  private static final Condition UP_TO_DATE =
      condition(NodeConditionType.UP_TO_DATE, true, "UpToDate");

  private SeiNodeDeploymentSpec spec;
  private SeiNodeDeploymentStatus status = SeiNodeDeploymentStatusBuilder.builder().build();
  private final Map<String, String> annotations = new HashMap<>();
  private final List<FleetView.Child> children = new ArrayList<>();
  private final List<ControllerRevision> revisions = new ArrayList<>();
  private final Map<String, Optional<Instant>> live = new HashMap<>();

  public SnapshotBuilder(int replicas, String image) {
    spec =
        SeiNodeDeploymentSpecBuilder.builder().replicas(replicas).template(template(image)).build();
  }

  public static NodeTemplate template(String image) {
    return new NodeTemplate(null, Samples.fullNode(image));
  }

  /** The same with a restart that was asked for. */
  public static NodeTemplate restarted(String image, String restart) {
    return ChildRenderer.restarted(template(image), restart);
  }

  /** Hash of the template with an image. */
  public static String hash(String image) {
    return hash(template(image));
  }

  public static String hash(NodeTemplate template) {
    return ChildRenderer.hash(deployment(SeiNodeDeploymentSpecBuilder.builder().build()), template);
  }

  private static SeiNodeDeployment deployment(SeiNodeDeploymentSpec spec) {
    var deployment = Samples.fleet("sei", "fleet", spec);
    deployment.getMetadata().setUid("fleet-uid");
    deployment.getMetadata().setGeneration(7L);
    return deployment;
  }

  public SnapshotBuilder spec(UnaryOperator<SeiNodeDeploymentSpec> change) {
    spec = change.apply(spec);
    return this;
  }

  public SnapshotBuilder annotated(String key, String value) {
    annotations.put(key, value);
    return this;
  }

  public SnapshotBuilder status(UnaryOperator<SeiNodeDeploymentStatus> change) {
    status = change.apply(status);
    return this;
  }

  /** A node made from the template with an image, running it and Ready. */
  public SnapshotBuilder child(int ordinal, String image) {
    return child(ordinal, image, node -> {});
  }

  public SnapshotBuilder child(int ordinal, String image, Consumer<SeiNode> change) {
    SeiNodeDeployment plain =
        deployment(SeiNodeDeploymentSpecBuilder.builder().template(template(image)).build());
    SeiNode node = new ChildRenderer().render(plain, ordinal, template(image));
    node.getMetadata().setGeneration(1L);
    node.setStatus(
        SeiNodeStatusBuilder.builder()
            .observedGeneration(1L)
            .phase(NodePhase.RUNNING)
            .currentImage(image)
            .syncedAt(Fleets.LONG_AGO)
            .podSpecHash(SpecHash.of(node))
            .conditions(List.of(condition(NodeConditionType.READY, true, "PodReady"), UP_TO_DATE))
            .build());
    change.accept(node);
    children.add(new FleetView.Child(node, ordinal));
    return this;
  }

  /** The pod of a node was read live. */
  public SnapshotBuilder readLive(int ordinal, boolean ready) {
    if (ready) {
      live.put("fleet-" + ordinal, Optional.of(Fleets.LONG_AGO));
    }
    return this;
  }

  /** Its pod is still the one of the template with another image. */
  public static Consumer<SeiNode> running(String image) {
    return node -> {
      var before = new SeiNode();
      before.setMetadata(node.getMetadata());
      before.setSpec(node.getSpec().withImage(image));
      node.setStatus(node.getStatus().withPodSpecHash(SpecHash.of(before)).withCurrentImage(image));
    };
  }

  public static Consumer<SeiNode> unready(String reason) {
    return conditions(condition(NodeConditionType.READY, false, reason));
  }

  public static Consumer<SeiNode> stalled(String reason) {
    return conditions(
        condition(NodeConditionType.READY, false, "PodNotReady"),
        condition(NodeConditionType.STALLED, true, reason));
  }

  public static Consumer<SeiNode> failed() {
    return unready("PodNotReady")
        .andThen(node -> node.setStatus(node.getStatus().withPhase(NodePhase.FAILED)));
  }

  /** Its pod is gone. */
  public static Consumer<SeiNode> paused() {
    return unready("Paused").andThen(node -> node.setSpec(node.getSpec().withPaused(true)));
  }

  public static Consumer<SeiNode> atRisk() {
    return node ->
        node.setStatus(
            node.getStatus()
                .withConditions(
                    Conditions.with(
                        node.getStatus().conditions(),
                        NodeConditionType.DATA_VOLUME_AT_RISK,
                        ConditionStatus.TRUE,
                        NodeReason.CLAIM_TERMINATING,
                        "the claim is being deleted",
                        node.getMetadata().getGeneration(),
                        Fleets.NOW)));
  }

  /** Its pod has the volume, and seid is not started. */
  public static Consumer<SeiNode> held() {
    return unready("Held")
        .andThen(
            node ->
                node.setSpec(
                    node.getSpec().withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE))));
  }

  public static Consumer<SeiNode> terminating() {
    return node -> node.getMetadata().setDeletionTimestamp("2026-06-01T11:00:00Z");
  }

  /** It has not been Ready since it was created. */
  public static Consumer<SeiNode> neverReady() {
    return unready("PodNotReady")
        .andThen(node -> node.setStatus(node.getStatus().withSyncedAt(null)));
  }

  public static Consumer<SeiNode> restartPending() {
    return conditions(
        condition(NodeConditionType.READY, true, "PodReady"),
        condition(NodeConditionType.RESTART_PENDING, true, "TemplateChanged"));
  }

  /** Its own RPC has said whether it has caught up, while its pod is Ready or not. */
  public static Consumer<SeiNode> caughtUp(boolean ready, boolean caughtUp) {
    return conditions(
        condition(NodeConditionType.READY, ready, ready ? "PodReady" : "NodeLost"),
        condition(NodeConditionType.CAUGHT_UP, caughtUp, caughtUp ? "CaughtUp" : "CatchingUp"));
  }

  /** It is Ready, and was not given its configuration yet. */
  public static Consumer<SeiNode> outdated() {
    return node ->
        node.setStatus(
            node.getStatus()
                .withConditions(List.of(condition(NodeConditionType.READY, true, "PodReady"))));
  }

  private static Consumer<SeiNode> conditions(Condition... conditions) {
    var all = new ArrayList<>(List.of(conditions));
    all.add(UP_TO_DATE);
    return node -> node.setStatus(node.getStatus().withConditions(List.copyOf(all)));
  }

  private static Condition condition(NodeConditionType type, boolean value, String reason) {
    return new Condition(
        type.toString(), ConditionStatus.of(value), 1L, Fleets.LONG_AGO, reason, "the evidence");
  }

  /** Keeps the template with an image. */
  public SnapshotBuilder kept(String image) {
    return kept(image, spec -> spec);
  }

  /** The same with changes that are no part of its hash. */
  public SnapshotBuilder kept(String image, UnaryOperator<SeiNodeSpec> change) {
    NodeTemplate template = template(image);
    revisions.add(
        revision(
            hash(image), template.withSpec(change.apply(template.spec())), revisions.size() + 1));
    return this;
  }

  public SnapshotBuilder keptRestarted(String image, String restart) {
    NodeTemplate template = restarted(image, restart);
    revisions.add(revision(hash(template), template, revisions.size() + 1));
    return this;
  }

  public static ControllerRevision revision(String hash, NodeTemplate template, long number) {
    return new ControllerRevisionBuilder()
        .withNewMetadata()
        .withName("fleet-" + hash + "-" + number)
        .withLabels(Map.of("sei.io/revision", hash))
        .endMetadata()
        .withRevision(number)
        .withData(template == null ? Map.of() : Map.of("template", template))
        .build();
  }

  public FleetView build() {
    SeiNodeDeployment deployment = deployment(spec);
    deployment.setStatus(status);
    deployment.getMetadata().setAnnotations(annotations);
    NodeTemplate template = ChildRenderer.template(deployment);
    return new FleetView(
        deployment,
        RecordedConditions.of(status),
        template,
        ChildRenderer.hash(deployment, template),
        List.copyOf(children),
        new Revisions(revisions, KubernetesClients.serialization()),
        live,
        List.copyOf(Fleets.FEATURES),
        Fleets.CONFIRMATION,
        Fleets.NOW,
        new FleetView.Memo());
  }
}
