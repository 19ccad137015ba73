package io.sei.operator.api.validation;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The rules of a SeiNodeDeployment's spec once more, for objects that were stored before the API
 * server enforced them: what would take down more nodes than anybody asked for.
 */
public final class FleetValidation {

  private static final int MAX_REPLICAS = 100;
  private static final int MAX_CHILD_NAME = 52;
  private static final Pattern PERCENTAGE = Pattern.compile("([1-9][0-9]?|100)%");

  private FleetValidation() {}

  /** Every rule the spec breaks; never throws. */
  public static List<FieldError> validate(String name, SeiNodeDeploymentSpec spec) {
    var errors = new ArrayList<FieldError>();
    if (spec == null) {
      errors.add(new FieldError("spec", "must be set"));
      return errors;
    }
    replicas(name, spec, errors);
    if (spec.template() == null || spec.template().spec() == null) {
      errors.add(new FieldError("spec.template.spec", "must be set"));
    } else {
      template(spec, errors);
    }
    if (spec.updateStrategy() != null && spec.updateStrategy().inPlace() != null) {
      inPlace(spec.updateStrategy().inPlace(), errors);
    }
    return errors;
  }

  private static void replicas(String name, SeiNodeDeploymentSpec spec, List<FieldError> errors) {
    Integer replicas = spec.replicas();
    if (replicas == null || replicas < 1 || replicas > MAX_REPLICAS) {
      errors.add(new FieldError("spec.replicas", "must be between 1 and " + MAX_REPLICAS));
    } else if (name != null
        && name.length() + 1 + String.valueOf(replicas - 1).length() > MAX_CHILD_NAME) {
      errors.add(
          new FieldError(
              "metadata.name",
              "is too long: the name of the last node, <name>-<replicas - 1>, must be at most "
                  + MAX_CHILD_NAME
                  + " characters"));
    }
  }

  private static void template(SeiNodeDeploymentSpec spec, List<FieldError> errors) {
    SeiNodeSpec node = spec.template().spec();
    for (FieldError error : SpecValidation.validate("node", node)) {
      errors.add(new FieldError("spec.template." + error.path(), error.message()));
    }
    boolean signs = node.validator() != null && node.validator().signingKey() != null;
    if (signs && spec.replicas() != null && spec.replicas() != 1) {
      errors.add(
          new FieldError(
              "spec.replicas",
              "a validator with a signingKey must have replicas: 1, since every replica would sign"
                  + " with the same key"));
    }
    boolean imports = node.dataVolume() != null && node.dataVolume().importClaim() != null;
    if (imports && spec.replicas() != null && spec.replicas() > 1) {
      errors.add(
          new FieldError(
              "spec.replicas",
              "a template that imports a claim must have replicas: 1, since every replica would"
                  + " write to the same volume"));
    }
    if (spec.genesis() != null && node.validator() == null) {
      errors.add(
          new FieldError("spec.genesis", "is meaningful only for deployments of validators"));
    }
  }

  private static void inPlace(InPlace inPlace, List<FieldError> errors) {
    String path = "spec.updateStrategy.inPlace.";
    IntOrString unavailable = inPlace.maxUnavailable();
    if (unavailable != null && !isValid(unavailable)) {
      errors.add(
          new FieldError(
              path + "maxUnavailable", "must be at least 1, or a percentage from 1% to 100%"));
    }
  }

  private static boolean isValid(IntOrString unavailable) {
    return unavailable.getStrVal() == null
        ? unavailable.getIntVal() != null && unavailable.getIntVal() >= 1
        : PERCENTAGE.matcher(unavailable.getStrVal()).matches();
  }
}
