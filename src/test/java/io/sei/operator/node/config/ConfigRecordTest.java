package io.sei.operator.node.config;

import static io.sei.operator.node.Snapshots.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.Snapshots;
import io.sei.operator.progression.ConfigHash;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigRecordTest {

  @Test
  void configurationIsRecordedAsTheNodesOwnPodGotIt() {
    JsonNode ofJob = JsonNodeFactory.instance.objectNode().put("pod", "job");
    JsonNode ofNode = JsonNodeFactory.instance.objectNode().put("pod", "node");
    TaskPlan plan =
        Snapshots.plan(PlanKind.INIT, PlanPhase.ACTIVE, "a", 2, "discover-peers", "discover-peers");
    List<PlannedTask> tasks =
        List.of(plan.tasks().get(0).withParams(ofJob), plan.tasks().get(1).withParams(ofNode));

    AppliedConfig config = ConfigRecord.after(plan.withTasks(tasks), null, NOW);

    assertThat(config.peersHash()).isEqualTo(ConfigHash.ofParams(ofNode));
  }
}
