package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.util.List;

/** How an object says that it belongs to a fleet. */
public final class FleetOwner {

  private FleetOwner() {}

  /** The reference that makes a fleet the controller of an object. */
  public static OwnerReference reference(SeiNodeDeployment fleet) {
    return Metadata.controller(fleet);
  }

  /**
   * The owners of what outlives a fleet with the Retain policy: then none, as foreground deletion
   * collects what is owned before any finalizer runs.
   */
  public static List<OwnerReference> references(SeiNodeDeployment fleet) {
    return isRetained(fleet) ? List.of() : List.of(reference(fleet));
  }

  /** Whether what was made for a fleet outlives it. */
  public static boolean isRetained(SeiNodeDeployment fleet) {
    return fleet.getSpec() != null && fleet.getSpec().deletionPolicy() == RetentionPolicy.RETAIN;
  }
}
