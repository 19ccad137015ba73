package io.sei.operator.node.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceClaim;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.diagnosis.PodResize;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decides which resources of a pod are changed while it runs. */
class ResizePatchTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "the same                | requests.cpu=4               | requests.cpu=4000m           | requests.cpu=4                 | -",
        "more                    | requests.cpu=4               | requests.cpu=6               | requests.cpu=4                 | requests.cpu of seid 4 -> 6",
        "a limit as well         | requests.cpu=4               | requests.cpu=4 limits.cpu=8  | requests.cpu=4                 | limits.cpu of seid none -> 8",
        "a limit no more         | requests.cpu=4 limits.cpu=8  | requests.cpu=4               | requests.cpu=4 limits.cpu=8    | limits.cpu of seid 8 -> none",
        "a limit that stands for a request | limits.memory=1Gi  | limits.memory=2Gi            | requests.memory=1Gi limits.memory=1Gi | limits.memory of seid 1Gi -> 2Gi, requests.memory of seid 1Gi -> 2Gi",
        "a default of others     | -                            | -                            | requests.cpu=100m              | -",
        "one in place of theirs  | -                            | requests.cpu=1               | requests.cpu=100m              | requests.cpu of seid 100m -> 1",
        "what others changed     | requests.cpu=4               | requests.cpu=4               | requests.cpu=5                 | -",
        "what was sent already   | requests.cpu=4               | requests.cpu=6               | requests.cpu=6                 | requests.cpu of seid 4 -> 6",
      })
  void changesAreThoseOfTheTemplate(
      String what, String own, String wanted, String pod, String words) {
    List<ResizedContainer> changes =
        ResizePatch.changes(pod(resources(pod)), template(own), template(wanted));

    assertThat(PodResize.words(changes)).isEqualTo(words == null ? "" : words);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "requests.cpu=1 limits.memory=1Gi | requests.cpu=2                 | false",
        "requests.ephemeral-storage=1Gi   | requests.ephemeral-storage=2Gi | true",
        "-                                | limits.hugepages-2Mi=1Gi       | true",
      })
  void moreThanCpuAndMemoryNeedsANewPod(String own, String wanted, boolean needed) {
    assertThat(ResizePatch.needsNewPod(template(own), template(wanted))).isEqualTo(needed);
  }

  @Test
  void claimNeedsANewPod() {
    PodTemplateSpec claiming =
        template(
            new ResourceRequirementsBuilder().withClaims(new ResourceClaim("gpu", null)).build());

    assertThat(ResizePatch.needsNewPod(template("-"), claiming)).isTrue();
  }

  @Test
  void patchNamesThePodThatWasReadAndWhatChangesOfIt() {
    Pod pod =
        new PodBuilder(pod(resources("requests.cpu=1 limits.memory=1Gi")))
            .editSpec()
            .addNewInitContainer()
            .withName("sei-sidecar")
            .endInitContainer()
            .endSpec()
            .build();
    var resized =
        List.of(
            new ResizedContainer(
                "seid",
                Map.of("requests.cpu", "1", "limits.memory", "1Gi"),
                Map.of("requests.cpu", "2")),
            new ResizedContainer("sei-sidecar", Map.of(), Map.of("requests.memory", "64Mi")),
            new ResizedContainer("seid", Map.of("no amount", "1"), Map.of()));

    assertThat(ResizePatch.of(pod, resized))
        .isEqualTo(
            """
            {"metadata":{"uid":"pod-1","resourceVersion":"7"},"spec":{"containers":[\
            {"name":"seid","resources":{"limits":{"memory":null},"requests":{"cpu":"2"}}},\
            {"name":"seid","resources":{}}],\
            "initContainers":[{"name":"sei-sidecar","resources":{"requests":{"memory":"64Mi"}}}]}}""");
  }

  private static PodTemplateSpec template(String resources) {
    return template(resources(resources));
  }

  private static PodTemplateSpec template(ResourceRequirements resources) {
    return new PodTemplateSpecBuilder()
        .withNewSpec()
        .withContainers(
            new ContainerBuilder().withName("seid").withResources(resources).build(),
            new ContainerBuilder().withName("cosmos-exporter").build())
        .endSpec()
        .build();
  }

  private static Pod pod(ResourceRequirements resources) {
    return new PodBuilder()
        .withNewMetadata()
        .withUid("pod-1")
        .withResourceVersion("7")
        .endMetadata()
        .withSpec(template(resources).getSpec())
        .build();
  }

  /** {@code requests.cpu=1 limits.memory=2Gi}; null where there are none. */
  private static ResourceRequirements resources(String text) {
    if (text == null || text.equals("-")) {
      return null;
    }
    var resources = new ResourceRequirementsBuilder();
    for (String amount : text.split(" ")) {
      String[] parts = amount.split("[.=]");
      if (parts[0].equals("requests")) {
        resources.addToRequests(parts[1], new Quantity(parts[2]));
      } else {
        resources.addToLimits(parts[1], new Quantity(parts[2]));
      }
    }
    return resources.build();
  }
}
