package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Endpoints;
import io.sei.operator.api.v1alpha1.InternalService;
import io.sei.operator.api.v1alpha1.NodeEndpoint;
import io.sei.operator.api.v1alpha1.PerPodService;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The URLs are the Go operator's, letter by letter: others are configured with them. */
class ServiceUrlsTest {

  static List<SeiNodeSpec> serving() {
    return List.of(Nodes.full(), Nodes.archive());
  }

  static List<SeiNodeSpec> notServing() {
    return List.of(Nodes.validator(), Nodes.validatorWithKeys(), Nodes.replayer(), Nodes.seed());
  }

  @ParameterizedTest
  @MethodSource("serving")
  void aNodeIsReachedAtItsHeadlessService(SeiNodeSpec spec) {
    assertThat(ServiceUrls.ofNode(Nodes.node(spec)))
        .contains(
            new NodeEndpoint(
                "http://pacific-rpc-0.sei-nodes.svc:8545",
                "ws://pacific-rpc-0.sei-nodes.svc:8546",
                "http://pacific-rpc-0.sei-nodes.svc:26657",
                "http://pacific-rpc-0.sei-nodes.svc:1317"));
  }

  @ParameterizedTest
  @MethodSource("notServing")
  void aNodeThatServesNobodyHasNoUrl(SeiNodeSpec spec) {
    assertThat(ServiceUrls.ofNode(Nodes.node(spec))).isEmpty();
  }

  @Test
  void aFleetIsReachedAtItsServiceAndAtThoseOfItsNodesInEveryMode() {
    var internal =
        new InternalService("rpc-internal", "sei", new InternalService.Ports(26657, 8545, 1317));
    PerPodService node = ServiceUrls.perPodService(Nodes.node(Nodes.validator())).orElseThrow();

    assertThat(node)
        .isEqualTo(
            new PerPodService("pacific-rpc-0", "sei-nodes", new PerPodService.Ports(8545, 8546)));
    var urls =
        new Endpoints.Node(
            "pacific-rpc-0",
            "http://pacific-rpc-0.sei-nodes.svc:8545",
            "ws://pacific-rpc-0.sei-nodes.svc:8546");
    assertThat(ServiceUrls.ofFleet(internal, List.of(node)))
        .isEqualTo(
            new Endpoints(
                "http://rpc-internal.sei.svc:26657",
                "http://rpc-internal.sei.svc:1317",
                List.of(urls)));
    assertThat(ServiceUrls.ofFleet(null, List.of(node)))
        .isEqualTo(new Endpoints(null, null, List.of(urls)));
    assertThat(ServiceUrls.ofFleet(internal, List.of()).nodes()).isNull();
    assertThat(ServiceUrls.ofFleet(null, List.of())).isNull();
  }
}
