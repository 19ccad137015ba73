package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import java.util.List;
import java.util.stream.Stream;

/** Ports of a node's pod: seid's are its own defaults, the others the Go operator's choice. */
public final class Ports {

  /** CometBFT RPC, which also tells how far the node lags. */
  public static final int RPC = 26657;

  /** The gRPC API. */
  public static final int GRPC = 9090;

  /** The proxy in front of the sidecar; the only way in from outside the pod. */
  public static final int API = 8443;

  /** Where other nodes connect. */
  static final int P2P = 26656;

  static final int COSMOS_METRICS = 9300;

  // Server-side apply merges lists of ports by number and protocol, so the protocol is spelled out.
  private static final String TCP = "TCP";

  private static final Port API_PORT = new Port("api", API, null);

  private static final List<Port> SEID =
      List.of(
          new Port("evm-rpc", 8545, null),
          new Port("evm-ws", 8546, null),
          new Port("grpc", GRPC, "kubernetes.io/h2c"),
          new Port("rest", 1317, null),
          new Port("p2p", P2P, null),
          new Port("rpc", RPC, null),
          new Port("metrics", 26660, null));

  private Ports() {}

  static List<ContainerPort> ofSeid() {
    return SEID.stream().map(port -> ofContainer(port.name(), port.number())).toList();
  }

  static ContainerPort ofProxy() {
    return ofContainer(API_PORT.name(), API_PORT.number());
  }

  static List<ServicePort> ofService() {
    return Stream.concat(SEID.stream(), Stream.of(API_PORT)).map(Ports::ofService).toList();
  }

  static ContainerPort ofContainer(String name, int number) {
    return new ContainerPortBuilder()
        .withName(name)
        .withContainerPort(number)
        .withProtocol(TCP)
        .build();
  }

  private static ServicePort ofService(Port port) {
    return new ServicePortBuilder()
        .withName(port.name())
        .withPort(port.number())
        .withNewTargetPort(port.number())
        .withProtocol(TCP)
        .withAppProtocol(port.appProtocol())
        .build();
  }

  private record Port(String name, int number, String appProtocol) {}
}
