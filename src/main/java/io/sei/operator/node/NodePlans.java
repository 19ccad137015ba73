package io.sei.operator.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.Maintenance.Hold;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.bootstrap.StateSync;
import io.sei.operator.node.maintenance.AwaitExit;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.signing.KeyTasks;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.Reuse;
import io.sei.operator.plan.TaskSpec;
import io.sei.operator.progression.Progression;
import io.sei.operator.progression.SidecarStep;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.render.Bootstrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What the plans of a node consist of. */
public final class NodePlans {

  /** Of a failing sidecar task: a passing hiccup fails no plan. */
  private static final int RETRIES = 5;

  /** Peers may be down for a while, and are looked for at each attempt: a day of them. */
  private static final int RETRIES_OF_PEERS = 24 * 60 * 2;

  /** Tasks that need somebody else's node. */
  private static final Set<String> ASKS_PEERS =
      Set.of(SidecarTaskTypes.DISCOVER_PEERS, SidecarTaskTypes.CONFIGURE_STATE_SYNC);

  private NodePlans() {}

  /** The plan of a kind for a node as it was observed. */
  public static PlanSpec of(PlanKind kind, NodeSnapshot snapshot) {
    return switch (kind) {
      case INIT ->
          new PlanSpec(
              kind,
              target(kind, snapshot),
              KeyTasks.in(init(snapshot), snapshot),
              // Once it is released its init plan starts over.
              snapshot.isToBeHeld() ? null : NodePhase.RUNNING,
              NodePhase.FAILED);
      case UPDATE ->
          new PlanSpec(
              kind,
              target(kind, snapshot),
              KeyTasks.in(update(snapshot), snapshot),
              NodePhase.RUNNING,
              null);
      case CONFIG ->
          new PlanSpec(kind, target(kind, snapshot), config(snapshot), NodePhase.RUNNING, null);
      case MARK_READY ->
          new PlanSpec(kind, target(kind, snapshot), start(snapshot), NodePhase.RUNNING, null);
      case ROLLOUT -> throw new IllegalArgumentException("a rollout is a deployment's plan");
    };
  }

  private static PlanTarget target(PlanKind kind, NodeSnapshot snapshot) {
    SeiNode node = snapshot.node();
    // One that there is before a bootstrap is on its way out.
    boolean another = kind == PlanKind.INIT && Bootstrap.of(node.getSpec()).isPresent();
    return new PlanTarget(
        node.getMetadata().getGeneration(),
        snapshot.specHash(),
        node.getSpec().image(),
        snapshot.sidecarImage(),
        another ? null : snapshot.trackedUid().orElse(null),
        snapshot.retryRequest().orElse(null),
        snapshot.configHash());
  }

  private static List<TaskSpec> init(NodeSnapshot snapshot) {
    SeiNodeSpec spec = snapshot.node().getSpec();
    ObjectNode object = object(snapshot);
    var tasks = new ArrayList<TaskSpec>();
    tasks.add(new TaskSpec(TaskTypes.ENSURE_DATA_PVC, object, 0, Reuse.COMPLETED));
    tasks.add(new TaskSpec(TaskTypes.APPLY_RBAC_PROXY_CONFIG, object, 0, Reuse.COMPLETED));
    tasks.addAll(bootstrap(snapshot));
    tasks.addAll(pod(snapshot));
    if (snapshot.isToBeHeld()) {
      return List.copyOf(tasks);
    }
    boolean bootstraps = Bootstrap.of(spec).isPresent();
    tasks.addAll(
        ofSidecar(
            bootstraps
                ? Progression.afterBootstrap(spec)
                : fromVolume(Progression.init(spec, StateSync.files(snapshot)), snapshot)));
    tasks.add(markReady());
    return List.copyOf(tasks);
  }

  /**
   * What comes before there may be a StatefulSet. The Service is there already: it gives the Job's
   * pod its name. A spec that no longer asks for a bootstrap has to see the Job of an earlier plan
   * gone.
   */
  private static List<TaskSpec> bootstrap(NodeSnapshot snapshot) {
    SeiNodeSpec spec = snapshot.node().getSpec();
    ObjectNode object = object(snapshot);
    if (Bootstrap.of(spec).isEmpty() || snapshot.isToBeHeld()) {
      boolean left =
          BootstrapTasks.isUnderWay(snapshot.status().plan())
              || !snapshot.bootstrapPods().isEmpty();
      return left ? List.of(BootstrapTasks.teardown(object)) : List.of();
    }
    var ofSidecar =
        new ArrayList<>(
            ofSidecar(
                fromVolume(Progression.bootstrap(spec, StateSync.files(snapshot)), snapshot)));
    ofSidecar.add(markReady());
    var tasks = new ArrayList<TaskSpec>();
    tasks.add(new TaskSpec(TaskTypes.APPLY_SERVICE, object, 0, Reuse.COMPLETED));
    tasks.addAll(BootstrapTasks.of(spec, object, ofSidecar));
    return tasks;
  }

  /** What gives the node the pod that the spec asks for. */
  private static List<TaskSpec> pod(NodeSnapshot snapshot) {
    ObjectNode target = ofTarget(snapshot);
    return List.of(
        new TaskSpec(TaskTypes.APPLY_STATEFUL_SET, target, 0, Reuse.NONE),
        new TaskSpec(TaskTypes.APPLY_SERVICE, object(snapshot), 0, Reuse.COMPLETED),
        new TaskSpec(TaskTypes.REPLACE_POD, target, 0, Reuse.NONE),
        new TaskSpec(TaskTypes.OBSERVE_IMAGE, target, 0, Reuse.NONE));
  }

  /** What is done before the pod goes in which seid is to run until it ends by itself. */
  private static List<TaskSpec> afterExit(NodeSnapshot snapshot) {
    boolean runs =
        snapshot.node().getSpec().holding().equals(Optional.of(Hold.AFTER_EXIT))
            && snapshot.livePod().filter(pod -> !PodFacts.isHeld(pod)).isPresent();
    return runs
        ? List.of(
            new TaskSpec(TaskTypes.MARK_NOT_READY, null, RETRIES, Reuse.NONE),
            AwaitExit.of(snapshot))
        : List.of();
  }

  private static List<TaskSpec> update(NodeSnapshot snapshot) {
    var tasks = new ArrayList<TaskSpec>(afterExit(snapshot));
    tasks.addAll(pod(snapshot));
    if (snapshot.isToBeHeld()) {
      return List.copyOf(tasks);
    }
    if (!snapshot.isConfigured() || StateSync.hasKeptFiles(snapshot)) {
      // Not before: the sidecar of the old pod may be what the update is to repair.
      tasks.addAll(patch(snapshot));
    }
    tasks.addAll(start(snapshot));
    return List.copyOf(tasks);
  }

  /** What a sidecar that was started again is asked for, of what it was asked for before. */
  private static List<TaskSpec> start(NodeSnapshot snapshot) {
    var tasks = new ArrayList<>(ofSidecar(Progression.upload(snapshot.node().getSpec())));
    tasks.add(markReady());
    return List.copyOf(tasks);
  }

  private static List<TaskSpec> config(NodeSnapshot snapshot) {
    var tasks =
        new ArrayList<>(
            snapshot.isConfigured() && !StateSync.hasKeptFiles(snapshot)
                ? peers(snapshot)
                : patch(snapshot));
    if (snapshot.isSidecarWaiting()) {
      tasks.addAll(start(snapshot));
    }
    return List.copyOf(tasks);
  }

  private static List<TaskSpec> patch(NodeSnapshot snapshot) {
    return ofSidecar(
        Progression.patch(
            snapshot.node().getSpec(), snapshot.status().config(), StateSync.files(snapshot)));
  }

  private static List<TaskSpec> peers(NodeSnapshot snapshot) {
    return ofSidecar(Progression.peers(snapshot.node().getSpec()));
  }

  /** The steps with what an earlier plan has restored on the volume. */
  private static List<SidecarStep> fromVolume(List<SidecarStep> steps, NodeSnapshot snapshot) {
    Optional<JsonNode> restored = restored(snapshot.status().plan());
    return steps.stream()
        .map(
            step ->
                restored
                    .filter(earlier -> step.type().equals(SidecarTaskTypes.SNAPSHOT_RESTORE))
                    .map(earlier -> Progression.restoreAfter(earlier, step))
                    .orElse(step))
        .toList();
  }

  private static Optional<JsonNode> restored(TaskPlan plan) {
    return Stream.ofNullable(plan)
        .filter(it -> it.kind() == PlanKind.INIT)
        .flatMap(it -> it.tasks().stream())
        .filter(task -> SidecarTaskTypes.SNAPSHOT_RESTORE.equals(task.type()))
        .filter(
            task ->
                task.status() == TaskStatus.COMPLETE
                    || Progression.restoredHeight(task.params()).isPresent())
        .map(PlannedTask::params)
        .filter(Objects::nonNull)
        .findFirst();
  }

  private static List<TaskSpec> ofSidecar(List<SidecarStep> steps) {
    return steps.stream().map(NodePlans::ofSidecar).toList();
  }

  private static TaskSpec ofSidecar(SidecarStep step) {
    int retries = ASKS_PEERS.contains(step.type()) ? RETRIES_OF_PEERS : RETRIES;
    // It takes hours.
    Reuse reuse =
        step.type().equals(SidecarTaskTypes.SNAPSHOT_RESTORE) ? Reuse.RUNNING : Reuse.NONE;
    return new TaskSpec(step.type(), step.params(), retries, reuse);
  }

  private static TaskSpec markReady() {
    return new TaskSpec(TaskTypes.MARK_READY, null, RETRIES, Reuse.NONE);
  }

  private static ObjectNode object(NodeSnapshot snapshot) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("nodeName", snapshot.node().getMetadata().getName())
        .put("namespace", snapshot.node().getMetadata().getNamespace());
  }

  private static ObjectNode ofTarget(NodeSnapshot snapshot) {
    return object(snapshot).put("specHash", snapshot.specHash());
  }
}
