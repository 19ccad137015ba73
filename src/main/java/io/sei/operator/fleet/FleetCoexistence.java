package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.kube.Ownership;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.TemplateHash;
import io.sei.operator.takeover.Adoption;
import io.sei.operator.takeover.TakeoverGate;
import io.sei.operator.takeover.TakeoverGate.Suspension;
import java.time.Duration;
import java.util.Optional;

/** Leaves a fleet alone that a Go operator manages, or that may not be adopted. */
public record FleetCoexistence(TakeoverGate takeover) {

  /** Another setting takes a restart. */
  private static final Duration NOT_ADOPTED_RECHECK = Duration.ofMinutes(10);

  /** Continues unless another operator manages the fleet; else reports that and ends the pass. */
  public Next begin(FleetPass pass) {
    String namespace = pass.deployment().getMetadata().getNamespace();
    if (!takeover.mayAdopt(namespace)) {
      return isMadeByAnother(pass.view()) ? leaveUnadopted(pass) : Next.goOn();
    }
    Optional<Suspension> suspension = takeover.suspension(namespace);
    if (suspension.isEmpty()) {
      return Next.goOn();
    }
    return switch (suspension.get()) {
      case Suspension.Undecided _ -> Next.rest(TakeoverGate.PERIOD);
      case Suspension.Confirmed confirmed -> keepOff(pass, confirmed.cause());
    };
  }

  /**
   * Returns whether another operator was the last to roll out the fleet: the status has the hash of
   * the template, in a format of each operator's own, or before that its nodes lack the annotation
   * that this operator applies.
   */
  private static boolean isMadeByAnother(FleetView view) {
    String hash = view.stored().completedTemplateHash();
    if (hash != null) {
      return !TemplateHash.isKnownFormat(hash);
    }
    return view.children().stream()
        .map(FleetView.Child::node)
        .filter(node -> Ownership.isOurs(node, view.deployment()))
        .anyMatch(FleetCoexistence::isNotAppliedByUs);
  }

  private static boolean isNotAppliedByUs(SeiNode node) {
    return Annotations.of(node, Annotations.RENDERED_HASH).isEmpty();
  }

  private static Next leaveUnadopted(FleetPass pass) {
    var metadata = pass.deployment().getMetadata();
    String message =
        Adoption.refusal("SeiNodeDeployment " + metadata.getName(), metadata.getNamespace());
    pass.update(_ -> FleetStatus.unadopted(pass, message));
    return new Next.HandsOff(NOT_ADOPTED_RECHECK);
  }

  /** Features have not looked, so that what they have said stays. */
  private static Next keepOff(FleetPass pass, Finding why) {
    pass.note(why);
    pass.update(status -> FleetStatus.of(pass, new FleetConditionParts()));
    return new Next.HandsOff(TakeoverGate.PERIOD);
  }
}
