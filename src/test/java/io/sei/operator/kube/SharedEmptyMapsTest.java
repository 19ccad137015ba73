package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharedEmptyMapsTest {

  private static final KubernetesSerialization JSON = KubernetesClients.serialization();

  private static final String POD =
      """
      {"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},
       "spec":{"containers":[{"name":"seid","securityContext":{}},{"name":"new","fromTheFuture":7}]}}
      """;

  private final Pod pod = JSON.unmarshal(POD, Pod.class);

  @Test
  void modelsWithoutUnknownFieldsShareOneMap() {
    Map<String, Object> shared = pod.getAdditionalProperties();

    assertThat(shared).isEmpty();
    assertThat(pod.getMetadata().getAdditionalProperties()).isSameAs(shared);
    assertThat(pod.getSpec().getContainers().getFirst().getSecurityContext())
        .satisfies(it -> assertThat(it.getAdditionalProperties()).isSameAs(shared));
  }

  @Test
  void fieldThatTheModelDoesNotKnowIsKeptAndWritten() {
    assertThat(pod.getSpec().getContainers().get(1).getAdditionalProperties())
        .containsExactly(Map.entry("fromTheFuture", 7));
    assertThat(JSON.unmarshal(JSON.asJson(pod), Pod.class)).isEqualTo(pod);
    assertThat(JSON.asJson(pod)).contains("\"fromTheFuture\":7");
  }

  @Test
  void modelThatIsBuiltFromOneTakesFieldsAgain() {
    Pod copy = new PodBuilder(pod).build();
    copy.setAdditionalProperty("more", 1);

    assertThat(copy.getAdditionalProperties()).containsKey("more");
    assertThat(pod.getAdditionalProperties()).isEmpty();
    assertThat(pod.getSpec().getContainers().getFirst())
        .isEqualTo(
            new ContainerBuilder()
                .withName("seid")
                .withNewSecurityContext()
                .endSecurityContext()
                .build());
  }
}
