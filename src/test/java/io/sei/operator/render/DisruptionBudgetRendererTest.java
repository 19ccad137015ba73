package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DisruptionBudgetRendererTest {

  static Stream<Arguments> fleets() {
    var half = new IntOrString("50%");
    return Stream.of(
        arguments(Nodes.full(), null, new IntOrString(1), "AlwaysAllow"),
        arguments(Nodes.full(), half, half, "AlwaysAllow"),
        arguments(Nodes.archive(), null, new IntOrString(1), "AlwaysAllow"),
        arguments(Nodes.replayer(), null, new IntOrString(1), "AlwaysAllow"),
        arguments(Nodes.seed(), null, new IntOrString(1), "AlwaysAllow"),
        // Each node may have a key of a genesis, or one that a user has set on it.
        arguments(Nodes.validator(), null, new IntOrString(1), null),
        arguments(Nodes.validatorWithRemoteSigner(), null, new IntOrString(1), null),
        arguments(Nodes.validatorWithKeys(), null, new IntOrString(1), null));
  }

  @ParameterizedTest
  @MethodSource("fleets")
  void aDrainTakesNoMoreNodesDownThanARolloutAndLeavesAnUnreadySigner(
      SeiNodeSpec node, IntOrString limit, IntOrString maxUnavailable, String unhealthyPods) {
    PodDisruptionBudget budget =
        new DisruptionBudgetRenderer().render(fleet(node, limit), List.of());

    assertThat(budget.getMetadata().getName()).isEqualTo("rpc");
    assertThat(budget.getMetadata().getOwnerReferences())
        .singleElement()
        .matches(owner -> owner.getUid().equals("uid") && owner.getController());
    assertThat(budget.getSpec().getSelector().getMatchLabels())
        .isEqualTo(Map.of("sei.io/nodedeployment", "rpc"));
    assertThat(budget.getSpec().getMaxUnavailable()).isEqualTo(maxUnavailable);
    assertThat(budget.getSpec().getUnhealthyPodEvictionPolicy()).isEqualTo(unhealthyPods);
  }

  private static SeiNodeDeployment fleet(SeiNodeSpec node, IntOrString limit) {
    var fleet = Samples.fleet("sei", "rpc", null);
    fleet.getMetadata().setUid("uid");
    var limits = new InPlace(limit, null, null, null, null);
    fleet.setSpec(
        SeiNodeDeploymentSpecBuilder.builder()
            .replicas(3)
            .template(new NodeTemplate(null, node))
            .updateStrategy(
                limit == null
                    ? null
                    : new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, null))
            .build());
    return fleet;
  }
}
