package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;

/** A node's headless Service, which gives its pod a DNS name. */
public final class ServiceRenderer {

  /**
   * What the node's Service should be. It publishes the pod before it is ready: the operator talks
   * to the sidecar to make it ready, and a halted node must still be reachable.
   */
  public Service render(SeiNode node) {
    return new ServiceBuilder()
        .withMetadata(Metadata.owned(node, Names.service(node)))
        .withNewSpec()
        .withClusterIP("None")
        .withPublishNotReadyAddresses(true)
        .withSelector(Labels.selector(node.getMetadata().getName()))
        .withPorts(Ports.ofService())
        .endSpec()
        .build();
  }
}
