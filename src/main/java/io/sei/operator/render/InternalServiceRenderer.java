package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.util.Map;

/**
 * The ClusterIP Service in front of a fleet; name, labels, selector and ports are the Go
 * operator's.
 */
public final class InternalServiceRenderer {

  /** The Go operator's word for its controller of fleets. */
  private static final String MANAGER = "seinodedeployment";

  /** What the fleet's Service should be: it leads to Ready pods only, of any template. */
  public Service render(SeiNodeDeployment fleet) {
    Map<String, String> members = Map.of(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName());
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(Names.internalService(fleet))
        .withNamespace(fleet.getMetadata().getNamespace())
        .withLabels(members)
        .addToAnnotations(Annotations.MANAGED_BY, MANAGER)
        .withOwnerReferences(FleetOwner.references(fleet))
        .endMetadata()
        .withNewSpec()
        .withType("ClusterIP")
        .withPublishNotReadyAddresses(false)
        .withSelector(members)
        .withPorts(Ports.ofFleet())
        .endSpec()
        .build();
  }
}
