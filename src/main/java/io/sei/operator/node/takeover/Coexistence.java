package io.sei.operator.node.takeover;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Kept;
import io.sei.operator.base.Memory;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.status.NodeConditions;
import io.sei.operator.node.status.RestartExplanation;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.takeover.PredecessorGate;
import java.util.List;
import java.util.Map;

/** Leaves nodes alone while a Go operator runs, and notices when one has applied what is ours. */
public final class Coexistence {

  private final PredecessorGate predecessor;
  private final NodeCaches caches;
  private final List<NodeFeature> features;

  /** The uid of the StatefulSet on which was what only this operator puts there. */
  private final Kept<ResourceID, String> marked;

  public Coexistence(
      PredecessorGate predecessor,
      NodeCaches caches,
      List<NodeFeature> features,
      Memory<ResourceID> memory) {
    this.predecessor = predecessor;
    this.caches = caches;
    this.features = features;
    this.marked = memory.compartment();
  }

  /** Goes on unless a Go operator runs; else says so, and keeps its hands off. */
  public Next begin(NodeReconcile reconcile) {
    caches
        .statefulSet(reconcile.node())
        .ifPresent(it -> look(ResourceID.fromResource(reconcile.node()), it));
    return predecessor.obstacle().map(it -> keepOff(reconcile, it.message())).orElseGet(Next::goOn);
  }

  private Next keepOff(NodeReconcile reconcile, String message) {
    reconcile.conflict(message);
    NodeConditions.deriveConflict(reconcile, NodeReason.GO_OPERATOR_RUNS, message, features);
    reconcile.update(status -> status.withExplain(RestartExplanation.of(reconcile)));
    return new Next.HandsOff(PredecessorGate.SILENCE);
  }

  private void look(ResourceID node, StatefulSet live) {
    String uid = live.getMetadata().getUid();
    if (isMarked(live)) {
      marked.put(node, uid);
    } else if (marked.get(node).filter(uid::equals).isPresent()) {
      marked.remove(node);
      predecessor.overwritten("StatefulSet " + live.getMetadata().getName());
    }
  }

  /** Both operators apply under one name. Who applies last takes away what only the other has. */
  static boolean isMarked(StatefulSet live) {
    return has(live.getMetadata().getAnnotations(), Annotations.RENDERED_HASH)
        || has(live.getSpec().getTemplate().getMetadata().getAnnotations(), Annotations.SPEC_HASH);
  }

  private static boolean has(Map<String, String> annotations, String key) {
    return annotations != null && annotations.containsKey(key);
  }
}
