package io.sei.operator.node.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.diagnosis.PodFacts;
import org.junit.jupiter.api.Test;

class TrimmedPodTest {

  private static final Pod POD =
      new PodBuilder()
          .withNewMetadata()
          .withName("a-0")
          .withUid("u")
          .withResourceVersion("7")
          .addToLabels("l", "1")
          .addToAnnotations("a", "1")
          .addNewOwnerReference()
          .withUid("s")
          .withController(true)
          .endOwnerReference()
          .endMetadata()
          .withNewSpec()
          .withNodeName("machine")
          .addNewReadinessGate("sei.io/released")
          .addNewInitContainer()
          .withName("sidecar")
          .withImage("sidecar:1")
          .withRestartPolicy("Always")
          .addNewEnv()
          .withName("X")
          .withValue("1")
          .endEnv()
          .endInitContainer()
          .addNewContainer()
          .withName("seid")
          .withImage("sei:1")
          .addToCommand("seid")
          .endContainer()
          .addNewVolume()
          .withName("data")
          .endVolume()
          .endSpec()
          .withNewStatus()
          .withPhase("Running")
          .addNewContainerStatus()
          .withName("seid")
          .withImageID("sha256:1")
          .endContainerStatus()
          .endStatus()
          .build();

  @Test
  void metadataAndStatusAreWhole() {
    Pod trimmed = TrimmedPod.of(POD);

    assertThat(trimmed.getMetadata()).isEqualTo(POD.getMetadata());
    assertThat(trimmed.getStatus()).isEqualTo(POD.getStatus());
  }

  @Test
  void whereItRunsItsImagesAndWhichAreSidecarsStay() {
    Pod trimmed = TrimmedPod.of(POD);

    assertThat(trimmed.getSpec().getNodeName()).isEqualTo("machine");
    assertThat(PodFacts.isIdle(trimmed)).isTrue();
    assertThat(PodFacts.image(trimmed, "seid")).contains("sei:1");
    assertThat(PodFacts.image(trimmed, "sidecar")).contains("sidecar:1");
    assertThat(trimmed.getSpec().getInitContainers().get(0).getRestartPolicy()).isEqualTo("Always");
  }

  @Test
  void whatTheTemplateSaysAnywayIsNotKept() {
    Pod trimmed = TrimmedPod.of(POD);

    assertThat(trimmed.getSpec().getVolumes()).isEmpty();
    assertThat(trimmed.getSpec().getContainers().get(0).getCommand()).isEmpty();
    assertThat(trimmed.getSpec().getInitContainers().get(0).getEnv()).isEmpty();
  }

  @Test
  void podWithoutSpecIsLeftAsItIs() {
    Pod bare = new PodBuilder(POD).withSpec(null).build();

    assertThat(TrimmedPod.of(bare)).isEqualTo(bare);
  }
}
