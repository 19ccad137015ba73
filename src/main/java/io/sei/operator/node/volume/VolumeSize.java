package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Times;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * Size of the volume of a node.
 *
 * @param claim name of the claim
 * @param asked what the spec asks for; what the claim asks for if the spec says nothing
 * @param wanted the same, or more where the volume has grown by itself
 * @param requested what the claim asks for
 * @param capacity what the volume has
 * @param resizedAt when the operator last had the claim ask for another size
 */
record VolumeSize(
    String claim,
    Quantity asked,
    Quantity wanted,
    Quantity requested,
    Quantity capacity,
    Optional<Instant> resizedAt) {

  /** The field that {@link #asked} is from. */
  static final String FIELD = "spec.dataVolume.storage.resources.requests.storage";

  /** The field by which a volume grows by itself. */
  static final String AUTO_GROW = "spec.dataVolume.storage.autoGrow";

  static final Comparator<Quantity> BY_AMOUNT = Comparator.comparing(Quantity::getNumericalAmount);

  private static final String STORAGE = "storage";

  /**
   * Returns the size by the claim that was made for a node; empty before it is bound, and for an
   * imported one.
   */
  static Optional<VolumeSize> of(NodePass pass) {
    return pass.view().claim().flatMap(claim -> of(pass.node(), claim));
  }

  /** Returns the size by a claim that was read elsewhere. */
  static Optional<VolumeSize> of(SeiNode node, PersistentVolumeClaim claim) {
    if (Names.importedClaim(node).isPresent()
        || claim.isMarkedForDeletion()
        || claim.getStatus() == null
        || !"Bound".equals(claim.getStatus().getPhase())) {
      return Optional.empty();
    }
    Quantity requested = storage(claim.getSpec().getResources().getRequests());
    Quantity capacity = storage(claim.getStatus().getCapacity());
    if (requested == null || capacity == null) {
      return Optional.empty();
    }
    Quantity asked = node.getSpec().storage().flatMap(DataVolume.Storage::size).orElse(requested);
    boolean hasGrown = rule(node).isPresent() && BY_AMOUNT.compare(requested, asked) > 0;
    return Optional.of(
        new VolumeSize(
            claim.getMetadata().getName(),
            asked,
            hasGrown ? requested : asked,
            requested,
            capacity,
            Annotations.of(claim, Annotations.RESIZED_AT).flatMap(Times::parse)));
  }

  /** Returns the rule of automatic growth; empty without one. */
  static Optional<AutoGrow> rule(SeiNode node) {
    return node.getSpec().storage().map(DataVolume.Storage::autoGrow);
  }

  private static Quantity storage(Map<String, Quantity> quantities) {
    return quantities == null ? null : quantities.get(STORAGE);
  }

  /** Returns a size with this automatic growth. */
  VolumeSize wanting(Quantity more) {
    return new VolumeSize(claim, asked, more, requested, capacity, resizedAt);
  }

  /**
   * Returns whether the claim is to ask for another size. It may ask for less again as long as the
   * volume has not grown.
   */
  boolean isToChange() {
    return BY_AMOUNT.compare(wanted, requested) != 0 && !isTooSmall();
  }

  /** Returns whether the spec asks for less than the volume has, which no volume can become. */
  boolean isTooSmall() {
    return BY_AMOUNT.compare(wanted, requested) < 0 && BY_AMOUNT.compare(wanted, capacity) <= 0;
  }

  /** Returns whether the volume has what the claim asks for. */
  boolean isReached() {
    return BY_AMOUNT.compare(capacity, requested) >= 0;
  }

  /** Returns whether the volume has to be larger than the spec requests. */
  boolean isMoreThanAsked() {
    return BY_AMOUNT.compare(wanted, asked) > 0;
  }
}
