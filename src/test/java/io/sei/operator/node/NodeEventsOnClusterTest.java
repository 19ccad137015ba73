package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.PodFault;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Events tell each thing once. */
class NodeEventsOnClusterTest extends RolloutTestCase {

  @Test
  void newNodeTellsItsLifeOnce() {
    createRunning();

    eventually(
        () ->
            assertThat(told())
                .isEqualTo(
                    Map.of(
                        "PhaseTransition", 2,
                        "PlanComplete", 1,
                        "StatefulSetTracked", 1)));
    Map<String, Integer> before = told();
    stays(() -> assertThat(told()).isEqualTo(before));
  }

  @Test
  void rolloutTellsOfItselfOnce() {
    createRunning();
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));
    setImage(B);
    awaitUpToDate(B);

    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(2));
    assertThat(occurrences("PhaseTransition")).isEqualTo(2);
    assertThat(told()).containsOnlyKeys("PhaseTransition", "PlanComplete", "StatefulSetTracked");
  }

  @Test
  void stallAndRecoveryAreToldOnce() {
    createRunning();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    setImage(B);
    awaitStalled(StallReason.IMAGE_PULL);
    stays(() -> assertThat(occurrences("Stalled")).isLessThan(2));
    kubelet.clearAll();
    awaitUpToDate(B);

    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(1));
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertThat(events("Stalled").get(0).getType()).isEqualTo("Warning");
    assertThat(events("Stalled").get(0).getMessage()).contains(B);
  }

  @Test
  void restartOfTheOperatorTellsNothing() {
    createRunning();
    eventually(() -> assertThat(occurrences("PlanComplete")).isEqualTo(1));
    Map<String, Integer> before = told();

    operator.restart();

    stays(() -> assertThat(told()).isEqualTo(before));
  }

  private Map<String, Integer> told() {
    var counts = new TreeMap<String, Integer>();
    client
        .v1()
        .events()
        .inNamespace(namespace)
        .withField("involvedObject.name", NODE)
        .list()
        .getItems()
        .stream()
        .filter(event -> event.getInvolvedObject().getKind().equals("SeiNode"))
        .forEach((Event event) -> counts.merge(event.getReason(), event.getCount(), Integer::sum));
    return counts;
  }
}
