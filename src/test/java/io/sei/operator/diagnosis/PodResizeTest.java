package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads the kubelet's progress with other resources. */
class PodResizeTest {

  private static final List<ResizedContainer> TO_SIX =
      List.of(
          new ResizedContainer(
              "seid", Map.of("requests.cpu", "4"), Map.of("requests.cpu", "6000m")));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "what is asked is reported           | 6 | 6     | 3 | none                          | true",
        "a runtime that counts in shares     | 6 | 5999m | 3 | none                          | true",
        "another amount                      | 6 | 5     | 3 | none                          | false",
        "what the pod was not given          | 4 | 6     | 3 | none                          | false",
        "a kubelet that is behind            | 6 | 6     | 2 | none                          | false",
        "a kubelet that has no room          | 6 | 6     | 3 | PodResizePending Deferred 3   | false",
        "a kubelet that is at it             | 6 | 6     | 3 | PodResizeInProgress Error 3   | false",
      })
  void isAppliedOnceTheKubeletSaysSo(
      String what, String spec, String status, long observed, String condition, boolean applied) {
    Pod pod = pod(spec, status, observed, condition);

    assertThat(PodResize.isApplied(pod, TO_SIX)).isEqualTo(applied);
    assertThat(PodResize.isOpen(pod, TO_SIX)).isNotEqualTo(applied);
  }

  @Test
  void kubeletThatReportsNoResourcesHasNotAppliedThem() {
    Pod pod = pod("6", "6", 3, "none");
    pod.getStatus().getContainerStatuses().get(0).setResources(null);

    assertThat(PodResize.isApplied(pod, TO_SIX)).isFalse();
    assertThat(PodResize.isOpen(pod, TO_SIX)).as("for nothing will ever be heard of it").isFalse();
    assertThat(PodResize.obstacle(pod)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "none                            | -",
        "PodResizePending Deferred 3     | Deferred: words",
        "PodResizePending Infeasible 3   | Infeasible: words",
        "PodResizePending Infeasible 2   | -",
        "PodResizeInProgress Error 2     | Error: words",
        "PodResizeInProgress Other 3     | -",
      })
  void obstacleIsOfTheSpecThatThePodHas(String condition, String words) {
    assertThat(PodResize.obstacle(pod("6", "4", 3, condition)))
        .isEqualTo(Optional.ofNullable(words));
  }

  @Test
  void amountsThatNobodyCouldMeanAreNotTheSame() {
    assertThat(PodResize.isSame("1", "1000m")).isTrue();
    assertThat(PodResize.isSame("1", null)).isFalse();
    assertThat(PodResize.isSame(null, null)).isTrue();
    assertThat(PodResize.isSame("many", "1")).isFalse();
    assertThat(PodResize.isSame("", "1")).isFalse();
  }

  /**
   * @param condition type, reason and observed generation
   */
  private static Pod pod(String spec, String status, long observed, String condition) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withGeneration(3L)
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("seid")
            .withResources(cpu(spec))
            .endContainer()
            .endSpec()
            .withNewStatus()
            .withObservedGeneration(observed)
            .withContainerStatuses(
                new ContainerStatusBuilder().withName("seid").withResources(cpu(status)).build())
            .endStatus();
    if (!condition.equals("none")) {
      String[] parts = condition.split(" ");
      pod.editStatus()
          .addNewCondition()
          .withType(parts[0])
          .withStatus("True")
          .withReason(parts[1])
          .withMessage("words")
          .withObservedGeneration(Long.valueOf(parts[2]))
          .endCondition()
          .endStatus();
    }
    return pod.build();
  }

  private static ResourceRequirements cpu(String amount) {
    return new ResourceRequirementsBuilder().addToRequests("cpu", new Quantity(amount)).build();
  }
}
