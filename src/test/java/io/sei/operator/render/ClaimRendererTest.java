package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimRendererTest {

  @Test
  void theModeDecidesClassAndSize() {
    var full = render(Nodes.full(), Nodes.PLATFORM);
    var archive = render(Nodes.archive(), Nodes.PLATFORM);

    assertThat(full.getSpec().getStorageClassName()).isEqualTo("gp3-10k-750");
    assertThat(size(full)).isEqualTo(new Quantity(Nodes.PLATFORM.storage().claim().size()));
    assertThat(archive.getSpec().getStorageClassName()).isEqualTo("gp3-archive");
    assertThat(size(archive))
        .isEqualTo(new Quantity(Nodes.PLATFORM.storage().claimArchive().size()));
  }

  @Test
  void theSpecDecidesFirst() {
    var storage =
        new DataVolume.Storage(
            "fast",
            "gold",
            new DataVolume.Storage.Resources(new DataVolume.Storage.Requests(new Quantity("4Ti"))),
            null);
    var asked = Nodes.full().withDataVolume(new DataVolume(null, null, storage, null, null));
    var sizeOnly =
        Nodes.full()
            .withDataVolume(
                new DataVolume(
                    null,
                    null,
                    new DataVolume.Storage(null, null, storage.resources(), null),
                    null,
                    null));

    assertThat(render(asked, Nodes.PLATFORM).getSpec().getStorageClassName()).isEqualTo("fast");
    assertThat(render(asked, Nodes.PLATFORM).getSpec().getVolumeAttributesClassName())
        .isEqualTo("gold");
    assertThat(size(render(asked, Nodes.PLATFORM))).isEqualTo(new Quantity("4Ti"));
    assertThat(render(sizeOnly, Nodes.PLATFORM).getSpec().getStorageClassName())
        .isEqualTo("gp3-10k-750");
  }

  @Test
  void withoutAClassTheClustersDefaultIsTaken() {
    assertThat(render(Nodes.full(), Nodes.DEFAULTS).getSpec().getStorageClassName()).isNull();
  }

  @Test
  void aClaimGoesWithItsNode() {
    assertThat(render(Nodes.full(), Nodes.DEFAULTS).getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(Nodes.UID));
    assertThat(
            render(Nodes.full().withDataVolume(onDelete("DELETE")), Nodes.DEFAULTS)
                .getMetadata()
                .getOwnerReferences())
        .hasSize(1);
  }

  @Test
  void aRetainedClaimHasNoOwnerButSaysWhoseItIs() {
    var metadata =
        render(Nodes.full().withDataVolume(onDelete("RETAIN")), Nodes.DEFAULTS).getMetadata();

    assertThat(metadata.getOwnerReferences()).isEmpty();
    assertThat(metadata.getLabels()).contains(entry("sei.io/node", "pacific-rpc-0"));
    assertThat(metadata.getAnnotations()).containsOnly(entry("sei.io/claim-owner-uid", Nodes.UID));
  }

  @Test
  void everyClaimSaysWhoseItIs() {
    assertThat(render(Nodes.full(), Nodes.DEFAULTS).getMetadata().getAnnotations())
        .isEqualTo(Map.of("sei.io/claim-owner-uid", Nodes.UID));
  }

  @Test
  void anImportedClaimIsLeftAlone() {
    var node = Nodes.node(Nodes.full().withDataVolume(Nodes.importing("restored-disk")));

    assertThat(new ClaimRenderer(Nodes.DEFAULTS).render(node)).isEmpty();
  }

  private static PersistentVolumeClaim render(SeiNodeSpec spec, OperatorConfig config) {
    return new ClaimRenderer(config).render(Nodes.node(spec)).orElseThrow();
  }

  private static Quantity size(PersistentVolumeClaim claim) {
    return claim.getSpec().getResources().getRequests().get("storage");
  }

  private static DataVolume onDelete(String policy) {
    return new DataVolume(null, DataVolume.RetentionPolicy.valueOf(policy), null, null, null);
  }
}
