package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.Endpoints;
import io.sei.operator.api.v1alpha1.InternalService;
import io.sei.operator.api.v1alpha1.NodeEndpoint;
import io.sei.operator.api.v1alpha1.PerPodService;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * URLs of nodes and fleets inside the cluster. The URLs are made of names alone; conditions say
 * whether a pod answers there.
 */
public final class ServiceUrls {

  /**
   * Modes that serve clients: validators switch the EVM and REST off, and a replayer has no
   * clients.
   */
  private static final Set<NodeMode> SERVING = Set.of(NodeMode.FULL, NodeMode.ARCHIVE);

  private ServiceUrls() {}

  /** The URLs of a node; empty for a mode that serves none of them. */
  public static Optional<NodeEndpoint> ofNode(SeiNode node) {
    String namespace = node.getMetadata().getNamespace();
    String service = Names.service(node);
    return SERVING.contains(NodeMode.of(node.getSpec()))
        ? Optional.of(
            new NodeEndpoint(
                url("http", service, namespace, Ports.EVM_HTTP),
                url("ws", service, namespace, Ports.EVM_WS),
                url("http", service, namespace, Ports.RPC),
                url("http", service, namespace, Ports.REST)))
        : Optional.empty();
  }

  /** The Service in front of a fleet. */
  public static InternalService internalService(SeiNodeDeployment fleet) {
    return new InternalService(
        Names.internalService(fleet),
        fleet.getMetadata().getNamespace(),
        new InternalService.Ports(Ports.RPC, Ports.EVM_HTTP, Ports.REST));
  }

  /** The headless Service of a fleet's node; empty where nothing is asked for by RPC. */
  public static Optional<PerPodService> perPodService(SeiNode node) {
    return Optional.of(
            new PerPodService(
                Names.service(node),
                node.getMetadata().getNamespace(),
                new PerPodService.Ports(Ports.EVM_HTTP, Ports.EVM_WS)))
        .filter(service -> NodeMode.of(node.getSpec()).servesRpc());
  }

  /**
   * Returns the URLs of a fleet.
   *
   * @param internal null if there is no Service in front of it
   * @param nodes in the order in which they are to be listed
   * @return null if there is no Service at all
   */
  public static Endpoints ofFleet(InternalService internal, List<PerPodService> nodes) {
    if (internal == null && nodes.isEmpty()) {
      return null;
    }
    return new Endpoints(
        internal == null ? null : ofAnyNode(internal, Ports.RPC),
        internal == null ? null : ofAnyNode(internal, Ports.REST),
        nodes.isEmpty() ? null : nodes.stream().map(ServiceUrls::ofOneNode).toList());
  }

  private static String ofAnyNode(InternalService service, int port) {
    return url("http", service.name(), service.namespace(), port);
  }

  private static Endpoints.Node ofOneNode(PerPodService service) {
    return new Endpoints.Node(
        service.name(),
        url("http", service.name(), service.namespace(), Ports.EVM_HTTP),
        url("ws", service.name(), service.namespace(), Ports.EVM_WS));
  }

  private static String url(String scheme, String service, String namespace, int port) {
    return "%s://%s.%s.svc:%d".formatted(scheme, service, namespace, port);
  }
}
