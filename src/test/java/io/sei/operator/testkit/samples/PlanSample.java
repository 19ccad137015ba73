package io.sei.operator.testkit.samples;

import static io.sei.operator.testkit.samples.NodeSample.aNode;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PlannedTaskBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.render.ConfigHash;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** An active plan that is stored for a node. Immutable: each method returns a changed copy. */
public final class PlanSample {

  private final TaskPlan plan;

  private PlanSample(TaskPlan plan) {
    this.plan = plan;
  }

  /** A plan of pending tasks of these types that leads a node to this image. */
  public static PlanSample aPlan(PlanKind kind, String image, String... types) {
    NodeSample node = aNode(image);
    SeiNode target = node.build();
    return new PlanSample(
        TaskPlanBuilder.builder()
            .id("plan-1")
            .kind(kind)
            .phase(PlanPhase.ACTIVE)
            .startedAt(NodeSample.NOW)
            .target(
                new PlanTarget(
                    target.getMetadata().getGeneration(),
                    node.specHash(),
                    image,
                    NodeSample.SIDECAR_IMAGE,
                    NodeSample.STATEFUL_SET_UID,
                    null,
                    ConfigHash.of(target.getSpec())))
            .tasks(Stream.of(types).map(PlanSample::pending).toList())
            .targetPhase(NodePhase.RUNNING)
            .failedPhase(kind == PlanKind.INIT ? NodePhase.FAILED : null)
            .build());
  }

  private static PlannedTask pending(String type) {
    return PlannedTaskBuilder.builder()
        .type(type)
        .id("id-" + type)
        .status(TaskStatus.PENDING)
        .startedAt(NodeSample.NOW)
        .build();
  }

  /** Completes this many tasks. */
  public PlanSample complete(int count) {
    List<PlannedTask> tasks = plan.tasks();
    return new PlanSample(
        plan.withTasks(
            IntStream.range(0, tasks.size())
                .mapToObj(
                    index ->
                        index < count
                            ? tasks.get(index).withStatus(TaskStatus.COMPLETE)
                            : tasks.get(index))
                .toList()));
  }

  public PlanSample phase(PlanPhase phase) {
    return new PlanSample(plan.withPhase(phase));
  }

  public TaskPlan build() {
    return plan;
  }
}
