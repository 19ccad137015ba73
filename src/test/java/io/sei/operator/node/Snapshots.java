package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.NodeAssembly;
import io.sei.operator.Watches;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.Maintenance.Hold;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.config.ConfigRestart;
import io.sei.operator.node.config.Configuration;
import io.sei.operator.node.config.SeidRestart;
import io.sei.operator.node.growth.UsageWatch;
import io.sei.operator.node.model.EffectiveNode;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.NodeView;
import io.sei.operator.node.model.Refused;
import io.sei.operator.node.model.VolumeRisk;
import io.sei.operator.node.resources.NodePodDisruptionBudget;
import io.sei.operator.node.rollout.PodTasks;
import io.sei.operator.node.rollout.PodUpdates;
import io.sei.operator.node.rollout.RestartBackOffs;
import io.sei.operator.node.rollout.UpdatePulls;
import io.sei.operator.node.signing.SignersKey;
import io.sei.operator.node.signing.SigningScope;
import io.sei.operator.node.sync.SyncWatch;
import io.sei.operator.node.task.CoreTasks;
import io.sei.operator.node.volume.VolumeKeeper;
import io.sei.operator.plan.PlanEngine;
import io.sei.operator.progression.ConfigHash;
import io.sei.operator.progression.PeerResolution;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SpecHash;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.PodSample;
import io.sei.operator.testkit.samples.RecordedConditions;
import io.sei.operator.testkit.samples.Samples;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Nodes as they may be found, without a cluster. */
public final class Snapshots {

  public static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  public static final String UID = "statefulset-1";
  public static final String SIDECAR_IMAGE = "sidecar:1";

  /** The claim with the data of the node is being deleted. */
  public static final VolumeRisk AT_RISK =
      new VolumeRisk(
          NodeReason.CLAIM_TERMINATING,
          "data-node",
          "claim-1",
          Optional.empty(),
          Optional.empty(),
          false);

  /** To be asked what they report; they cannot act. */
  public static final List<NodeFeature> FEATURES = features(nobody());

  /** The types of all tasks. */
  public static final PlanEngine<NodePass> ENGINE =
      new PlanEngine<>(
          new CoreTasks(null, null, null, null, null, null, null).types(FEATURES),
          Refused::or,
          Clock.fixed(NOW, ZoneOffset.UTC));

  /** What plans consist of. */
  public static final NodePlans PLANS = new NodePlans(FEATURES);

  private Snapshots() {}

  private static List<NodeFeature> features(SyncWatch sync) {
    var features = new ArrayList<NodeFeature>();
    features.addAll(
        NodeAssembly.features(
            null,
            null,
            new LostStatus(null, null),
            null,
            new VolumeKeeper(null, null, null, false),
            new NodePodDisruptionBudget(null, null, null, null),
            new SigningScope(Optional.empty()),
            new SignersKey(
                (node, chain) -> Optional.empty(), new PerObjectState<>(), (owner, read) -> {}),
            new Configuration(features),
            new PodUpdates(
                null,
                null,
                new PodTasks(
                    null,
                    null,
                    null,
                    null,
                    new RestartBackOffs(
                        node -> Optional.empty(), new PerObjectState<>(), pod -> false),
                    null),
                new UpdatePulls(null, null, null),
                false),
            new ConfigRestart(null, new SeidRestart(null, null), false),
            new Watches(null, sync, withoutPrometheus()),
            (namespace, pod) -> "",
            (namespace, pod) -> "",
            (owner, read) -> {},
            new PerObjectState<>()));
    return Collections.unmodifiableList(features);
  }

  /** Nobody is asked how far it is. */
  public static SyncWatch nobody() {
    var shutDown = new ScheduledThreadPoolExecutor(0);
    shutDown.shutdown();
    return new SyncWatch(
        (node, chain) -> new CompletableFuture<>(),
        Clock.fixed(NOW, ZoneOffset.UTC),
        new PerObjectState<>(),
        shutDown);
  }

  /** Nobody is asked how full its volume is. */
  public static UsageWatch withoutPrometheus() {
    return new UsageWatch(
        Optional.empty(),
        Duration.ofMinutes(2),
        Clock.systemUTC(),
        new PerObjectState<>(),
        new ScheduledThreadPoolExecutor(0));
  }

  public static SeiNode node(String image) {
    var node = Samples.node("default", "node", Samples.fullNode(image));
    node.getMetadata().setGeneration(7L);
    return node;
  }

  /** The node with a hold. */
  public static SeiNode held(SeiNode node) {
    node.setSpec(node.getSpec().withMaintenance(new Maintenance(Hold.IMMEDIATE)));
    return node;
  }

  /** The digest of a node that differs from {@link #node} in its image only. */
  public static String hash(String image) {
    return SpecHash.of(node(image));
  }

  /** The status of a node that runs this image and has nothing to do. */
  public static SeiNodeStatus running(String image) {
    return SeiNodeStatus.empty()
        .with(
            it ->
                it.phase(NodePhase.RUNNING)
                    .currentImage(image)
                    .podSpecHash(hash(image))
                    .statefulSet(new StatefulSetRef("node", UID)));
  }

  /** The same with a condition that says so since then. */
  public static SeiNodeStatus with(
      SeiNodeStatus status, NodeConditionType type, boolean value, String reason, Instant since) {
    return status.withConditions(
        Conditions.with(
            status.conditions(),
            type,
            ConditionStatus.of(value),
            new Reason.Stored(reason),
            "message",
            7L,
            since));
  }

  public static Pod pod(String image) {
    return PodSample.named("node-0")
        .uid("pod-1")
        .annotation(Annotations.SPEC_HASH, hash(image))
        .ownedBy("StatefulSet", "node", UID)
        .container("seid", image)
        .phase("Running")
        .build();
  }

  /** The pod of a held node with this image, all of which runs. */
  public static Pod heldPod(String image) {
    return PodSample.of(pod(image))
        .annotation(Annotations.SPEC_HASH, SpecHash.of(held(node(image))))
        .held()
        .status("seid", ContainerSample::running)
        .build();
  }

  public static Pod ready(Pod pod) {
    return PodSample.of(pod).ready().build();
  }

  public static NodeView snapshot(
      SeiNode node, SeiNodeStatus status, Optional<Pod> pod, SidecarHealth sidecar) {
    return snapshot(node, status, pod, sidecar, PeerResolution.NONE);
  }

  public static NodeView snapshot(
      SeiNode node,
      SeiNodeStatus status,
      Optional<Pod> pod,
      SidecarHealth sidecar,
      PeerResolution peers) {
    return new NodeView(
        new EffectiveNode(node, node, List.of(), List.of()),
        RecordedConditions.of(status),
        SpecHash.of(node),
        SIDECAR_IMAGE,
        Optional.empty(),
        pod,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.ofNullable(sidecar),
        peers,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        NOW);
  }

  /** A plan for this image with tasks of these types, the first of which are complete. */
  public static TaskPlan plan(
      PlanKind kind, PlanPhase phase, String image, int complete, String... types) {
    var tasks = new ArrayList<PlannedTask>();
    for (String type : types) {
      boolean done = tasks.size() < complete;
      tasks.add(
          PlannedTaskBuilder.builder()
              .type(type)
              .id("id-" + type)
              .status(done ? TaskStatus.COMPLETE : TaskStatus.PENDING)
              .startedAt(NOW)
              .build());
    }
    return TaskPlanBuilder.builder()
        .id("plan-1")
        .kind(kind)
        .phase(phase)
        .startedAt(NOW)
        .target(
            new PlanTarget(
                7L,
                hash(image),
                image,
                SIDECAR_IMAGE,
                UID,
                null,
                ConfigHash.of(node(image).getSpec())))
        .tasks(List.copyOf(tasks))
        .targetPhase(NodePhase.RUNNING)
        .failedPhase(kind == PlanKind.INIT ? NodePhase.FAILED : null)
        .build();
  }
}
