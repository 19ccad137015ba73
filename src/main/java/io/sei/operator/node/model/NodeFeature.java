package io.sei.operator.node.model;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.plan.Aim;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskType;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Permit;
import io.sei.operator.render.PodPart;
import io.sei.operator.render.PodParts;
import java.util.List;
import java.util.Optional;

/**
 * A feature of nodes, which implements what it needs. Features stand in one list, in whose order
 * each is asked; none knows another.
 */
public interface NodeFeature extends Overlay, PodPart {

  @Override
  default SeiNodeSpec effective(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return spec;
  }

  @Override
  default void pod(SeiNode node, PodParts pod) {}

  /** The types of tasks that it owns. */
  default List<TaskType<NodeReconcile, ?>> tasks() {
    return List.of();
  }

  /** The types of tasks that it has the node's sidecar carry out. */
  default List<SidecarWork> sidecarWork() {
    return List.of();
  }

  /** What it wants a plan for in place of the stored one, most important first. */
  default List<Aim> aims(NodeSnapshot snapshot, Aim.Over over) {
    return List.of();
  }

  /** Its tasks at a place of a plan of this shape; each place is asked where such a plan has it. */
  default List<Step> steps(NodeSnapshot snapshot, PlanShape shape, Slot slot) {
    return List.of();
  }

  /** Adds what it needs in the configuration files. */
  default void config(NodeSnapshot snapshot, ConfigParts parts) {}

  /** Whether it has nothing against what is about to be done. */
  default Permit may(Deed deed, NodeReconcile pass) {
    return Permit.yes();
  }

  /** Keeps a node's data where somebody else is about to end it; before anything else is done. */
  default Next protect(NodeReconcile pass) {
    return Next.goOn();
  }

  /** Records, in the write of a plan that was just made, what its tasks have to know. */
  default void planned(NodeReconcile pass) {}

  /** Records what has to be known of a node before anything is decided. */
  default Next settle(NodeReconcile pass) {
    return Next.goOn();
  }

  /** Keeps in sync what is there as long as the node has objects, also while it is stopped. */
  default void sync(NodeReconcile pass) {}

  /** Keeps in sync what stands beside plans, unless the node is stopped. */
  default void keep(NodeReconcile pass) {}

  /** Records what was observed, whatever failed. */
  default void record(NodeReconcile pass) {}

  /**
   * Offers verdicts on conditions of the core by what was observed alone, also of a node that is
   * left to another operator. What else there is to offer is offered when it is recorded or
   * reported.
   */
  default void say(NodeReconcile pass) {}

  /**
   * Sets its conditions, whatever failed.
   *
   * @param finding why the node does not progress, if it does not
   */
  default void report(NodeReconcile pass, Optional<Finding> finding) {}

  /** What it says of how a restart goes that is due, to be appended; empty if nothing. */
  default Optional<String> explain(NodeReconcile pass) {
    return Optional.empty();
  }

  /** Whether seid, in the pod that it has, is to start again; empty if it need not. */
  default Optional<SeidRestartDue> restartsSeid(NodeReconcile pass) {
    return Optional.empty();
  }

  /** The first restart of seid that is due. */
  static Optional<SeidRestartDue> restartOfSeid(List<NodeFeature> features, NodeReconcile pass) {
    return features.stream().flatMap(it -> it.restartsSeid(pass).stream()).findFirst();
  }

  /** Why a pod of the node gets its next template by a new pod alone; empty if it need not. */
  default Optional<String> keepsPodsApart(NodeSnapshot snapshot) {
    return Optional.empty();
  }

  /** The first reason why a pod gets its next template by a new pod alone. */
  static Optional<String> keepsPodsApart(List<NodeFeature> features, NodeSnapshot snapshot) {
    return features.stream().flatMap(it -> it.keepsPodsApart(snapshot).stream()).findFirst();
  }

  /** What the plan waits for, at its wish, that takes as long as it takes. */
  default Optional<String> withoutDeadline(NodeReconcile pass) {
    return Optional.empty();
  }

  /** The Events that a change of status records. */
  default List<EventRule<SeiNodeStatus>> events() {
    return List.of();
  }

  /** What is measured of it in each node. */
  default List<GaugeRow<SeiNode>> gauges() {
    return List.of();
  }
}
