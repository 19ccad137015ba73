package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import java.util.Map;
import java.util.Set;

/**
 * A node's headless Service, which gives its pod a DNS name, and the ClusterIP Service in front of
 * a fleet. Name, labels, selector and ports of the latter never change: others reach it by them.
 */
public final class ServiceRenderer {

  /** The controller of fleets, as it is called on what it keeps. */
  private static final String FLEET_MANAGER = "seinodedeployment";

  /**
   * Renders the node's Service. It publishes the pod before it is ready: the operator talks to the
   * sidecar to make it ready, and a halted node must still be reachable.
   *
   * @param leftOut ports that the seid that runs does not serve
   */
  public Service render(SeiNode node, Set<Integer> leftOut) {
    return new ServiceBuilder()
        .withMetadata(Metadata.owned(node, Names.service(node)))
        .withNewSpec()
        .withClusterIP("None")
        .withPublishNotReadyAddresses(true)
        .withSelector(Labels.selector(node.getMetadata().getName()))
        .withPorts(Ports.ofService(node.getSpec(), leftOut))
        .endSpec()
        .build();
  }

  /**
   * Renders the Service for a node's remote signer. It publishes the pod before it is ready: seid
   * does not start without its signer.
   */
  public Service signer(SeiNode node) {
    int port = node.getSpec().remoteSigner().flatMap(RemoteSigner::port).orElseThrow();
    return new ServiceBuilder()
        .withMetadata(Metadata.owned(node, Names.signerService(node)))
        .withNewSpec()
        .withType("ClusterIP")
        .withPublishNotReadyAddresses(true)
        .withSelector(Labels.selector(node.getMetadata().getName()))
        .withPorts(Ports.ofSigner(port))
        .endSpec()
        .build();
  }

  /** Renders the fleet's Service, which leads to Ready pods of any template. */
  public Service internal(SeiNodeDeployment fleet) {
    Map<String, String> members = Map.of(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName());
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(Names.internalService(fleet))
        .withNamespace(fleet.getMetadata().getNamespace())
        .withLabels(members)
        .addToAnnotations(Annotations.MANAGED_BY, FLEET_MANAGER)
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
