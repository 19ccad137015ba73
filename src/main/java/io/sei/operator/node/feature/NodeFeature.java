package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.PodPart;
import io.sei.operator.render.PodParts;
import java.util.List;
import java.util.Optional;

/**
 * A feature of nodes, which implements the hooks that it needs. Features are called in the order of
 * one list ({@code NodeAssembly}), and none imports another.
 */
public interface NodeFeature extends Overlay, PodPart {

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

  @Override
  default SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return spec;
  }

  @Override
  default void pod(SeiNode node, PodParts pod) {}

  /** Adds settings to the configuration files. */
  default void config(NodeView view, ConfigParts parts) {}

  /** Adds task types, reasons to start a plan, and steps of plans. */
  default void operations(OperationParts operations) {}

  /** Vetoes an irreversible act. */
  default Veto veto(IrreversibleAct act, NodePass pass) {
    return Veto.none();
  }

  /**
   * Keeps objects in sync and does work beside the plan, in each pass that decides about plans, and
   * while the node is paused.
   */
  default void keep(NodePass pass) {}

  /**
   * Adds what is recorded and offered before the diagnosis and set after it, also after a failure,
   * with Events and gauges.
   */
  default void conditions(ConditionParts conditions) {}

  /** Collects the operations of features. */
  static OperationParts operationsOf(List<NodeFeature> features) {
    var operations = new OperationParts();
    features.forEach(feature -> feature.operations(operations));
    return operations;
  }

  /** Collects the conditions of features. */
  static ConditionParts conditionsOf(List<NodeFeature> features) {
    var conditions = new ConditionParts();
    features.forEach(feature -> feature.conditions(conditions));
    return conditions;
  }
}
