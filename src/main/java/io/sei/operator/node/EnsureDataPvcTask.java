package io.sei.operator.node;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.objects.ClaimGuard;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.node.objects.ImportedClaim;
import io.sei.operator.node.objects.RestoredClaim;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Makes sure that the node's data claim exists and is the node's, or that an imported one is
 * usable.
 */
public record EnsureDataPvcTask(
    DataClaim dataClaim,
    ImportedClaim importedClaim,
    RestoredClaim restoredClaim,
    ClaimGuard guard) {

  /** Runs the task once. */
  public TaskOutcome run(NodePass pass) {
    Optional<PersistentVolumeClaim> claim = dataClaim.read(pass);
    if (Names.importedClaim(pass.node()).isPresent()) {
      return importedClaim.validate(pass, claim);
    }
    return claim.isEmpty() ? create(pass) : adopt(pass, claim.get());
  }

  private TaskOutcome create(NodePass pass) {
    try {
      if (pass.node().getSpec().snapshotSource().isPresent()) {
        return restoredClaim.create(pass);
      }
      dataClaim.create(pass, UnaryOperator.identity());
      return TaskOutcome.done();
    } catch (KubernetesClientException e) {
      if (isConflict(e)) {
        return TaskOutcome.waitFor(
            TaskReason.CLAIM_CHANGED,
            "claim " + Names.claim(pass.node()) + " appeared meanwhile",
            Recheck.UNWATCHED);
      }
      throw e;
    }
  }

  private TaskOutcome adopt(NodePass pass, PersistentVolumeClaim claim) {
    String name = claim.getMetadata().getName();
    if (claim.isMarkedForDeletion() && !isUsed(pass)) {
      return TaskOutcome.waitFor(
          TaskReason.CLAIM_TERMINATING,
          "claim " + name + " is still being deleted",
          Recheck.UNWATCHED);
    }
    if (isOfEarlierNode(pass, claim)) {
      return TaskOutcome.waitFor(
          TaskReason.CLAIM_OF_EARLIER_NODE,
          "claim "
              + name
              + " belongs to an earlier node of this name and is being garbage-collected",
          Recheck.UNWATCHED);
    }
    if (!dataClaim.isAdoptable(pass, claim)) {
      return new TaskOutcome.Fail(
          "claim "
              + name
              + " exists and does not belong to this node; to use it, set"
              + " spec.dataVolume.import.pvcName to its name");
    }
    // A claim that was retained may have been imported meanwhile.
    Optional<String> inUse =
        guard.isMarked(pass, claim) ? Optional.empty() : guard.inUse(pass, claim);
    if (inUse.isPresent()) {
      return TaskOutcome.waitFor(NodeReason.PVC_IN_USE, inUse.get(), Recheck.UNWATCHED);
    }
    dataClaim.claimFor(pass.node(), claim);
    return restoredClaim.recorded(pass, claim);
  }

  /** A claim goes when its pod ends, which nothing but a later task of the plan may bring about. */
  private static boolean isUsed(NodePass pass) {
    return pass.view().livePod().filter(PodFacts::hasStarted).isPresent();
  }

  /** A node can be recreated before the garbage collector has been at what its name left. */
  private static boolean isOfEarlierNode(NodePass pass, PersistentVolumeClaim claim) {
    return Ownership.controller(claim)
        .filter(owner -> owner.getKind().equals(pass.node().getKind()))
        .filter(owner -> owner.getName().equals(pass.name()))
        .filter(owner -> !owner.getUid().equals(pass.node().getMetadata().getUid()))
        .isPresent();
  }
}
