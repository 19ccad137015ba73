package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.samples.Samples;
import org.junit.jupiter.api.Test;

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
