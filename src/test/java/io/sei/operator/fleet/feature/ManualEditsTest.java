package io.sei.operator.fleet.feature;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Edits of a node beside its template, and edits against it. */
class ManualEditsTest {

  private static final SeiNode MADE = node(spec -> spec);

  @Test
  void whatThePodDependsOnIsNamedAndNothingElse() {
    SeiNode node =
        node(
            spec ->
                spec.with(
                    to ->
                        to.sidecar(new SidecarSpec("seictl:own", null, null))
                            .resources(
                                new ResourceRequirementsBuilder()
                                    .addToLimits("memory", new Quantity("64Gi"))
                                    .build())
                            .scheduling(Scheduling.NONE.withNodeSelector(Map.of("disk", "nvme")))
                            .overrides(Map.of("mempool.size", "10"))
                            .externalAddress("host:26656")
                            .paused(true)
                            .progressDeadlineSeconds(77)));

    assertThat(ManualEdits.fields(node, MADE))
        .containsExactlyInAnyOrder("spec.sidecar", "spec.resources", "spec.scheduling");
    assertThat(ManualEdits.isBeside(node, MADE)).isTrue();
    assertThat(ManualEdits.fields(MADE, MADE)).isEmpty();
  }

  @Test
  void whatTheTemplateSetsIsNotBesideIt() {
    SeiNode node = node(spec -> spec.withImage(B));

    assertThat(ManualEdits.fields(node, MADE)).containsExactly("spec.image");
    assertThat(ManualEdits.isBeside(node, MADE)).isFalse();
  }

  /** Covers a node that has nothing set. */
  @Test
  void anotherModeIsNotBesideIt() {
    SeiNode node = node(spec -> spec.with(to -> to.fullNode(null).archive(new Archive(null))));

    assertThat(ManualEdits.fields(node, MADE)).containsExactly("spec.archive");
    assertThat(ManualEdits.isBeside(node, MADE)).isFalse();
  }

  private static SeiNode node(UnaryOperator<SeiNodeSpec> change) {
    var node = new SeiNode();
    node.setSpec(change.apply(template(A).spec()));
    return node;
  }
}
