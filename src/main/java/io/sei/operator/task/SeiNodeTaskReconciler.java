package io.sei.operator.task;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.kube.ReconcileGate;
import io.sei.operator.kube.RecreatedResources;
import java.util.List;

/** The framework's side of the SeiNodeTask controller. */
@ControllerConfiguration(name = SeiNodeTaskReconciler.NAME)
public final class SeiNodeTaskReconciler implements Reconciler<SeiNodeTask> {

  /** Name of the controller and of its events' source. */
  public static final String NAME = "seinodetask-controller";

  private final TaskController controller;
  private final TasksOfNodes tasksOfNodes;
  private final ReconcileGate gate;
  private volatile IndexerResourceCache<SeiNodeTask> tasks;
  private volatile RecreatedResources<SeiNodeTask> recreated;

  /**
   * @param controller takes the steps
   * @param tasksOfNodes reads the tasks that are watched here
   * @param gate where reconciles get in
   */
  public SeiNodeTaskReconciler(
      TaskController controller, TasksOfNodes tasksOfNodes, ReconcileGate gate) {
    this.controller = controller;
    this.tasksOfNodes = tasksOfNodes;
    this.gate = gate;
  }

  @Override
  public List<EventSource<?, SeiNodeTask>> prepareEventSources(
      EventSourceContext<SeiNodeTask> context) {
    tasks = context.getPrimaryCache();
    tasksOfNodes.follow(tasks);
    recreated = new RecreatedResources<>(tasks);
    return List.of(recreated);
  }

  @Override
  public UpdateControl<SeiNodeTask> reconcile(SeiNodeTask task, Context<SeiNodeTask> context) {
    if (!gate.admits(task)) {
      return UpdateControl.noUpdate();
    }
    if (context.isPrimaryResourceDeleted()) {
      if (!recreated.check(task, context)) {
        controller.gone(task);
      }
      return UpdateControl.noUpdate();
    }
    return gate.run(
        () -> controller.run(task, context),
        () -> tasks.get(ResourceID.fromResource(task)).isEmpty());
  }
}
