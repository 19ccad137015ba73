package io.sei.operator.node.volume;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.ModifyVolumeStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimCondition;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Optional;

/**
 * PURE: the VolumeAttributesClass of a claim. Names and meaning of the claim's fields are those of
 * the API of Kubernetes 1.37; who writes them is external-resizer. Of a class that does not exist
 * version 2.3 says Pending, leaves the conditions of the last attempt, and does not look again
 * before the claim names another class.
 *
 * @param claim as it was last read or written
 * @param wanted the class that the spec names; that of the claim if it names none
 */
record AttributesClass(PersistentVolumeClaim claim, String wanted) {

  private static final String FIELD = "spec.dataVolume.storage.volumeAttributesClassName";

  /** Returns the class of a bound claim; empty if neither claim nor spec names one. */
  static Optional<AttributesClass> of(PersistentVolumeClaim claim, Optional<String> asked) {
    return Optional.of(claim)
        .filter(candidate -> !candidate.isMarkedForDeletion() && candidate.getStatus() != null)
        .flatMap(
            persistentVolumeClaim ->
                asked.or(
                    () ->
                        Optional.ofNullable(
                            persistentVolumeClaim.getSpec().getVolumeAttributesClassName())))
        .map(text -> new AttributesClass(claim, text));
  }

  /** Returns whether the claim is to name another class. Kubernetes lets a bound one do that. */
  boolean isToChange() {
    return isBound() && !isNamed();
  }

  /**
   * Returns the proposal by the claim's record of the storage driver's answer.
   *
   * @return empty of a new claim, which has its class once it has a volume
   */
  Optional<ConditionProposal> verdict() {
    if (!isBound()) {
      return isNamed() ? Optional.empty() : Optional.of(unbound());
    }
    return Optional.of(isNamed() ? asNamed() : modifying(""));
  }

  private ConditionProposal asNamed() {
    ModifyVolumeStatus status = claim.getStatus().getModifyVolumeStatus();
    if (status == null) {
      return wanted.equals(claim.getStatus().getCurrentVolumeAttributesClassName())
          ? yes(
              NodeReason.MODIFIED,
              "the volume of claim %s has VolumeAttributesClass %s".formatted(name(), wanted))
          : modifying("; if this stays, its storage driver does not support such classes");
    }
    return switch (status.getStatus()) {
      case "Pending" ->
          no(
              NodeReason.MODIFY_PENDING,
              "%s and waits for it: create it, name another in %s, and then this one, since it is looked for once"
                  .formatted(change(), FIELD));
      case "Infeasible" ->
          failed("name a class that it accepts in %s: a class itself cannot be changed", FIELD);
      default ->
          error().isPresent()
              ? failed("it is tried again, or name another class in %s", FIELD)
              : modifying("");
    };
  }

  /** Returns the proposal for a claim that no longer has a class. */
  static ConditionProposal none(PersistentVolumeClaim claim) {
    return yes(
        NodeReason.MODIFIED,
        "claim %s names no VolumeAttributesClass".formatted(claim.getMetadata().getName()));
  }

  /** Describes a class that the API server refuses. */
  String refused(String words) {
    return "%s (%s), which was refused: %s; name another, or set it back"
        .formatted(change(), FIELD, words);
  }

  /** Describes a class that the API server drops from an accepted patch. */
  String dropped() {
    return "%s (%s), and the API server drops that field: Kubernetes has it since 1.34; upgrade it, or remove the field"
        .formatted(change(), FIELD);
  }

  private ConditionProposal unbound() {
    return no(
        NodeReason.MODIFY_PENDING,
        "%s once it has a volume; if it gets none, delete the claim".formatted(change()));
  }

  private ConditionProposal modifying(String hint) {
    return no(NodeReason.MODIFYING, change() + hint);
  }

  private ConditionProposal failed(String advice, String field) {
    return no(
        NodeReason.MODIFY_FAILED,
        "%s, and the storage driver reports: %s; %s"
            .formatted(change(), error().orElse("Infeasible"), advice.formatted(field)));
  }

  private String change() {
    String current =
        isBound()
            ? claim.getStatus().getCurrentVolumeAttributesClassName()
            : claim.getSpec().getVolumeAttributesClassName();
    return "claim %s changes from %s to VolumeAttributesClass %s"
        .formatted(name(), current == null || current.isEmpty() ? "none" : current, wanted);
  }

  private Optional<String> error() {
    return claim.getStatus().getConditions().stream()
        .filter(
            condition ->
                "ModifyVolumeError".equals(condition.getType())
                    && "True".equals(condition.getStatus()))
        .map(AttributesClass::words)
        .findFirst();
  }

  private static String words(PersistentVolumeClaimCondition condition) {
    String message = condition.getMessage();
    return message == null || message.isEmpty() ? condition.getReason() : message;
  }

  private boolean isNamed() {
    return wanted.equals(claim.getSpec().getVolumeAttributesClassName());
  }

  private boolean isBound() {
    return "Bound".equals(claim.getStatus().getPhase());
  }

  private String name() {
    return claim.getMetadata().getName();
  }
}
