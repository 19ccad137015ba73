package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

/** An Event's message is cut at its end, so what to do comes first. */
class OversizedObjectTest {

  @Test
  void whatToDoIsSaidHoweverMuchTheApiServerSays() {
    var refusal =
        new KubernetesClientException(
            new StatusBuilder().withCode(413).withMessage("y".repeat(5000)).build());

    String message = OversizedObject.message(new ConfigMap(), refusal);

    assertThat(message.substring(0, 400)).contains("ConfigMap", "smaller", "1.5 MiB");
    assertThat(message).endsWith("y...");
  }

  @Test
  void aStatusThatIsLargerTheNextTimeIsToldInTheSameWords() {
    assertThat(OversizedObject.message(new ConfigMap(), tooLarge(2_101_177)))
        .isEqualTo(OversizedObject.message(new ConfigMap(), tooLarge(2_101_178)))
        .endsWith("larger than max");
  }

  private static KubernetesClientException tooLarge(int bytes) {
    String words = "trying to send message larger than max (%d vs. 2097152)".formatted(bytes);
    return new KubernetesClientException(
        new StatusBuilder().withCode(500).withMessage(words).build());
  }
}
