package io.sei.operator.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PlanShape;
import io.sei.operator.node.model.Slot;
import io.sei.operator.node.model.StepParams;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.Step;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.render.Bootstrap;
import java.util.ArrayList;
import java.util.List;
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
              snapshot.isHeld() ? null : NodePhase.RUNNING,
              NodePhase.FAILED);
      case UPDATE ->
          new PlanSpec(kind, target(kind, snapshot), update(snapshot), NodePhase.RUNNING, null);
      case CONFIG ->
          new PlanSpec(kind, target(kind, snapshot), config(snapshot), NodePhase.RUNNING, null);
      case MARK_READY ->
          new PlanSpec(
              kind,
              target(kind, snapshot),
              start(snapshot, PlanShape.MARK_READY),
              NodePhase.RUNNING,
              null);
      case ROLLOUT -> throw new IllegalArgumentException("a rollout is a deployment's plan");
    };
  }

  private static PlanTarget target(PlanKind kind, NodeSnapshot snapshot) {
    SeiNode node = snapshot.node();
    // A StatefulSet from before a bootstrap is replaced.
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
    ObjectNode object = StepParams.of(snapshot);
    var tasks = new ArrayList<Step>();
    tasks.add(new Step(TaskTypes.ENSURE_DATA_PVC, object));
    tasks.add(new Step(TaskTypes.APPLY_RBAC_PROXY_CONFIG, object));
    tasks.addAll(bootstrap(snapshot));
    boolean bootstraps = Bootstrap.of(snapshot.node().getSpec()).isPresent();
    PlanShape shape = bootstraps ? PlanShape.AFTER_JOB : PlanShape.INIT;
    tasks.addAll(pod(snapshot, shape));
    if (snapshot.isHeld()) {
      return List.copyOf(tasks);
    }
    tasks.addAll(configured(snapshot, shape));
    tasks.addAll(start(snapshot, shape));
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
    if (Bootstrap.of(spec).isEmpty() || snapshot.isHeld()) {
      boolean left =
          BootstrapTasks.isUnderWay(snapshot.status().plan())
              || !snapshot.bootstrapPods().isEmpty();
      return left ? List.of(BootstrapTasks.teardown(object)) : List.of();
    }
    // What is started before seid may be, as an upload, would end only with the pod.
    var ofSidecar = new ArrayList<>(configured(snapshot, PlanShape.JOB));
    ofSidecar.add(markReady());
    var tasks = new ArrayList<Step>();
    tasks.add(new Step(TaskTypes.APPLY_SERVICE, object));
    tasks.addAll(BootstrapTasks.of(spec, object, ofSidecar));
    return tasks;
  }

  /** What gives the node the pod that the spec asks for. */
  private List<Step> pod(NodeSnapshot snapshot, PlanShape shape) {
    var tasks = new ArrayList<Step>(of(snapshot, shape, Slot.BEFORE_POD));
    tasks.add(new Step(TaskTypes.APPLY_STATEFUL_SET, StepParams.ofTarget(snapshot)));
    tasks.add(new Step(TaskTypes.APPLY_SERVICE, StepParams.of(snapshot)));
    tasks.addAll(of(snapshot, shape, Slot.POD));
    return tasks;
  }

  private List<Step> of(NodeSnapshot snapshot, PlanShape shape, Slot slot) {
    return features.stream().flatMap(it -> it.steps(snapshot, shape, slot).stream()).toList();
  }

  private List<Step> update(NodeSnapshot snapshot) {
    var tasks = new ArrayList<Step>(of(snapshot, PlanShape.UPDATE, Slot.BEFORE_END));
    tasks.addAll(pod(snapshot, PlanShape.UPDATE));
    if (snapshot.isHeld()) {
      return List.copyOf(tasks);
    }
    // Not before: the sidecar of the old pod may be what the update is to repair.
    tasks.addAll(configured(snapshot, PlanShape.UPDATE));
    tasks.addAll(start(snapshot, PlanShape.UPDATE));
    return List.copyOf(tasks);
  }

  /** What the sidecar is asked for before seid may read its configuration. */
  private List<Step> configured(NodeSnapshot snapshot, PlanShape shape) {
    List<Step> files = of(snapshot, shape, Slot.CONFIGURE);
    if (shape == PlanShape.UPDATE && files.isEmpty()) {
      return List.of();
    }
    // A chain without a genesis is found out before hours are spent on a download.
    Stream<Step> genesis =
        shape.isFirst() && snapshot.node().getSpec().givenGenesis().isEmpty()
            ? Stream.of(new Step(SidecarTaskTypes.CONFIGURE_GENESIS, null))
            : Stream.of();
    return Stream.of(
            genesis,
            of(snapshot, shape, Slot.VOLUME).stream(),
            files.stream(),
            of(snapshot, shape, Slot.EXTEND).stream(),
            of(snapshot, shape, Slot.VALIDATE).stream())
        .flatMap(it -> it)
        .toList();
  }

  /** What a sidecar that was started again is asked for, of what it was asked for before. */
  private List<Step> start(NodeSnapshot snapshot, PlanShape shape) {
    return Stream.concat(of(snapshot, shape, Slot.START).stream(), Stream.of(markReady())).toList();
  }

  private List<Step> config(NodeSnapshot snapshot) {
    var tasks = new ArrayList<>(configured(snapshot, PlanShape.CONFIG));
    if (snapshot.isSidecarWaiting()) {
      tasks.addAll(start(snapshot, PlanShape.CONFIG));
    }
    tasks.addAll(of(snapshot, PlanShape.CONFIG, Slot.AFTER_START));
    return List.copyOf(tasks);
  }

  private static Step markReady() {
    return new Step(TaskTypes.MARK_READY, null);
  }
}
