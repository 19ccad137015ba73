package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.PodPart;
import io.sei.operator.render.PodParts;
import java.util.List;
import java.util.Optional;

/**
 * A feature of nodes. It implements the hooks that it needs; the features are called in the order
 * of one list ({@code NodeAssembly}), and no feature imports another.
 */
public interface NodeFeature extends Overlay, PodPart {

  @Override
  default SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return spec;
  }

  @Override
  default void pod(SeiNode node, PodParts pod) {}

  /** Adds task types, reasons to start a plan, and steps of plans. */
  default void operations(OperationParts operations) {}

  /** Adds settings to the configuration files. */
  default void config(NodeView view, ConfigParts parts) {}

  /** Vetoes an irreversible act. */
  default Veto veto(IrreversibleAct act, NodePass pass) {
    return Veto.none();
  }

  /** Acts before everything else, also while the node is paused: what must not wait. */
  default Next protect(NodePass pass) {
    return Next.goOn();
  }

  /**
   * Records facts before anything is decided; a change is written first. Not called while the node
   * is paused.
   */
  default Next observe(NodePass pass) {
    return Next.goOn();
  }

  /**
   * Keeps objects in sync and does work beside the plan, in each pass that decides about plans, and
   * while the node is paused.
   */
  default void keep(NodePass pass) {}

  /**
   * Records observations, and what the tasks of a new plan need, in the status; also after a
   * failure.
   */
  default void record(NodePass pass) {}

  /**
   * Sets the conditions of this feature, also after a failure.
   *
   * @param finding why the node does not progress, if it does not
   */
  default void report(NodePass pass, Optional<Finding> finding) {}

  /** Events for changes of the status. */
  default List<EventRule<SeiNodeStatus>> events() {
    return List.of();
  }

  /** Gauges of this feature, one row for each node. */
  default List<GaugeRow<SeiNode>> gauges() {
    return List.of();
  }
}
