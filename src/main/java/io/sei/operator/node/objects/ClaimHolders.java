package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Unreadable;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whose the data on a claim is. Two nodes that write to one volume destroy it, and ReadWriteOnce
 * keeps apart Kubernetes nodes, not pods.
 */
final class ClaimHolders {

  private ClaimHolders() {}

  /** Returns whether the claim says that it is this node's. */
  static boolean isMarked(SeiNode node, PersistentVolumeClaim claim) {
    return Annotations.has(claim, Annotations.CLAIM_OWNER_UID, node.getMetadata().getUid());
  }

  /** Describes the other user of the data; empty if there is none. */
  static Optional<String> holder(SeiNode self, PersistentVolumeClaim claim, KeyUsage seen) {
    boolean mine = isMarked(self, claim);
    return Stream.of(
            seen.others(self).stream()
                .filter(node -> owns(claim, node) || (!mine && hasDataOn(claim, node)))
                .map(ClaimHolders::describe),
            seen.livePods().stream()
                .filter(
                    pod ->
                        Unreadable.isStub(pod)
                            || mounts(pod.getSpec(), claim.getMetadata().getName()))
                .filter(pod -> !isOf(self, pod))
                .map(ClaimHolders::describe),
            seen.statefulSets().stream()
                .filter(set -> holds(set, claim.getMetadata().getName()))
                .filter(set -> !isOf(self, set))
                .map(ClaimHolders::describe))
        .flatMap(holders -> holders)
        .findFirst();
  }

  /** Returns whether a StatefulSet has a pod, or will have, that mounts the claim of that name. */
  static boolean holds(StatefulSet statefulSet, String claim) {
    if (Unreadable.isStub(statefulSet)) {
      return true;
    }
    return !Integer.valueOf(0).equals(statefulSet.getSpec().getReplicas())
        && mounts(statefulSet.getSpec().getTemplate().getSpec(), claim);
  }

  private static boolean owns(PersistentVolumeClaim claim, SeiNode node) {
    return Ownership.controller(claim)
        .filter(owner -> node.getMetadata().getUid().equals(owner.getUid()))
        .isPresent();
  }

  /**
   * Returns whether the claim is labelled with a node, or the node names it and has marked it. A
   * node that has run counts without a mark: the Go operator makes none.
   */
  private static boolean hasDataOn(PersistentVolumeClaim claim, SeiNode node) {
    if (Unreadable.isStub(node)) {
      return isOf(node, claim) || isMarked(node, claim);
    }
    boolean named =
        node.getSpec() != null && claim.getMetadata().getName().equals(Names.claim(node));
    boolean ran = node.getStatus() != null && node.getStatus().currentImage() != null;
    return isOf(node, claim) || (named && (ran || isMarked(node, claim)));
  }

  private static boolean mounts(PodSpec pod, String claim) {
    return pod != null
        && pod.getVolumes().stream()
            .anyMatch(
                volume ->
                    volume.getPersistentVolumeClaim() != null
                        && claim.equals(volume.getPersistentVolumeClaim().getClaimName()));
  }

  private static boolean isOf(SeiNode self, HasMetadata object) {
    return Labels.isOfNode(object, self.getMetadata().getName());
  }

  private static String describe(HasMetadata object) {
    return object.getKind() + " " + object.getMetadata().getName();
  }
}
