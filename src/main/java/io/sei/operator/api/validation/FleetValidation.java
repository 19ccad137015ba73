package io.sei.operator.api.validation;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The rules of a SeiNodeDeployment's spec that the operator checks itself, as in {@link
 * NodeValidation}: what would take down more nodes than the user asked for, and what would have
 * several nodes sign with one key or write to one volume.
 */
public final class FleetValidation {

  private static final Pattern PERCENTAGE = Pattern.compile("([1-9][0-9]?|100)%");

  private FleetValidation() {}

  /**
   * Every broken rule, also of what the fleet has become: the genesis that it made names its
   * validators. The API server cannot refuse that, as fleets that made none may be scaled.
   */
  public static List<FieldError> validate(SeiNodeDeployment fleet) {
    List<FieldError> errors = validate(fleet.getSpec());
    FleetGenesis genesis = fleet.getStatus() == null ? null : fleet.getStatus().genesis();
    if (FleetGenesis.isMade(genesis) && !fleet.getSpec().replicas().equals(genesis.validators())) {
      errors.add(
          new FieldError(
              "spec.replicas",
              "must stay %d: the genesis of this fleet names its validators"
                  .formatted(genesis.validators())));
    }
    return errors;
  }

  /** Every broken rule; empty if the spec is valid. */
  public static List<FieldError> validate(SeiNodeDeploymentSpec spec) {
    var errors = new ArrayList<FieldError>();
    SeiNodeSpec node = spec.template().spec();
    for (FieldError error : NodeValidation.validateTemplate(node)) {
      errors.add(new FieldError("spec.template." + error.path(), error.message()));
    }
    if (spec.replicas() < 1) {
      errors.add(new FieldError("spec.replicas", "must be at least 1"));
    }
    if (spec.replicas() > 1 && node.validator() != null && hasKey(node.validator())) {
      errors.add(
          new FieldError(
              "spec.replicas",
              "a validator with a signingKey or a remoteSigner must have replicas: 1, since every"
                  + " replica would sign with the same key"));
    }
    if (spec.replicas() > 1 && node.seed() != null && node.seed().nodeKey() != null) {
      errors.add(
          new FieldError(
              "spec.replicas",
              "a seed with a nodeKey must have replicas: 1, since every replica would have the same"
                  + " P2P identity"));
    }
    if (spec.replicas() > 1
        && node.dataVolume() != null
        && node.dataVolume().importClaim() != null) {
      errors.add(
          new FieldError(
              "spec.replicas",
              "a template that imports a claim must have replicas: 1, since every replica would"
                  + " write to the same volume"));
    }
    if (node.dataResetGeneration() != null) {
      errors.add(
          new FieldError(
              "spec.template.spec.dataResetGeneration",
              "belongs to one node: set it on the SeiNode, since in a template it would wipe the"
                  + " data of all nodes at once"));
    }
    if (node.dataVolume() != null && node.dataVolume().acceptDataLoss() != null) {
      errors.add(
          new FieldError(
              "spec.template.spec.dataVolume.acceptDataLoss",
              "belongs to one node: set it on the SeiNode, since it names the claim whose data may"
                  + " be lost"));
    }
    if (!isValid(maxUnavailable(spec))) {
      errors.add(
          new FieldError(
              "spec.updateStrategy.inPlace.maxUnavailable",
              "must be at least 1, or a percentage from 1% to 100%"));
    }
    spec.snapshotSchedule().ifPresent(snapshots -> snapshots(snapshots, node, errors));
    return errors;
  }

  private static boolean hasKey(Validator validator) {
    return validator.signingKey() != null
        || validator.remoteSigner() != null
        || (validator.genesisCeremony() != null
            && validator.genesisCeremony().signingKeySecret() != null);
  }

  private static void snapshots(Snapshots snapshots, SeiNodeSpec node, List<FieldError> errors) {
    if (node.validator() != null) {
      errors.add(
          new FieldError(
              "spec.dataVolume.snapshots",
              "must not be set for validators: a validator is never stopped for a snapshot"));
    }
    String problem = problem(snapshots.schedule());
    if (problem != null) {
      errors.add(new FieldError("spec.dataVolume.snapshots.schedule", problem));
    }
  }

  /** Returns the error of a cron expression; null if it is valid. */
  private static String problem(String schedule) {
    try {
      CronSchedule.parse(schedule);
      return null;
    } catch (IllegalArgumentException e) {
      return "is not a valid cron expression of five fields: " + e.getMessage();
    }
  }

  private static IntOrString maxUnavailable(SeiNodeDeploymentSpec spec) {
    return spec.updateStrategy() == null || spec.updateStrategy().inPlace() == null
        ? null
        : spec.updateStrategy().inPlace().maxUnavailable();
  }

  private static boolean isValid(IntOrString unavailable) {
    if (unavailable == null) {
      return true;
    }
    return unavailable.getStrVal() == null
        ? unavailable.getIntVal() != null && unavailable.getIntVal() >= 1
        : PERCENTAGE.matcher(unavailable.getStrVal()).matches();
  }
}
