package io.sei.operator.node.objects;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.render.Bootstrap;
import io.sei.operator.render.ConfigHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The part of an init plan in which a bootstrap Job has the node's volume: from the task that makes
 * the Job to the one that sees it gone.
 */
public final class BootstrapTasks {

  /** Why a plan waits while seid is on its way to the height, however long that takes. */
  private static final String HASH = "bootstrapHash";

  private BootstrapTasks() {}

  /** The tasks, with those for the sidecar of the Job's pod between them. */
  public static List<Step> of(SeiNodeSpec spec, ObjectNode object, List<Step> ofSidecar) {
    var tasks = new ArrayList<Step>();
    ObjectNode run = object.deepCopy().put(HASH, hash(spec).orElseThrow());
    tasks.add(new Step(TaskTypes.DEPLOY_BOOTSTRAP_JOB, run));
    tasks.addAll(ofSidecar);
    tasks.add(new Step(TaskTypes.AWAIT_BOOTSTRAP, object));
    tasks.add(teardown(object));
    return List.copyOf(tasks);
  }

  /** The task that sees a Job gone, which need not be one that this plan has made. */
  public static Step teardown(ObjectNode object) {
    return new Step(TaskTypes.TEARDOWN_BOOTSTRAP, object);
  }

  /**
   * Returns whether the volume is a bootstrap Job's, or may still be. A plan that is being carried
   * out may be further than what is recorded.
   */
  public static boolean isUnderWay(TaskPlan plan) {
    return plan != null
        && find(plan, TaskTypes.TEARDOWN_BOOTSTRAP)
            .filter(task -> task.status() != TaskStatus.COMPLETE)
            .isPresent();
  }

  /** Returns whether a task of a plan is one for the sidecar of the Job's pod. */
  public static boolean isInJob(TaskPlan plan, PlannedTask task) {
    return run(plan).isPresent()
        && section(plan).stream().anyMatch(part -> part.id().equals(task.id()));
  }

  /** Names the run that a plan is about. */
  public static Optional<String> run(TaskPlan plan) {
    return Optional.ofNullable(plan)
        .flatMap(taskPlan -> find(taskPlan, TaskTypes.DEPLOY_BOOTSTRAP_JOB))
        .map(PlannedTask::id);
  }

  /**
   * Returns whether a spec asks for another run than the plan has or had; not so if it asks for
   * none.
   */
  public static boolean isForAnother(TaskPlan plan, SeiNodeSpec spec) {
    Optional<String> wanted = hash(spec);
    return wanted.isPresent()
        ? !wanted.equals(hash(plan))
        : isUnderWay(plan) && run(plan).isPresent();
  }

  /**
   * Returns the plan that replaces {@code old} with its run: one that has ended is not repeated and
   * one in progress is not disturbed, unless a task failed or another run is required.
   */
  public static TaskPlan carriedOver(TaskPlan old, TaskPlan next) {
    boolean goesOn =
        old != null
            && hash(next).isPresent()
            && hash(next).equals(hash(old))
            && section(old).stream().noneMatch(task -> task.status() == TaskStatus.FAILED);
    if (!goesOn) {
      return next;
    }
    List<PlannedTask> planned = next.tasks();
    var tasks = new ArrayList<>(planned.subList(0, start(next)));
    tasks.addAll(section(old));
    tasks.addAll(planned.subList(end(next), planned.size()));
    return next.withTasks(List.copyOf(tasks));
  }

  /** Returns the tasks from the one that creates the Job to the one that sees it gone. */
  private static List<PlannedTask> section(TaskPlan plan) {
    return plan.tasks().subList(start(plan), end(plan));
  }

  private static int start(TaskPlan plan) {
    return index(plan, TaskTypes.DEPLOY_BOOTSTRAP_JOB);
  }

  private static int end(TaskPlan plan) {
    return index(plan, TaskTypes.TEARDOWN_BOOTSTRAP) + 1;
  }

  private static int index(TaskPlan plan, String type) {
    return plan.tasks().indexOf(find(plan, type).orElseThrow());
  }

  private static Optional<String> hash(SeiNodeSpec spec) {
    return Bootstrap.of(spec).map(bootstrap -> ConfigHash.ofBootstrap(bootstrap.specOf(spec)));
  }

  private static Optional<String> hash(TaskPlan plan) {
    return find(plan, TaskTypes.DEPLOY_BOOTSTRAP_JOB)
        .map(PlannedTask::params)
        .filter(Objects::nonNull)
        .map(params -> params.path(HASH).asText());
  }

  private static Optional<PlannedTask> find(TaskPlan plan, String type) {
    return plan.tasks().stream().filter(task -> task.type().equals(type)).findFirst();
  }
}
