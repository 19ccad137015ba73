package io.sei.operator.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.bootstrap.StateSync;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.Slot;
import io.sei.operator.node.model.StepParams;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.Step;
import io.sei.operator.progression.Progression;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.render.Bootstrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What the plans of a node consist of.
 *
 * @param features each fills its places
 */
public record NodePlans(List<NodeFeature> features) {

  /** The plan of a kind for a node as it was observed. */
  public PlanSpec of(PlanKind kind, NodeSnapshot snapshot) {
    return switch (kind) {
      case INIT ->
          new PlanSpec(
              kind,
              target(kind, snapshot),
              init(snapshot),
              // Once it is released its init plan starts over.
              isKeptBack(snapshot) ? null : NodePhase.RUNNING,
              NodePhase.FAILED);
      case UPDATE ->
          new PlanSpec(kind, target(kind, snapshot), update(snapshot), NodePhase.RUNNING, null);
      case CONFIG ->
          new PlanSpec(kind, target(kind, snapshot), config(snapshot), NodePhase.RUNNING, null);
      case MARK_READY ->
          new PlanSpec(kind, target(kind, snapshot), start(snapshot), NodePhase.RUNNING, null);
      case ROLLOUT -> throw new IllegalArgumentException("a rollout is a deployment's plan");
    };
  }

  private boolean isKeptBack(NodeSnapshot snapshot) {
    return NodeFeature.keptBack(features, snapshot).isPresent();
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

  private List<Step> init(NodeSnapshot snapshot) {
    SeiNodeSpec spec = snapshot.node().getSpec();
    ObjectNode object = StepParams.of(snapshot);
    var tasks = new ArrayList<Step>();
    tasks.add(new Step(TaskTypes.ENSURE_DATA_PVC, object));
    tasks.add(new Step(TaskTypes.APPLY_RBAC_PROXY_CONFIG, object));
    tasks.addAll(bootstrap(snapshot));
    tasks.addAll(pod(snapshot, PlanKind.INIT));
    if (isKeptBack(snapshot)) {
      return List.copyOf(tasks);
    }
    boolean bootstraps = Bootstrap.of(spec).isPresent();
    tasks.addAll(
        bootstraps
            ? Progression.afterBootstrap(spec)
            : fromVolume(Progression.init(spec, StateSync.files(snapshot)), snapshot));
    tasks.add(markReady());
    return List.copyOf(tasks);
  }

  /**
   * What comes before there may be a StatefulSet. The Service is there already: it gives the Job's
   * pod its name. A spec that no longer asks for a bootstrap has to see the Job of an earlier plan
   * gone.
   */
  private List<Step> bootstrap(NodeSnapshot snapshot) {
    SeiNodeSpec spec = snapshot.node().getSpec();
    ObjectNode object = StepParams.of(snapshot);
    if (Bootstrap.of(spec).isEmpty() || isKeptBack(snapshot)) {
      boolean left =
          BootstrapTasks.isUnderWay(snapshot.status().plan())
              || !snapshot.bootstrapPods().isEmpty();
      return left ? List.of(BootstrapTasks.teardown(object)) : List.of();
    }
    var ofSidecar =
        new ArrayList<>(
            fromVolume(Progression.bootstrap(spec, StateSync.files(snapshot)), snapshot));
    ofSidecar.add(markReady());
    var tasks = new ArrayList<Step>();
    tasks.add(new Step(TaskTypes.APPLY_SERVICE, object));
    tasks.addAll(BootstrapTasks.of(spec, object, ofSidecar));
    return tasks;
  }

  /** What gives the node the pod that the spec asks for. */
  private List<Step> pod(NodeSnapshot snapshot, PlanKind kind) {
    var tasks = new ArrayList<Step>(of(snapshot, kind, Slot.BEFORE_POD));
    tasks.add(new Step(TaskTypes.APPLY_STATEFUL_SET, StepParams.ofTarget(snapshot)));
    tasks.add(new Step(TaskTypes.APPLY_SERVICE, StepParams.of(snapshot)));
    tasks.addAll(of(snapshot, kind, Slot.POD));
    return tasks;
  }

  private List<Step> of(NodeSnapshot snapshot, PlanKind kind, Slot slot) {
    return features.stream().flatMap(it -> it.steps(snapshot, kind, slot).stream()).toList();
  }

  private List<Step> update(NodeSnapshot snapshot) {
    var tasks = new ArrayList<Step>(of(snapshot, PlanKind.UPDATE, Slot.BEFORE_END));
    tasks.addAll(pod(snapshot, PlanKind.UPDATE));
    if (isKeptBack(snapshot)) {
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
  private static List<Step> start(NodeSnapshot snapshot) {
    var tasks = new ArrayList<>(Progression.upload(snapshot.node().getSpec()));
    tasks.add(markReady());
    return List.copyOf(tasks);
  }

  private static List<Step> config(NodeSnapshot snapshot) {
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

  private static List<Step> patch(NodeSnapshot snapshot) {
    return Progression.patch(
        snapshot.node().getSpec(), snapshot.status().config(), StateSync.files(snapshot));
  }

  private static List<Step> peers(NodeSnapshot snapshot) {
    return Progression.peers(snapshot.node().getSpec());
  }

  /** The steps with what an earlier plan has restored on the volume. */
  private static List<Step> fromVolume(List<Step> steps, NodeSnapshot snapshot) {
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

  private static Step markReady() {
    return new Step(TaskTypes.MARK_READY, null);
  }
}
