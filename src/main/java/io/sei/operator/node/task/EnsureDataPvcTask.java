package io.sei.operator.node.task;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.ClaimGuard;
import io.sei.operator.node.DataClaim;
import io.sei.operator.node.ImportedClaim;
import io.sei.operator.node.NodeWork;
import io.sei.operator.node.TaskTypes;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;

/**
 * Makes sure that the node's data claim exists and is the node's, or that an imported one is
 * usable.
 */
public final class EnsureDataPvcTask implements Task<NodeWork> {

  private static final Duration RECHECK = Duration.ofSeconds(5);

  private final DataClaim dataClaim;
  private final ImportedClaim importedClaim;
  private final ClaimGuard guard;

  public EnsureDataPvcTask(DataClaim dataClaim, ImportedClaim importedClaim, ClaimGuard guard) {
    this.dataClaim = dataClaim;
    this.importedClaim = importedClaim;
    this.guard = guard;
  }

  @Override
  public String type() {
    return TaskTypes.ENSURE_DATA_PVC;
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeWork work) {
    Optional<PersistentVolumeClaim> claim = dataClaim.read(work);
    if (Names.importedClaim(work.node()).isPresent()) {
      return importedClaim.validate(work, claim);
    }
    return claim.isEmpty() ? create(work) : adopt(work, claim.get());
  }

  private TaskOutcome create(NodeWork work) {
    try {
      dataClaim.create(work);
      return TaskOutcome.done();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return TaskOutcome.waitFor(
            "ClaimChanged", "claim " + Names.claim(work.node()) + " appeared meanwhile", RECHECK);
      }
      throw e;
    }
  }

  private TaskOutcome adopt(NodeWork work, PersistentVolumeClaim claim) {
    String name = claim.getMetadata().getName();
    if (claim.isMarkedForDeletion()) {
      return TaskOutcome.waitFor(
          "ClaimTerminating", "claim " + name + " is still being deleted", RECHECK);
    }
    if (isOfEarlierNode(work, claim)) {
      return TaskOutcome.waitFor(
          "ClaimOfEarlierNode",
          "claim " + name + " is of an earlier node of this name and is yet to be collected",
          RECHECK);
    }
    if (!dataClaim.isAdoptable(work, claim)) {
      return new TaskOutcome.Fail(
          "claim "
              + name
              + " exists and is not this node's; to use it, set spec.dataVolume.import.pvcName to"
              + " its name");
    }
    // A claim that was retained may have been imported meanwhile.
    Optional<String> inUse =
        guard.isMarked(work, claim) ? Optional.empty() : guard.inUse(work, claim);
    if (inUse.isPresent()) {
      return TaskOutcome.waitFor(NodeReason.PVC_IN_USE.toString(), inUse.get(), RECHECK);
    }
    dataClaim.claimFor(work.node(), claim);
    return TaskOutcome.done();
  }

  /** A node can be made again before the garbage collector has been at what its name left. */
  private static boolean isOfEarlierNode(NodeWork work, PersistentVolumeClaim claim) {
    return Ownership.controller(claim)
        .filter(owner -> owner.getKind().equals(work.node().getKind()))
        .filter(owner -> owner.getName().equals(work.name()))
        .filter(owner -> !owner.getUid().equals(work.node().getMetadata().getUid()))
        .isPresent();
  }
}
