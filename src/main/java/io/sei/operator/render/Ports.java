package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Ports of a node's pod: seid's are its own defaults, the others never change. */
public final class Ports {

  /** CometBFT RPC, which also tells how far the node lags. */
  public static final int RPC = 26657;

  /** EVM JSON-RPC. */
  static final int EVM_HTTP = 8545;

  /** EVM WebSocket. */
  static final int EVM_WS = 8546;

  /** Cosmos REST. */
  static final int REST = 1317;

  /** The gRPC API. */
  public static final int GRPC = 9090;

  /** The proxy in front of the sidecar; the only way in from outside the pod. */
  public static final int API = 8443;

  /** Port for other nodes. */
  public static final int P2P = 26656;

  static final int COSMOS_METRICS = 9300;

  private static final int METRICS = 26660;

  // Server-side apply merges lists of ports by number and protocol, so the protocol is spelled out.
  private static final String TCP = "TCP";

  private static final List<Port> SEID =
      List.of(
          new Port("evm-rpc", EVM_HTTP, null),
          new Port("evm-ws", EVM_WS, null),
          new Port("grpc", GRPC, "kubernetes.io/h2c"),
          new Port("rest", REST, null),
          new Port("p2p", P2P, null),
          new Port("rpc", RPC, null),
          new Port("metrics", METRICS, null));

  private Ports() {}

  /** The port that the API of a node's sidecar listens on inside the pod. */
  static int ofSidecar(SeiNodeSpec spec) {
    return Optional.ofNullable(spec.sidecar())
        .map(SidecarSpec::port)
        .filter(port -> port != 0)
        .orElse(SidecarSpec.DEFAULT_PORT);
  }

  /** Ports of seid's container, without gRPC, which not every version serves. */
  static List<ContainerPort> ofSeid(SeiNodeSpec spec) {
    return open(spec)
        .filter(port -> port.number() != GRPC)
        .map(port -> ofContainer(port.name(), port.number()))
        .toList();
  }

  /** Returns whether a port is one of seid's. */
  public static boolean isOfSeid(int number) {
    return SEID.stream().anyMatch(port -> port.number() == number);
  }

  private static Stream<Port> open(SeiNodeSpec spec) {
    boolean all = NodeMode.of(spec).servesRpc();
    return SEID.stream().filter(port -> all || !port.isOfRpc());
  }

  static ContainerPort ofProxy() {
    return ofContainer("api", API);
  }

  /**
   * Ports of a node's Service.
   *
   * @param leftOut ports that the seid that runs does not serve
   */
  static List<ServicePort> ofService(SeiNodeSpec spec, Set<Integer> leftOut) {
    return Stream.concat(
            open(spec).filter(port -> !leftOut.contains(port.number())),
            Stream.of(new Port("api", API, null)))
        .map(Ports::ofService)
        .toList();
  }

  /**
   * Ports of the Service in front of a fleet: of protocols that may go to another node with each
   * request. WebSockets, gRPC and EVM state stick to one node.
   */
  static List<ServicePort> ofFleet() {
    return Stream.of(
            new Port("rpc", RPC, null),
            new Port("evm-http", EVM_HTTP, null),
            new Port("rest", REST, null))
        .map(Ports::ofService)
        .toList();
  }

  static List<ServicePort> ofSigner(int port) {
    return List.of(ofService(new Port("signer", port, null)));
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

  private record Port(String name, int number, String appProtocol) {

    /** Wherever seid runs, its P2P port and its own metrics are open. */
    boolean isOfRpc() {
      return number != P2P && number != METRICS;
    }
  }
}
