package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.samples.Samples;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {

  @Test
  void objectsAreNamedAfterTheNode() {
    var node = Nodes.node(Nodes.full());

    assertThat(Names.statefulSet(node)).isEqualTo("pacific-rpc-0");
    assertThat(Names.service(node)).isEqualTo("pacific-rpc-0");
    assertThat(Names.pod(node)).isEqualTo("pacific-rpc-0-0");
    assertThat(Names.claim(node)).isEqualTo("data-pacific-rpc-0");
    assertThat(Names.rbacProxyConfig(node)).isEqualTo("pacific-rpc-0-rbac-proxy-config");
  }

  @Test
  void noTwoNodesHaveOneAudience() {
    assertThat(Names.sidecarAudience("sei-nodes", "rpc-0"))
        .isEqualTo("sei.io/sidecar/sei-nodes/rpc-0");
    assertThat(Names.sidecarAudience("a", "b-c")).isNotEqualTo(Names.sidecarAudience("a-b", "c"));
  }

  /** The name ends up in the configuration of nodes that trust this node's namespace for peers. */
  @ParameterizedTest
  @ValueSource(strings = {"p%zz:26656", "a\"#b:26656", "{x}^|:26656", "\u001b[2J:26656", "é:26656"})
  void anExternalAddressThatIsNoHostNameReachesNoOtherNode(String address) {
    assertThat(Names.peerAddress(announcing(address)))
        .isEqualTo("pacific-rpc-0-0.pacific-rpc-0.sei-nodes.svc.cluster.local:26656");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"p2p.example.com:26656", "a_b-c:1", "10.0.0.1:26656", "[2001:db8::1]:26656"})
  void everyOtherExternalAddressIsThatOfThePeer(String address) {
    assertThat(Names.peerAddress(announcing(address))).isEqualTo(address);
  }

  private static SeiNode announcing(String address) {
    return Nodes.node(Nodes.spec().externalAddress(address).build());
  }

  @Test
  void anImportedClaimKeepsItsName() {
    var node = Nodes.node(Nodes.spec().dataVolume(Nodes.importing("old-disk")).build());

    assertThat(Names.claim(node)).isEqualTo("old-disk");
    assertThat(Names.importedClaim(node)).contains("old-disk");
  }

  @Test
  void aDataVolumeNeedNotImport() {
    var retained = Samples.retained();
    var node = Nodes.node(Nodes.spec().dataVolume(retained).build());

    assertThat(Names.claim(node)).isEqualTo("data-pacific-rpc-0");
    assertThat(Names.importedClaim(node)).isEmpty();
  }
}
