package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.ProxyAudience;
import org.junit.jupiter.api.Test;

class TrimmedPodTest {

  private static final Pod POD =
      yaml(
          Pod.class,
          """
          metadata:
            name: a-0
            uid: u
            resourceVersion: '7'
            labels: {l: '1'}
            annotations: {a: '1'}
            ownerReferences: [{uid: s, controller: true}]
          spec:
            nodeName: machine
            readinessGates: [{conditionType: sei.io/released}]
            initContainers:
            - {name: sidecar, image: 'sidecar:1', restartPolicy: Always, env: [{name: X, value: '1'}]}
            - {name: kube-rbac-proxy, args: [--v=0, --auth-token-audiences=own]}
            containers:
            - name: seid
              image: sei:1
              command: [seid]
              env: [{name: HOME, value: '/'}, {name: SEI_SIGNING_PUBLIC_KEY, value: key}]
            volumes: [{name: data}]
          status:
            phase: Running
            containerStatuses: [{name: seid, imageID: 'sha256:1'}]
          """);

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
  void keyThatItWasStartedForStays() {
    assertThat(PodSigningKey.of(TrimmedPod.of(POD))).contains("key");
  }

  @Test
  void audienceOfItsProxyStaysAndNoOtherArgument() {
    Pod trimmed = TrimmedPod.of(POD);

    assertThat(ProxyAudience.of(trimmed)).contains("own");
    assertThat(trimmed.getSpec().getInitContainers().get(1).getArgs()).hasSize(1);
  }

  @Test
  void whatTheTemplateSaysAnywayIsNotKept() {
    Pod trimmed = TrimmedPod.of(POD);

    assertThat(trimmed.getSpec().getVolumes()).isEmpty();
    assertThat(trimmed.getSpec().getContainers().get(0).getCommand()).isEmpty();
    assertThat(trimmed.getSpec().getContainers().get(0).getEnv()).hasSize(1);
    assertThat(trimmed.getSpec().getInitContainers().get(0).getEnv()).isEmpty();
  }

  @Test
  void podWithoutSpecIsLeftAsItIs() {
    Pod bare = new PodBuilder(POD).withSpec(null).build();

    assertThat(TrimmedPod.of(bare)).isEqualTo(bare);
  }
}
