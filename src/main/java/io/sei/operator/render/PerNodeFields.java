package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import java.util.List;
import java.util.Optional;

/**
 * Fields of a spec that belong to no version of a template: those of one node ({@code paused},
 * {@code maintenance}, {@code dataResetGeneration}, {@code externalAddress}, {@code
 * dataVolume.acceptDataLoss}, {@code validator.acceptSigningStateLoss} and {@code
 * validator.genesisCeremony}) and the chain's {@code upgrades} and {@code upgradesPaused}. The
 * template in force may set them for every node, whatever version a node is of; where it does not,
 * each node keeps its own. They are never part of a template that is kept, since one that was made
 * from a node may be given to another.
 */
public final class PerNodeFields {

  private PerNodeFields() {}

  /** A template without these fields. */
  public static NodeTemplate without(NodeTemplate template) {
    return template.withSpec(with(template.spec(), null, null, null, null, null, null, null));
  }

  /** A template with what {@code inForce} says of these fields, which may be nothing. */
  public static NodeTemplate takenFrom(NodeTemplate inForce, NodeTemplate template) {
    SeiNodeSpec spec = inForce.spec();
    Optional<Validator> validator = Optional.ofNullable(spec.validator());
    return template.withSpec(
        with(
            template.spec(),
            spec.paused(),
            spec.maintenance(),
            spec.externalAddress(),
            validator.map(Validator::genesisCeremony).orElse(null),
            validator.map(Validator::acceptSigningStateLoss).orElse(null),
            spec.upgrades(),
            spec.upgradesPaused()));
  }

  private static SeiNodeSpec with(
      SeiNodeSpec spec,
      Boolean paused,
      Maintenance maintenance,
      String externalAddress,
      GenesisCeremony ceremony,
      String acceptSigningStateLoss,
      List<Upgrade> upgrades,
      Boolean upgradesPaused) {
    Validator validator = spec.validator();
    Validator own =
        validator == null
            ? null
            : validator.with(
                it -> it.genesisCeremony(ceremony).acceptSigningStateLoss(acceptSigningStateLoss));
    return spec.with(
        it ->
            it.paused(paused)
                .maintenance(maintenance)
                // No template may have this, or an acceptance of the loss of data.
                .dataResetGeneration(null)
                .dataVolume(DataVolume.withoutAcceptance(spec.dataVolume()))
                .externalAddress(externalAddress)
                .validator(own)
                .upgrades(upgrades)
                .upgradesPaused(upgradesPaused));
  }
}
