package io.sei.operator.node.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose a volume is, and whether one Kubernetes node alone can use it. */
class VolumeFactsTest {

  @ParameterizedTest
  @CsvSource({
    "kubernetes.io/hostname, In, m1, m1",
    "topology.topolvm.io/node, In, m1, m1",
    "openebs.io/nodename, In, m1, m1",
    "kubernetes.io/hostname, In, m1 m2,",
    "kubernetes.io/hostname, NotIn, m1,",
    "topology.kubernetes.io/zone, In, eu-1a,",
  })
  void labelOfOneKubernetesNodePins(String key, String operator, String values, String expected) {
    PersistentVolume volume = volume(key, operator, values.split(" "));

    assertThat(VolumeFacts.of(volume).onlyNode().orElse(null)).isEqualTo(expected);
  }

  @Test
  void volumeWithoutAnAffinityIsNotPinned() {
    PersistentVolume volume = volume("kubernetes.io/hostname", "In", "m1");
    volume.getSpec().setNodeAffinity(null);

    assertThat(VolumeFacts.of(volume).onlyNode()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "mine,    true,  false",
    "another, false, true",
    // Nobody's: an administrator has taken it off to bind the volume to a new claim.
    ",        false, false",
  })
  void volumeWithoutTheUidOfAClaimIsOfNone(String uid, boolean mine, boolean others) {
    PersistentVolume volume =
        new PersistentVolumeBuilder(volume("kubernetes.io/hostname", "In", "m1"))
            .editSpec()
            .withNewClaimRef()
            .withName("data-node")
            .withUid(uid)
            .endClaimRef()
            .endSpec()
            .build();

    assertThat(VolumeFacts.of(volume).isOfClaim("mine")).isEqualTo(mine);
    assertThat(VolumeFacts.of(volume).isOfAnotherClaim("mine")).isEqualTo(others);
  }

  private static PersistentVolume volume(String key, String operator, String... values) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName("v")
        .endMetadata()
        .withNewSpec()
        .withNewNodeAffinity()
        .withNewRequired()
        .addNewNodeSelectorTerm()
        .withMatchExpressions(new NodeSelectorRequirement(key, operator, List.of(values)))
        .endNodeSelectorTerm()
        .endRequired()
        .endNodeAffinity()
        .endSpec()
        .build();
  }
}
