package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.NodeTemplate.TemplateMetadata;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.testkit.samples.Samples;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Renders nodes from a fleet's template. */
class ChildRendererTest {

  private static final NodeTemplate PLAIN = new NodeTemplate(null, Nodes.full());
  private static final NodeTemplate LABELLED =
      new NodeTemplate(
          new TemplateMetadata(Map.of("team", "x"), Map.of("note", "y")),
          Nodes.full().withPodLabels(Map.of("tier", "rpc")));

  private final ChildRenderer renderer = new ChildRenderer();

  @Test
  void namesLabelsAndOwnsTheNode() {
    SeiNode node = renderer.render(deployment(spec -> spec), 3, PLAIN);

    String hash = TemplateHash.of(node);
    assertThat(node.getMetadata().getName()).isEqualTo("rpc-3");
    assertThat(node.getMetadata().getNamespace()).isEqualTo("sei");
    assertThat(node.getMetadata().getLabels())
        .containsOnly(
            Map.entry("sei.io/nodedeployment", "rpc"),
            Map.entry("sei.io/nodedeployment-ordinal", "3"),
            Map.entry("sei.io/chain", "pacific-1"),
            Map.entry("sei.io/role", "node"),
            Map.entry("sei.io/revision", hash));
    assertThat(node.getSpec().podLabels())
        .containsOnly(
            Map.entry("sei.io/nodedeployment", "rpc"), Map.entry("sei.io/revision", hash));
    assertThat(node.getMetadata().getOwnerReferences())
        .singleElement()
        .matches(owner -> owner.getUid().equals("uid") && owner.getController());
    assertThat(node.getSpec().withPodLabels(null)).isEqualTo(Nodes.full());
  }

  @Test
  void everyNodeHasTheHashOfTheTemplate() {
    SeiNodeDeployment deployment = deployment(spec -> spec);
    String hash = ChildRenderer.hash(deployment, LABELLED);

    assertThat(TemplateHash.of(renderer.render(deployment, 0, LABELLED))).isEqualTo(hash);
    assertThat(TemplateHash.of(renderer.render(deployment, 9, LABELLED))).isEqualTo(hash);
  }

  @Test
  void theTemplatesLabelsReachNodeAndPodAndItsAnnotationsTheNode() {
    SeiNode node = renderer.render(deployment(spec -> spec), 0, LABELLED);

    assertThat(node.getMetadata().getLabels()).containsEntry("team", "x");
    assertThat(node.getSpec().podLabels()).containsEntry("team", "x").containsEntry("tier", "rpc");
    assertThat(node.getMetadata().getAnnotations()).containsExactly(Map.entry("note", "y"));
  }

  @Test
  void theOperatorsLabelsWin() {
    var template =
        new NodeTemplate(
            new TemplateMetadata(
                Map.of(
                    "sei.io/nodedeployment", "other",
                    "sei.io/revision", "other",
                    "sei.io/component", "bootstrap"),
                null),
            Nodes.full());

    SeiNode node = renderer.render(deployment(spec -> spec), 0, template);

    assertThat(node.getMetadata().getLabels())
        .containsEntry("sei.io/nodedeployment", "rpc")
        .containsEntry("sei.io/revision", TemplateHash.of(node));
    assertThat(node.getSpec().podLabels())
        .containsOnly(
            Map.entry("sei.io/nodedeployment", "rpc"),
            Map.entry("sei.io/revision", TemplateHash.of(node)));
  }

  @Test
  void aRetainedNodeHasNoOwner() {
    SeiNodeDeployment deployment =
        deployment(spec -> spec.withDeletionPolicy(RetentionPolicy.RETAIN));

    assertThat(renderer.render(deployment, 0, PLAIN).getMetadata().getOwnerReferences()).isEmpty();
  }

  @Test
  void pausingStopsEveryNodeAndIsNotPartOfTheTemplate() {
    SeiNodeDeployment paused = deployment(spec -> spec.withPaused(true));

    assertThat(renderer.render(paused, 0, PLAIN).getSpec().paused()).isTrue();
    assertThat(renderer.render(deployment(spec -> spec), 0, PLAIN).getSpec().paused()).isNull();
    assertThat(ChildRenderer.hash(paused, PLAIN))
        .isEqualTo(ChildRenderer.hash(deployment(spec -> spec), PLAIN));
  }

  @Test
  void theHashDoesNotChangeWithTheNumberOfNodes() {
    assertThat(ChildRenderer.hash(deployment(spec -> spec.withReplicas(1)), PLAIN))
        .isEqualTo(ChildRenderer.hash(deployment(spec -> spec.withReplicas(50)), PLAIN));
  }

  @Test
  void aRestartAskedForOnTheDeploymentIsPartOfTheTemplate() {
    SeiNodeDeployment deployment = deployment(spec -> spec);
    deployment.getMetadata().setAnnotations(Map.of("sei.io/restart-requested-at", "now"));

    NodeTemplate template = ChildRenderer.template(deployment);

    assertThat(template.metadata().annotations())
        .containsExactly(Map.entry("sei.io/restart-requested-at", "now"));
    assertThat(ChildRenderer.hash(deployment, template))
        .isNotEqualTo(ChildRenderer.hash(deployment, PLAIN));
    assertThat(ChildRenderer.template(deployment(spec -> spec))).isEqualTo(PLAIN);
  }

  @Test
  void theTemplateOfANodeMakesTheSamePodAgain() {
    SeiNodeDeployment deployment = deployment(spec -> spec);
    SeiNode node = renderer.render(deployment, 0, LABELLED);

    NodeTemplate template = ChildRenderer.templateOf(node);

    assertThat(TemplateHash.of(renderer.render(deployment, 0, template)))
        .isEqualTo(TemplateHash.of(node));
    assertThat(template.spec().paused()).isNull();
  }

  @Test
  void whatBelongsToANodeIsNotPartOfItsTemplate() {
    var ceremony = new GenesisCeremony("pacific-1", "10usei", "100usei", 3, null, null, null, null);
    var node = new SeiNode();
    node.setSpec(
        Nodes.full()
            .with(
                builder ->
                    builder
                        .fullNode(null)
                        .validator(
                            new Validator(null, ceremony, null, null, null, null, null, null))
                        .externalAddress("host:26656")
                        .maintenance(new Maintenance(Maintenance.Hold.IMMEDIATE))
                        .dataResetGeneration(1L)
                        .paused(true)));

    SeiNodeSpec spec = ChildRenderer.templateOf(node).spec();

    assertThat(spec)
        .isEqualTo(
            Nodes.full()
                .with(
                    builder ->
                        builder
                            .fullNode(null)
                            .validator(
                                new Validator(null, null, null, null, null, null, null, null))));
  }

  private static SeiNodeDeployment deployment(UnaryOperator<SeiNodeDeploymentSpec> change) {
    var deployment =
        Samples.fleet(
            "sei",
            "rpc",
            change.apply(
                SeiNodeDeploymentSpecBuilder.builder().replicas(2).template(PLAIN).build()));
    deployment.getMetadata().setUid("uid");
    return deployment;
  }
}
