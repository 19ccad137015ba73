package io.sei.operator.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.node.feature.StepParams;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.render.Bootstrap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Builds the plans of a node.
 *
 * @param operations fill the slots
 */
public record NodePlans(OperationParts operations) {

  /** The plan of a kind for a node as it was observed. */
  public PlanSpec of(PlanKind kind, NodeView view) {
    return switch (kind) {
      case INIT ->
          new PlanSpec(
              kind,
              target(kind, view),
              init(view),
              // Once it is released its init plan starts over.
              view.isHeld() ? null : NodePhase.RUNNING,
              NodePhase.FAILED);
      case UPDATE -> new PlanSpec(kind, target(kind, view), update(view), NodePhase.RUNNING, null);
      case CONFIG -> new PlanSpec(kind, target(kind, view), config(view), NodePhase.RUNNING, null);
      case MARK_READY ->
          new PlanSpec(
              kind, target(kind, view), start(view, PlanShape.MARK_READY), NodePhase.RUNNING, null);
      case ROLLOUT -> throw new IllegalArgumentException("a rollout is a deployment's plan");
    };
  }

  private static PlanTarget target(PlanKind kind, NodeView view) {
    SeiNode node = view.node();
    // A StatefulSet from before a bootstrap is replaced.
    boolean another = kind == PlanKind.INIT && Bootstrap.of(node.getSpec()).isPresent();
    return new PlanTarget(
        node.getMetadata().getGeneration(),
        view.specHash(),
        node.getSpec().image(),
        view.sidecarImage(),
        another ? null : view.trackedUid().orElse(null),
        view.retryRequest().orElse(null),
        view.configHash());
  }

  private List<Step> init(NodeView view) {
    ObjectNode object = StepParams.of(view);
    var tasks = new ArrayList<Step>();
    tasks.add(new Step(TaskTypes.ENSURE_DATA_PVC, object));
    tasks.add(new Step(TaskTypes.APPLY_RBAC_PROXY_CONFIG, object));
    tasks.addAll(bootstrap(view));
    boolean bootstraps = Bootstrap.of(view.node().getSpec()).isPresent();
    PlanShape shape = bootstraps ? PlanShape.AFTER_JOB : PlanShape.INIT;
    tasks.addAll(pod(view, shape));
    if (view.isHeld()) {
      return List.copyOf(tasks);
    }
    tasks.addAll(configured(view, shape));
    tasks.addAll(start(view, shape));
    return List.copyOf(tasks);
  }

  /**
   * Steps before there may be a StatefulSet. The Service is there already: it gives the Job's pod
   * its name. A spec that no longer asks for a bootstrap has to see the Job of an earlier plan
   * gone.
   */
  private List<Step> bootstrap(NodeView view) {
    SeiNodeSpec spec = view.node().getSpec();
    ObjectNode object = StepParams.of(view);
    if (Bootstrap.of(spec).isEmpty() || view.isHeld()) {
      boolean left =
          BootstrapTasks.isUnderWay(view.stored().plan()) || !view.bootstrapPods().isEmpty();
      return left ? List.of(BootstrapTasks.teardown(object)) : List.of();
    }
    // What is started before seid may be, as an upload, would end only with the pod.
    var ofSidecar = new ArrayList<>(configured(view, PlanShape.JOB));
    ofSidecar.add(markReady());
    var tasks = new ArrayList<Step>();
    tasks.add(new Step(TaskTypes.APPLY_SERVICE, object));
    tasks.addAll(BootstrapTasks.of(spec, object, ofSidecar));
    return tasks;
  }

  /** Steps to the pod that the spec asks for. */
  private List<Step> pod(NodeView view, PlanShape shape) {
    var tasks = new ArrayList<Step>(operations.steps(view, shape, Slot.BEFORE_POD));
    tasks.add(new Step(TaskTypes.APPLY_STATEFUL_SET, StepParams.ofTarget(view)));
    tasks.add(new Step(TaskTypes.APPLY_SERVICE, StepParams.of(view)));
    tasks.addAll(operations.steps(view, shape, Slot.POD));
    return tasks;
  }

  private List<Step> update(NodeView view) {
    var tasks = new ArrayList<Step>(operations.steps(view, PlanShape.UPDATE, Slot.BEFORE_END));
    tasks.addAll(pod(view, PlanShape.UPDATE));
    if (view.isHeld()) {
      return List.copyOf(tasks);
    }
    // Not before: the sidecar of the old pod may be what the update is to repair.
    tasks.addAll(configured(view, PlanShape.UPDATE));
    tasks.addAll(start(view, PlanShape.UPDATE));
    return List.copyOf(tasks);
  }

  /** Tasks of the sidecar before seid may read its configuration. */
  private List<Step> configured(NodeView view, PlanShape shape) {
    List<Step> files = operations.steps(view, shape, Slot.CONFIGURE);
    if (shape == PlanShape.UPDATE && files.isEmpty()) {
      return List.of();
    }
    // A chain without a genesis is found out before hours are spent on a download.
    Stream<Step> genesis =
        shape.isFirst() && view.node().getSpec().givenGenesis().isEmpty()
            ? Stream.of(new Step(SidecarTaskTypes.CONFIGURE_GENESIS, null))
            : Stream.of();
    return Stream.of(
            genesis,
            operations.steps(view, shape, Slot.VOLUME).stream(),
            files.stream(),
            operations.steps(view, shape, Slot.EXTEND).stream(),
            operations.steps(view, shape, Slot.VALIDATE).stream())
        .flatMap(other -> other)
        .toList();
  }

  /** Tasks that are repeated each time the sidecar is started. */
  private List<Step> start(NodeView view, PlanShape shape) {
    return Stream.concat(operations.steps(view, shape, Slot.START).stream(), Stream.of(markReady()))
        .toList();
  }

  private List<Step> config(NodeView view) {
    var tasks = new ArrayList<>(configured(view, PlanShape.CONFIG));
    if (view.isSidecarWaiting()) {
      tasks.addAll(start(view, PlanShape.CONFIG));
    }
    tasks.addAll(operations.steps(view, PlanShape.CONFIG, Slot.AFTER_START));
    return List.copyOf(tasks);
  }

  private static Step markReady() {
    return new Step(TaskTypes.MARK_READY, null);
  }
}
