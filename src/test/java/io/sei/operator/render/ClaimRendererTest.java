package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.config.OperatorConfig;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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
    assertThat(metadata.getAnnotations()).contains(entry("sei.io/claim-owner-uid", Nodes.UID));
  }

  /** Decided when the claim is created; what the spec says then does not count. */
  static Stream<Arguments> defaults() {
    return Stream.of(
        arguments(Nodes.full(), "Delete"),
        arguments(Nodes.full().withDataVolume(onDelete("RETAIN")), "Delete"),
        arguments(Nodes.replayer(), "Delete"),
        arguments(Nodes.seed(), "Delete"),
        arguments(Nodes.archive(), "Retain"),
        arguments(Nodes.archive().withDataVolume(onDelete("DELETE")), "Retain"),
        arguments(Nodes.validator(), "Delete"),
        arguments(Nodes.validatorWithRemoteSigner(), "Delete"),
        arguments(Nodes.validatorWithKeys(), "Retain"));
  }

  @ParameterizedTest
  @MethodSource("defaults")
  void modeAndSigningKeyDecideWhatIsWrittenOnANewClaim(SeiNodeSpec spec, String policy) {
    var metadata = render(spec, Nodes.DEFAULTS).getMetadata();

    assertThat(metadata.getAnnotations()).containsEntry("sei.io/on-delete", policy);
    assertThat(ClaimRenderer.text(ClaimRenderer.byDefault(spec))).isEqualTo(policy);
    DataVolume volume = spec.dataVolume();
    String applies = volume == null ? policy : ClaimRenderer.text(volume.onDelete());
    assertThat(metadata.getOwnerReferences()).hasSize(applies.equals("Retain") ? 0 : 1);
    // Also before the claim is bound, when the status has no volume yet.
    assertThat(ClaimRenderer.deletedWith(Nodes.node(spec)).isPresent())
        .isEqualTo(applies.equals("Delete"));
  }

  /** The policy of an existing claim: that of the spec, else of the claim, else Delete. */
  @ParameterizedTest(name = "spec {0}, claim {1}, archive {2}: {3}")
  @CsvSource({
    ", , false, Delete",
    ", , true, Delete",
    ", Delete, true, Delete",
    ", Retain, false, Retain",
    ", Retain, true, Retain",
    ", retain, true, Delete",
    "Delete, , true, Delete",
    "Delete, Retain, true, Delete",
    "Retain, , false, Retain",
    "Retain, Delete, false, Retain",
  })
  void specWinsOverTheClaimAndTheClaimOverTheMode(
      String inSpec, String onClaim, boolean archive, String applies) {
    SeiNodeSpec mode = archive ? Nodes.archive() : Nodes.full();
    SeiNode node =
        Nodes.node(
            inSpec == null ? mode : mode.withDataVolume(onDelete(inSpec.toUpperCase(Locale.ROOT))));
    var claim = new PersistentVolumeClaim();
    claim.setMetadata(new ObjectMetaBuilder().addToAnnotations(annotations(onClaim)).build());
    var policy = ClaimRenderer.onDelete(node, claim);
    var status = SeiNodeStatus.empty();
    node.setStatus(
        status.with(
            builder -> builder.dataVolume(new NodeVolume("claim", "volume", null, policy, null))));

    assertThat(ClaimRenderer.text(policy)).isEqualTo(applies);
    assertThat(ClaimRenderer.owners(node, claim)).hasSize(applies.equals("Retain") ? 0 : 1);
    assertThat(ClaimRenderer.isRetained(node)).isEqualTo(applies.equals("Retain"));
    assertThat(ClaimRenderer.deletedWith(node).isPresent()).isEqualTo(applies.equals("Delete"));
  }

  @Test
  void importedClaimOutlivesItsNodeAndNeedsNoFinalizer() {
    SeiNode node = Nodes.node(Nodes.archive().withDataVolume(Nodes.importing("restored-disk")));
    var claim = new PersistentVolumeClaim();
    claim.setMetadata(new ObjectMetaBuilder().addToAnnotations(annotations("Retain")).build());
    var policy = ClaimRenderer.onDelete(node, claim);
    node.setStatus(
        SeiNodeStatus.empty()
            .with(
                builder ->
                    builder.dataVolume(new NodeVolume("claim", "volume", null, policy, null))));

    assertThat(policy).isEqualTo(DataVolume.RetentionPolicy.RETAIN);
    assertThat(ClaimRenderer.isRetained(node)).isFalse();
    assertThat(ClaimRenderer.deletedWith(node)).isEmpty();
  }

  private static Map<String, String> annotations(String onDelete) {
    return onDelete == null ? Map.of() : Map.of("sei.io/on-delete", onDelete);
  }

  @Test
  void everyClaimNamesItsNodeAndItsPolicy() {
    assertThat(render(Nodes.full(), Nodes.DEFAULTS).getMetadata().getAnnotations())
        .isEqualTo(Map.of("sei.io/claim-owner-uid", Nodes.UID, "sei.io/on-delete", "Delete"));
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
