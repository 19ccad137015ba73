package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NodeModeTest {

  static Arguments[] modes() {
    return new Arguments[] {
      Arguments.of(Nodes.full(), NodeMode.FULL, "node", "sei-node", "gp3-10k-750"),
      Arguments.of(Nodes.archive(), NodeMode.ARCHIVE, "archive", "sei-archive", "gp3-archive"),
      Arguments.of(Nodes.replayer(), NodeMode.REPLAYER, "replayer", "sei-node", "gp3-10k-750"),
      Arguments.of(Nodes.seed(), NodeMode.SEED, "seed", "sei-node", "gp3-10k-750"),
      Arguments.of(Nodes.validator(), NodeMode.VALIDATOR, "validator", "sei-node", "gp3-10k-750")
    };
  }

  @ParameterizedTest
  @MethodSource("modes")
  void theModeDecidesWhatThePlatformGives(
      SeiNodeSpec spec, NodeMode mode, String role, String nodepool, String storageClass) {
    assertThat(NodeMode.of(spec)).isEqualTo(mode);
    assertThat(mode.role()).isEqualTo(role);
    assertThat(mode.nodepool(Nodes.PLATFORM)).contains(nodepool);
    assertThat(mode.storage(Nodes.PLATFORM).storageClass()).contains(storageClass);
  }

  @Test
  void anArchiveGetsMoreOfEverything() {
    assertThat(NodeMode.ARCHIVE.requests(Nodes.DEFAULTS))
        .isEqualTo(Nodes.DEFAULTS.pod().requestsArchive())
        .isNotEqualTo(NodeMode.FULL.requests(Nodes.DEFAULTS));
    assertThat(NodeMode.ARCHIVE.storage(Nodes.DEFAULTS).size())
        .isNotEqualTo(NodeMode.FULL.storage(Nodes.DEFAULTS).size());
  }

  @Test
  void aSeedGetsLessOfEverythingAndIsNotAsked() {
    assertThat(NodeMode.SEED.storage(Nodes.DEFAULTS).size()).isEqualTo("20Gi");
    assertThat(NodeMode.SEED.requests(Nodes.DEFAULTS).memory()).isEqualTo("2Gi");
    assertThat(NodeMode.values())
        .filteredOn(mode -> !mode.servesRpc())
        .containsExactly(NodeMode.SEED);
  }

  @Test
  void aSpecWithoutAModeCountsAsAFullNode() {
    assertThat(NodeMode.of(Nodes.spec().build())).isEqualTo(NodeMode.FULL);
  }
}
