package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A configuration that the sidecar refuses stops at the first node, in its words. */
@Order(1)
class RefusedFleetConfigurationTest extends FleetTestCase {

  private static final String VALUES =
      "{'spec':{'template':{'spec':{'configValues':"
          + "[{'fileName':'app.toml','key':'a','value':16}]}}}}";

  private static final String WORDS = "unknown override key \"no.such\"";

  @Test
  void theOtherNodesNeverGetWhatTheFirstRefusesUntilItIsCorrected() {
    createReady(3);

    configure("{'no.such':'1'}");

    awaitHold();
    assertThat(condition(FleetConditionType.UP_TO_DATE).message())
        .contains("waiting: fleet-0, fleet-1", "on hold: fleet-2", WORDS);
    stays(() -> assertThat(node(1).getSpec().overrides()).isNull());
    assertThat(node(0).getSpec().overrides()).isNull();
    assertCondition(FleetConditionType.READY, ConditionStatus.TRUE);

    configure("{'no.such':null,'mempool.size':'10'}");

    awaitUpToDate(3, A);
    assertThat(nodes())
        .extracting(SeiNode::getSpec)
        .allMatch(spec -> spec.overrides().equals(Map.of("mempool.size", "10")));
    assertCondition(FleetConditionType.STALLED, ConditionStatus.FALSE, FleetReason.NOT_STALLED);
    eventually(() -> assertThat(events(FLEET, "Recovered")).hasSize(1));
    assertThat(status().configuration().nodes()).isNull();
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutSuperseded")).hasSize(1);
    eventually(() -> assertThat(events(FLEET, "RolloutComplete")).hasSize(1));
  }

  @Tag("long")
  @Test
  void takenBackItHealsAndIsNotToldAsRecoveredBefore() {
    createReady(2);
    configure("{'no.such':'1'}");
    eventually(() -> assertThat(stalled()).contains(WORDS));
    configure("{'no.such':'2'}");
    eventually(() -> assertThat(stalled()).contains(WORDS));
    assertThat(events(FLEET, "Recovered")).isEmpty();

    patch("{'spec':{'template':{'spec':{'overrides':null}}}}");

    awaitUpToDate(2, A);
    assertThat(nodes()).allMatch(node -> node.getSpec().overrides() == null);
    eventually(() -> assertThat(events(FLEET, "Recovered")).hasSize(1));
  }

  @Test
  @Tag("long")
  void valuesForFilesAreGivenToOneNodeAfterTheOtherToo() {
    createReady(2);
    sidecar.faults(namespace, "fleet-1").reject("config-patch", WORDS);

    patch(VALUES);

    eventually(() -> assertThat(stalled()).contains("fleet-1: ", "config-patch", WORDS));
    stays(() -> assertThat(node(0).getSpec().configValues()).isNull());
    sidecar.faults(namespace, "fleet-1").clear();
    patch(VALUES.replace("16", "32"));

    awaitUpToDate(2, A);
    for (String node : List.of("fleet-0", "fleet-1")) {
      assertThat(sidecar.home(namespace, node).setting("app.toml", "a")).contains("32.0");
    }
  }

  private void configure(String overrides) {
    patch("{'spec':{'template':{'spec':{'overrides':%s}}}}".formatted(overrides));
  }

  private void awaitHold() {
    eventually(
        () ->
            assertCondition(
                FleetConditionType.STALLED, ConditionStatus.TRUE, StallReason.SIDECAR_TASK_FAILED));
    assertThat(stalled()).contains("fleet-2: ", "config-apply", WORDS);
  }

  private String stalled() {
    return condition(FleetConditionType.STALLED).message();
  }
}
