package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.junit.jupiter.api.Test;

/** A fleet has one PodDisruptionBudget, and the disruption controller can work with it. */
class DisruptionBudgetTest extends FleetTestCase {

  @Test
  void evictionsKeepToMaxUnavailableUnlessAUserHasABudget() {
    PodDisruptionBudget own =
        client
            .resource(
                new PodDisruptionBudgetBuilder()
                    .withNewMetadata()
                    .withName(FLEET)
                    .withNamespace(namespace)
                    .endMetadata()
                    .withNewSpec()
                    .withMinAvailable(new IntOrString(1))
                    .withNewSelector()
                    .addToMatchLabels("sei.io/nodedeployment", FLEET)
                    .endSelector()
                    .endSpec()
                    .build())
            .create();

    createReady(2);

    assertThat(budget().get().getSpec()).isEqualTo(own.getSpec());
    assertThat(budget().get().getMetadata().getManagedFields())
        .extracting(entry -> entry.getManager())
        .doesNotContain("seinodedeployment-controller");

    budget().delete();
    awaitAnotherLookAtFleets();

    eventually(
        () -> {
          assertThat(budget().get().getStatus().getExpectedPods()).isEqualTo(2);
          assertThat(budget().get().getStatus().getDisruptionsAllowed()).isEqualTo(1);
        });
    patch("{'spec':{'updateStrategy':{'inPlace':{'maxUnavailable':'100%'}}}}");
    eventually(() -> assertThat(budget().get().getStatus().getDisruptionsAllowed()).isEqualTo(2));
  }

  private Resource<PodDisruptionBudget> budget() {
    return client.policy().v1().podDisruptionBudget().inNamespace(namespace).withName(FLEET);
  }
}
