package io.sei.operator.node.config;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.NodePlanner;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.render.ConfigHash;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigRecordTest {

  @Test
  void configurationIsRecordedAsTheNodesOwnPodGotIt() {
    JsonNode ofJob = JsonNodeFactory.instance.objectNode().put("pod", "job");
    JsonNode ofNode = JsonNodeFactory.instance.objectNode().put("pod", "node");
    TaskPlan plan =
        aPlan(PlanKind.INIT, "a", "discover-peers", "discover-peers").complete(2).build();
    List<PlannedTask> tasks =
        List.of(plan.tasks().get(0).withParams(ofJob), plan.tasks().get(1).withParams(ofNode));

    AppliedConfig config = ConfigRecord.after(plan.withTasks(tasks), null, NOW);

    assertThat(config.peersHash()).isEqualTo(ConfigHash.ofParams(ofNode));
  }

  /** A step of the engine may see several tasks end, and the plan is written after it. */
  @Test
  void keyIsTakenOutBeforeThePlanIsWritten() {
    var before =
        new AppliedConfig("c1:1", NOW, List.of("client.toml:broadcast-mode"), null, null, null);
    TaskPlan plan = aPlan(PlanKind.CONFIG, "a", "config-apply", "config-patch", "validate").build();
    JsonNode apply = JsonNodeFactory.instance.objectNode().put("incremental", true);
    JsonNode patch =
        ConfigPatch.step(new ConfigParts(PlanShape.CONFIG), before).orElseThrow().params();
    List<PlannedTask> tasks =
        List.of(
            plan.tasks().get(0).withParams(apply),
            plan.tasks().get(1).withParams(patch),
            plan.tasks().get(2));

    AppliedConfig after = ConfigRecord.after(plan.withTasks(tasks), before, NOW);

    assertThat(after.keysLeft()).isNull();
  }

  @Test
  void nodeThatWasTakenOverIsGivenNothingThatItsOwnerDidNotChange() {
    NodePass pass = withWorkers(16).pass();

    ConfigRecord.adopt(pass);

    assertThat(decide(16, pass.draft())).isInstanceOf(PlanDecision.Rest.class);
    assertThat(decide(17, pass.draft()))
        .isEqualTo(new PlanDecision.Start(PlanKind.CONFIG, "the configuration changed", 0));
  }

  private static PlanDecision decide(int workers, SeiNodeStatus status) {
    return new NodePlanner(plan -> true, OfflineNode.OPERATIONS)
        .decide(withWorkers(workers).status(status).view());
  }

  private static NodeSample withWorkers(int workers) {
    var entry = new ConfigValue("app.toml", "giga.workers", IntNode.valueOf(workers));
    return aNode("sei:a")
        .running()
        .withReadyPod()
        .sidecar(SidecarHealth.READY)
        .spec(spec -> spec.withConfigValues(List.of(entry)));
  }
}
