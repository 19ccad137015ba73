package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Makes as many nodes as the spec wants; a change of their number restarts none of them. */
class FleetScaleTest extends FleetTestCase {

  @Test
  void scalingUpAndDownWithKubectlRestartsNoPodAndAnAutoscalerFindsThePods() {
    createReady(2);
    assertAutoscalerFindsPods("fleet-0-0", "fleet-1-0");
    List<List<String>> before = podUids(2);
    String revision = node(0).getMetadata().getLabels().get("sei.io/revision");

    scale(4);
    awaitUpToDate(4, A);
    assertThat(node(3).getMetadata().getLabels()).containsEntry("sei.io/revision", revision);
    scale(1);
    awaitUpToDate(1, A);

    assertThat(podUids(2)).isEqualTo(before);
    assertThat(node(0).getMetadata().getLabels()).containsEntry("sei.io/revision", revision);
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    eventually(() -> assertThat(claims()).containsExactly("data-fleet-0"));
    eventually(() -> assertThat(status().incumbentNodes()).containsExactly("fleet-0"));
    // It is said again of a node that the watch has not seen go yet.
    eventually(
        () ->
            assertThat(events(FLEET, "DeletingData"))
                .allSatisfy(event -> assertThat(event.getType()).isEqualTo("Warning"))
                .anySatisfy(
                    event ->
                        assertThat(event.getMessage())
                            .startsWith("scaling down deletes chain data")
                            .endsWith("claims data-fleet-1, data-fleet-2, data-fleet-3")));
    client.resource(Samples.node(namespace, "other", spec(A))).create();
    eventually(() -> assertThat(read(Pod.class, "other-0")).isNotNull());
    assertAutoscalerFindsPods("fleet-0-0");
  }

  /** Asserts the fields that a HorizontalPodAutoscaler needs. */
  private void assertAutoscalerFindsPods(String... names) {
    String scale =
        client.raw(
            "/apis/sei.io/v1alpha1/namespaces/%s/seinodedeployments/%s/scale"
                .formatted(namespace, FLEET));

    JsonNode read = Serialization.unmarshal(scale, JsonNode.class);
    assertThat(read.at("/spec/replicas").asInt()).isEqualTo(names.length);
    assertThat(read.at("/status/replicas").asInt()).isEqualTo(names.length);
    String selector = read.at("/status/selector").asText();
    assertThat(client.pods().inNamespace(namespace).withLabelSelector(selector).list().getItems())
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactlyInAnyOrder(names);
  }

  private void scale(int replicas) {
    var result =
        controlPlane.kubectl("scale", "-n", namespace, "snd", FLEET, "--replicas=" + replicas);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
  }

  private List<String> claims() {
    return readAll(PersistentVolumeClaim.class).stream()
        .map(HasMetadata::getMetadata)
        .map(meta -> meta.getName())
        .toList();
  }

  @Tag("long")
  @Test
  void scalingDownIsNotBlockedByARolloutThatIsStuck() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    setImage(B);
    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));

    patch("{'spec':{'replicas':1}}");

    eventually(() -> assertThat(nodes()).hasSize(1));
    eventually(() -> assertThat(currentImages()).containsExactly(B));
    assertThat(node(0)).isNotNull();
    kubelet.clearImage(B);
    awaitUpToDate(1, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }
}
