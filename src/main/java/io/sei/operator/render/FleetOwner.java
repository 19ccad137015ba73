package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.util.List;

/** Owner reference of a fleet, also on objects that it does not own exclusively. */
public final class FleetOwner {

  /** Finalizer of fleets whose nodes outlive them, also of those that another operator made. */
  public static final String FINALIZER = "sei.io/seinodedeployment-finalizer";

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

  /**
   * Returns whether what was made for a fleet outlives it. The policy of a spec that cannot be read
   * is unknown, and nodes are kept where it may say so.
   */
  public static boolean isRetained(SeiNodeDeployment fleet) {
    return fleet.getSpec() == null
        ? fleet.hasFinalizer(FINALIZER)
        : fleet.getSpec().deletionPolicy() == RetentionPolicy.RETAIN;
  }
}
