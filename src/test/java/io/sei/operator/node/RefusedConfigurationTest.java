package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.SidecarTaskTypes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Reports at once the faults that the sidecar finds in a configuration, and recovers by an edit.
 */
class RefusedConfigurationTest extends ConfigTestCase {

  private static final String UNKNOWN_KEY = "{'spec':{'overrides':{'no.such':'1'}}}";
  private static final String TAKEN_BACK = "{'spec':{'overrides':null}}";

  @Test
  void nodeThatRunsSaysTheSidecarsWordsAtOnce() {
    createRunning();

    patch(UNKNOWN_KEY);

    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("the sidecar refuses the configuration", "unknown override key \"no.such\"");
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE, NodeReason.POD_READY);
    assertThat(plan().isActive()).as("the plan still tries").isTrue();

    patch(TAKEN_BACK);

    awaitUpToDate(A);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.NOT_STALLED);
    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(1));
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertThat(podDeletes()).isZero();
  }

  @Tag("long")
  @Test
  void newNodeSaysTheSidecarsWordsAtOnce() {
    create(specOf("'fullNode':{},'overrides':{'no.such':'1'}"));

    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("unknown override key \"no.such\"");

    patch(TAKEN_BACK);

    awaitUpToDate(A);
  }

  /** Its files have what was refused, so that nothing but writing them again takes that back. */
  @Test
  void configurationThatIsWrittenAndNotFoundValidIsWrittenAgainOnceItIsTakenBack() {
    createRunning();
    sidecarFaults().reject(SidecarTaskTypes.CONFIG_VALIDATE, "no such file");
    int before = submitted().size();
    patch("{'spec':{'overrides':{'mempool.size':'10'}}}");
    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    sidecarFaults().clear();

    patch(TAKEN_BACK);

    awaitUpToDate(A);
    assertThat(submittedAfter(before))
        .contains(
            task(
                "config-apply {'incremental':false,'mode':'full','targetVersion':0,"
                    + "'overrides':{'logging.level':'info'}}"));
  }
}
