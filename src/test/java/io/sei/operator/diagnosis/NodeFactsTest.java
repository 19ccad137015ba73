package io.sei.operator.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.sei.operator.diagnosis.NodeFacts.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeFactsTest {

  @ParameterizedTest
  @CsvSource({
    "DrainInProgress,                True,  LEAVING, has the condition DrainInProgress",
    "Drained,                        True,  LEAVING, has the condition Drained",
    "MaintenancePlanned,             True,  LEAVING, has the condition MaintenancePlanned",
    "MaintenanceInProgress,          True,  LEAVING, has the condition MaintenanceInProgress",
    "GracefulNodeShutdownInProgress, True,  LEAVING, has the condition"
        + " GracefulNodeShutdownInProgress",
    "MaintenancePlanned,             False, READY,",
    "DiskPressure,                   True,  READY,",
  })
  void lifecycleConditionAnnouncesADrain(String type, String status, State state, String words) {
    Node node =
        machine("True")
            .editStatus()
            .addNewCondition()
            .withType(type)
            .withStatus(status)
            .endCondition()
            .endStatus()
            .build();

    assertThat(NodeFacts.of("m-1", node)).isEqualTo(new NodeFacts("m-1", state, words));
  }

  @ParameterizedTest
  @CsvSource({
    "karpenter.sh/disrupted,              LEAVING, has the taint karpenter.sh/disrupted",
    "karpenter.sh/disruption,             LEAVING, has the taint karpenter.sh/disruption",
    "ToBeDeletedByClusterAutoscaler,      LEAVING, has the taint ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler, READY,",
    "sei.io/validators-only,              READY,",
  })
  void taintOfAnAutoscalerAnnouncesADrain(String key, State state, String words) {
    Node node =
        machine("True").editSpec().addNewTaint("NoSchedule", key, null, null).endSpec().build();

    assertThat(NodeFacts.of("m-1", node)).isEqualTo(new NodeFacts("m-1", state, words));
  }

  @Test
  void cordonAnnouncesADrainUnlessTheMachineIsSilent() {
    Node cordoned = machine("True").editSpec().withUnschedulable(true).endSpec().build();
    Node silent = machine("Unknown").editSpec().withUnschedulable(true).endSpec().build();

    assertThat(NodeFacts.of("m-1", cordoned).leaving()).contains("Kubernetes node m-1 is cordoned");
    assertThat(NodeFacts.of("m-1", silent).state()).isEqualTo(State.SILENT);
    assertThat(NodeFacts.of("m-1", silent).leaving()).isEmpty();
    assertThat(NodeFacts.of("m-1", machine("True").build()).leaving()).isEmpty();
  }

  private static NodeBuilder machine(String ready) {
    return new NodeBuilder()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus(ready)
        .endCondition()
        .endStatus();
  }
}
