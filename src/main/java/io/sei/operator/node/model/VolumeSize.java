package io.sei.operator.node.model;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Names;
import java.util.Map;
import java.util.Optional;

/**
 * How large the volume of a node is.
 *
 * @param claim name of the claim
 * @param wanted what the spec asks for; what the claim asks for if the spec says nothing
 * @param requested what the claim asks for
 * @param capacity what the volume has
 */
public record VolumeSize(String claim, Quantity wanted, Quantity requested, Quantity capacity) {

  /** The field that {@link #wanted} is from. */
  public static final String FIELD = "spec.dataVolume.storage.resources.requests.storage";

  private static final String STORAGE = "storage";

  /** Of the claim that was made for a node; empty before it is bound, and of an imported one. */
  public static Optional<VolumeSize> of(SeiNode node, PersistentVolumeClaim claim) {
    if (Names.importedClaim(node).isPresent()
        || claim.isMarkedForDeletion()
        || claim.getStatus() == null
        || !"Bound".equals(claim.getStatus().getPhase())) {
      return Optional.empty();
    }
    Quantity requested = storage(claim.getSpec().getResources().getRequests());
    Quantity capacity = storage(claim.getStatus().getCapacity());
    return requested == null || capacity == null
        ? Optional.empty()
        : Optional.of(
            new VolumeSize(
                claim.getMetadata().getName(),
                node.getSpec().storage().flatMap(DataVolume.Storage::size).orElse(requested),
                requested,
                capacity));
  }

  private static Quantity storage(Map<String, Quantity> quantities) {
    return quantities == null ? null : quantities.get(STORAGE);
  }

  /**
   * Whether the claim is to ask for another size. It may ask for less again as long as the volume
   * has not grown.
   */
  public boolean isToChange() {
    return compare(wanted, requested) != 0 && !isTooSmall();
  }

  /** Whether the spec asks for less than the volume has, which no volume can become. */
  public boolean isTooSmall() {
    return compare(wanted, requested) < 0 && compare(wanted, capacity) <= 0;
  }

  /** Whether the volume has what the claim asks for. */
  public boolean isReached() {
    return compare(capacity, requested) >= 0;
  }

  private static int compare(Quantity one, Quantity other) {
    return one.getNumericalAmount().compareTo(other.getNumericalAmount());
  }
}
