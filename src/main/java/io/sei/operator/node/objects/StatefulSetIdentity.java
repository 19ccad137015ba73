package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Labels;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what a StatefulSet is to a node, from the uid recorded on the node's status and the live
 * object. Whatever changes what is recorded is written before anything is done about it, so a crash
 * or a conflict between the two finds its way back.
 */
public final class StatefulSetIdentity {

  private StatefulSetIdentity() {}

  /**
   * Decides.
   *
   * @param live the StatefulSet with the node's name; its absence must have been confirmed by a
   *     live read
   */
  public static IdentityAction decide(
      SeiNode node, SeiNodeStatus status, Optional<StatefulSet> live) {
    if (live.isEmpty()) {
      return status.statefulSet() == null
          ? new IdentityAction.Apply()
          : new IdentityAction.Forget();
    }
    StatefulSet statefulSet = live.get();
    if (statefulSet.isMarkedForDeletion()) {
      return new IdentityAction.AwaitDeletion();
    }
    return status.statefulSet() == null
        ? untracked(node, status, statefulSet)
        : tracked(node, status, statefulSet);
  }

  private static IdentityAction untracked(
      SeiNode node, SeiNodeStatus status, StatefulSet statefulSet) {
    boolean replaces = statefulSet.getMetadata().getUid().equals(status.replacing());
    return switch (Ownership.of(statefulSet, node)) {
      // A person may have written the record, and owners may have changed since.
      case Ownership.Foreign foreign -> new IdentityAction.Conflict(foreign.owner());
      case Ownership.Ours _, Ownership.Unowned _ when replaces -> new IdentityAction.Delete();
      case Ownership.Ours _ -> new IdentityAction.Apply();
      case Ownership.Unowned _ ->
          looksLikeOurs(node, statefulSet)
              ? new IdentityAction.Apply()
              : new IdentityAction.Conflict(
                  "no owner, and its labels or selector do not match this node");
    };
  }

  private static IdentityAction tracked(
      SeiNode node, SeiNodeStatus status, StatefulSet statefulSet) {
    String uid = statefulSet.getMetadata().getUid();
    if (uid.equals(status.statefulSet().uid())) {
      return new IdentityAction.Apply();
    }
    if (Ownership.of(statefulSet, node) instanceof Ownership.Foreign foreign) {
      return new IdentityAction.Conflict(foreign.owner());
    }
    return new IdentityAction.BeginReplacement(uid);
  }

  private static boolean looksLikeOurs(SeiNode node, StatefulSet statefulSet) {
    String name = node.getMetadata().getName();
    return Labels.isOfNode(statefulSet, name) && hasSelector(statefulSet, Labels.selector(name));
  }

  /** Returns whether a StatefulSet selects by exactly these labels. */
  static boolean hasSelector(StatefulSet statefulSet, Map<String, String> labels) {
    LabelSelector selector = statefulSet.getSpec().getSelector();
    return selector != null
        && labels.equals(selector.getMatchLabels())
        && (selector.getMatchExpressions() == null || selector.getMatchExpressions().isEmpty());
  }
}
