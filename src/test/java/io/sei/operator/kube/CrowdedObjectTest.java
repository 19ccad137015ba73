package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

/** An Event's message is cut at its end, so what to do comes first. */
class CrowdedObjectTest {

  @Test
  void whatToDoIsSaidHoweverMuchTheApiServerSays() {
    var refusal =
        new KubernetesClientException(
            new StatusBuilder().withCode(413).withMessage("y".repeat(5000)).build());

    String message = CrowdedObject.message(new ConfigMap(), refusal);

    assertThat(message.substring(0, 400)).contains("ConfigMap", "smaller", "1.5 MiB");
    assertThat(message).endsWith("y...");
  }
}
