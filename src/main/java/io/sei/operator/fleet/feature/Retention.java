package io.sei.operator.fleet.feature;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.FleetOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ownership of a fleet's objects: the fleet's, unless it is retained. Only an object that lost its
 * owner here gets it back, since users remove an owner to keep an object for themselves.
 */
public final class Retention {

  private static final String YES = "true";

  private Retention() {}

  /**
   * The merge patch after which the owners of an object are as the policy asks; none if they are.
   */
  public static Optional<String> patch(HasMetadata object, SeiNodeDeployment fleet) {
    Ownership ownership = Ownership.of(object, fleet);
    if (FleetOwner.isRetained(fleet)) {
      return others(object, fleet)
          .map(values -> MetadataPatch.ownerReferences(object, values, Annotations.RETAINED, YES));
    }
    if (ownership instanceof Ownership.Unowned
        && Annotations.has(object, Annotations.RETAINED, YES)) {
      var owners = new ArrayList<>(object.getMetadata().getOwnerReferences());
      owners.add(FleetOwner.reference(fleet));
      return Optional.of(MetadataPatch.ownerReferences(object, owners, Annotations.RETAINED, null));
    }
    return Optional.empty();
  }

  /** The owners of an object without the fleet; empty if that is none of them. */
  public static Optional<List<OwnerReference>> others(HasMetadata object, SeiNodeDeployment fleet) {
    List<OwnerReference> owners = object.getMetadata().getOwnerReferences();
    List<OwnerReference> others =
        owners.stream()
            .filter(owner -> !owner.getUid().equals(fleet.getMetadata().getUid()))
            .toList();
    return others.size() < owners.size() ? Optional.of(others) : Optional.empty();
  }

  /** Returns whether an object is the fleet's, also where it is retained and so has no owner. */
  public static boolean isOwn(HasMetadata object, SeiNodeDeployment fleet) {
    return switch (Ownership.of(object, fleet)) {
      case Ownership.Ours _ -> true;
      case Ownership.Unowned _ -> Annotations.has(object, Annotations.RETAINED, YES);
      case Ownership.Foreign _ -> false;
    };
  }
}
