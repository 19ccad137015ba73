package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Events tell each thing once. */
class NodeEventsOnClusterTest extends RolloutTestCase {

  @Test
  void nodeTellsItsLifeItsRolloutAndNoRestartOfTheOperatorOnce() {
    createRunning();
    eventually(
        () ->
            assertThat(told())
                .isEqualTo(
                    Map.of("PhaseTransition", 2, "PlanComplete", 1, "StatefulSetTracked", 1)));
    Map<String, Integer> before = told();

    operator.restart();
    stays(() -> assertThat(told()).isEqualTo(before));
    setImage(B);
    awaitUpToDate(B);

    eventually(
        () ->
            assertThat(told())
                .isEqualTo(
                    Map.of("PhaseTransition", 2, "PlanComplete", 2, "StatefulSetTracked", 1)));
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
