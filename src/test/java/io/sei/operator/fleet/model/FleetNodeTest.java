package io.sei.operator.fleet.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.SpecHash;
import io.sei.operator.render.TemplateHash;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FleetNodeTest {

  private static final SeiNodeSpec OLD = spec("sei:v1");
  private static final SeiNodeSpec NEW = spec("sei:v2");
  private static final String GIVEN = TemplateHash.ofSpecHash(SpecHash.of(NEW, null));

  @Test
  void runsWhatItWasGivenOnceItsPodDoes() {
    assertThat(FleetNode.of(node(NEW, null, SpecHash.of(NEW, null)), 0).runs(GIVEN)).isTrue();
    assertThat(FleetNode.of(node(NEW, null, SpecHash.of(OLD, null)), 0).runs(GIVEN)).isFalse();
  }

  @Test
  void restartOfItsOwnIsNoneOfItsTemplatesBusiness() {
    assertThat(FleetNode.of(node(NEW, "now", SpecHash.of(NEW, "now")), 0).runs(GIVEN)).isTrue();
  }

  @Test
  void restartOfItsOwnThatIsStillToComeIsNotThere() {
    assertThat(FleetNode.of(node(NEW, "now", SpecHash.of(NEW, "before")), 0).runs(GIVEN)).isFalse();
  }

  @Test
  void editOfItsOwnIsNotItsTemplate() {
    assertThat(FleetNode.of(node(OLD, "now", SpecHash.of(OLD, "now")), 0).runs(GIVEN)).isFalse();
    assertThat(FleetNode.of(node(OLD, null, SpecHash.of(OLD, null)), 0).runs(GIVEN)).isFalse();
  }

  @Test
  void heldNodeIsOutOfServiceAndOfItsTemplateAllTheSame() {
    var spec = NEW.withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE));
    SeiNode held = node(spec, null, SpecHash.of(spec, null));
    held.setStatus(held.getStatus().withPodBaseHash(SpecHash.ofTemplate(spec, null)));

    FleetNode view = FleetNode.of(held, 0);

    assertThat(view.paused()).isTrue();
    assertThat(view.held()).isTrue();
    assertThat(view.runs(GIVEN)).isTrue();
  }

  /** A node that was given the new template. */
  private static SeiNode node(SeiNodeSpec spec, String restart, String podSpecHash) {
    var node = new SeiNode();
    node.getMetadata().setName("fleet-0");
    node.getMetadata().setGeneration(1L);
    node.getMetadata().setLabels(Map.of(Labels.REVISION, GIVEN));
    node.getMetadata()
        .setAnnotations(
            restart == null ? Map.of() : Map.of(Annotations.RESTART_REQUESTED_AT, restart));
    node.setSpec(spec);
    node.setStatus(
        SeiNodeStatus.empty().with(it -> it.observedGeneration(1L).podSpecHash(podSpecHash)));
    return node;
  }

  private static SeiNodeSpec spec(String image) {
    return SeiNodeSpecBuilder.builder()
        .chainId("atlantic-2")
        .image(image)
        .fullNode(new FullNode(null, null))
        .build();
  }
}
