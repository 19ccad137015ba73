package io.sei.operator.node.objects;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Whether a claim the user brings is usable. Nothing of it is changed but the mark that says whose
 * data it has ({@link ClaimGuard}).
 *
 * @param requiredSize quantity of storage a node needs at least
 */
public record ImportedClaim(Function<SeiNode, String> requiredSize, ClaimGuard guard) {

  private static final Set<String> WRITABLE = Set.of("ReadWriteOnce", "ReadWriteOncePod");

  /** Validates, and says so in the condition ImportPVCReady. */
  public TaskOutcome validate(NodePass pass, Optional<PersistentVolumeClaim> claim) {
    String name = Names.claim(pass.node());
    if (claim.isEmpty()) {
      return notReady(pass, "claim " + name + " does not exist (spec.dataVolume.import.pvcName)");
    }
    if (claim.get().isMarkedForDeletion()) {
      return notReady(pass, "claim " + name + " is being deleted");
    }
    Optional<String> defect = defect(pass.node(), claim.get());
    if (defect.isPresent()) {
      String message = "claim " + name + " " + defect.get();
      offer(pass, no(NodeReason.PVC_INVALID, message));
      return new TaskOutcome.Fail(message);
    }
    if (!"Bound".equals(phase(claim.get()))) {
      return notReady(pass, "claim " + name + " is " + phase(claim.get()) + ", not Bound");
    }
    return guard
        .check(pass)
        .then(
            () -> {
              String message = "claim " + name + " is usable";
              offer(pass, yes(NodeReason.PVC_VALIDATED, message));
              return TaskOutcome.done();
            });
  }

  private Optional<String> defect(SeiNode node, PersistentVolumeClaim claim) {
    if ("Lost".equals(phase(claim))) {
      return Optional.of("is Lost");
    }
    List<String> modes = claim.getSpec().getAccessModes();
    if (modes.stream().noneMatch(WRITABLE::contains)) {
      return Optional.of("has access modes " + modes + ", but needs one of " + WRITABLE);
    }
    Quantity capacity =
        claim.getStatus() == null || claim.getStatus().getCapacity() == null
            ? null
            : claim.getStatus().getCapacity().get("storage");
    Quantity required = Quantity.parse(requiredSize.apply(node));
    boolean tooSmall =
        capacity != null
            && capacity.getNumericalAmount().compareTo(required.getNumericalAmount()) < 0;
    return tooSmall
        ? Optional.of("has " + capacity + ", but the node needs " + required)
        : Optional.empty();
  }

  private static String phase(PersistentVolumeClaim claim) {
    return claim.getStatus() == null || claim.getStatus().getPhase() == null
        ? "Pending"
        : claim.getStatus().getPhase();
  }

  private static TaskOutcome notReady(NodePass pass, String message) {
    offer(pass, no(NodeReason.PVC_NOT_READY, message));
    return TaskOutcome.waitFor(NodeReason.PVC_NOT_READY, message, Recheck.UNWATCHED);
  }

  private static void offer(NodePass pass, ConditionProposal proposal) {
    pass.offer(NodeConditionType.IMPORT_PVC_READY, proposal);
  }
}
