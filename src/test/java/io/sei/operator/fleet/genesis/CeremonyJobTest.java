package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CeremonyJobTest {

  @Test
  void podHasNoTokenOfKubernetesOrACloud() {
    PodTemplateSpec pod = pod();

    assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
    assertThat(pod.getSpec().getVolumes())
        .filteredOn(volume -> volume.getProjected() != null)
        .flatExtracting(volume -> volume.getProjected().getSources())
        .allMatch(source -> source.getServiceAccountToken() == null);
    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("eks.amazonaws.com/skip-containers", "genesis")
        .containsEntry("azure.workload.identity/skip-containers", "genesis");
  }

  @Test
  void containerHasRequestsAndALimitOfMemory() {
    assertThat(pod().getSpec().getContainers())
        .singleElement()
        .satisfies(
            container -> {
              assertThat(container.getResources().getRequests()).containsOnlyKeys("cpu", "memory");
              assertThat(container.getResources().getLimits()).containsOnlyKeys("memory");
              assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
            });
  }

  private static PodTemplateSpec pod() {
    SeiNodeDeployment fleet =
        Samples.yaml(
            SeiNodeDeployment.class,
            """
            metadata: {name: net, namespace: default, uid: u, generation: 1}
            spec:
              replicas: 1
              genesis: {chainId: lab-1}
              template: {spec: {chainId: lab-1, image: 'sei:v1', validator: {}}}
            """);
    List<KeySecretNames> secrets = List.of(KeySecretNames.of("net-0"));
    return CeremonyJob.render(fleet, secrets, Duration.ofMinutes(5)).getSpec().getTemplate();
  }
}
