package io.sei.operator.render;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatusBuilder;
import io.sei.operator.testkit.samples.Samples;
import org.junit.jupiter.api.Test;

class SnapshotRendererTest {

  private static final SeiNodeSpec SPEC =
      SeiNodeSpecBuilder.builder()
          .chainId("pacific-1")
          .image("sei:spec")
          .fullNode(new FullNode(null, null))
          .build();
  private static final Run RUN =
      FleetSnapshotsRunBuilder.builder().node("rpc-1").snapshot("rpc-1-x").build();

  @Test
  void saysWhatTheDataIs() {
    VolumeSnapshot snapshot = render(SPEC, RUN.withHeight(7L));

    assertThat(snapshot.getMetadata().getName()).isEqualTo("rpc-1-x");
    assertThat(snapshot.getMetadata().getOwnerReferences()).isEmpty();
    assertThat(snapshot.getMetadata().getLabels())
        .containsOnly(
            entry("sei.io/chain", "pacific-1"),
            entry("sei.io/node", "rpc-1"),
            entry("sei.io/nodedeployment", "rpc"),
            entry("sei.io/height", "7"),
            entry("app.kubernetes.io/managed-by", "sei-operator"));
    // What ran, which an upgrade may have made another than the spec's.
    assertThat(snapshot.getMetadata().getAnnotations()).containsEntry("sei.io/image", "sei:ran");
    assertThat(snapshot.getSpec().getVolumeSnapshotClassName()).isEqualTo("class");
    assertThat(snapshot.getSpec().getSource().getPersistentVolumeClaimName())
        .isEqualTo("data-rpc-1");
  }

  @Test
  void heightThatIsNotKnownIsLeftOut() {
    assertThat(render(SPEC, RUN).getMetadata().getLabels()).doesNotContainKey("sei.io/height");
  }

  @Test
  void importedClaimIsTheOneThatIsTaken() {
    var dataVolume = Samples.imported("mine");

    assertThat(
            render(SPEC.withDataVolume(dataVolume), RUN)
                .getSpec()
                .getSource()
                .getPersistentVolumeClaimName())
        .isEqualTo("mine");
  }

  private static VolumeSnapshot render(SeiNodeSpec spec, Run run) {
    var fleet = Samples.fleet("sei", "rpc", null);
    var node = Samples.node(null, "rpc-1", spec);
    node.setStatus(SeiNodeStatusBuilder.builder().currentImage("sei:ran").build());
    return SnapshotRenderer.render(fleet, node, run, "class");
  }
}
