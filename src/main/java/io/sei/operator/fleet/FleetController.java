package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.FleetValidation;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.disruption.RolloutPlanner;
import io.sei.operator.fleet.feature.Assigned;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.RolloutDecision;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Reconciling;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/**
 * A pass of a deployment: observe, record the template, decide on the rollout, bring nodes to their
 * templates, let features take their steps, keep the other objects. What the rollout decides is
 * persisted before a node is touched.
 *
 * @param coexistence ends the pass of a fleet that is another operator's
 */
public record FleetController(
    FleetObserver observer,
    RevisionStore revisions,
    Children children,
    Function<FleetPass, Next> coexistence,
    List<FleetFeature> features,
    FleetConditionParts conditions)
    implements Reconciling<SeiNodeDeployment, SeiNodeDeploymentStatus, FleetPass> {

  /** A task that ends or is deleted wakes no fleet. */
  private static final Duration EXIT_RECHECK = Duration.ofSeconds(15);

  /** A backstop: the nodes' watch announces whatever a rollout waits for. */
  private static final Duration ROLLOUT_RECHECK = Duration.ofMinutes(1);

  @Override
  public List<FieldError> errors(SeiNodeDeployment deployment) {
    return FleetValidation.validate(deployment);
  }

  @Override
  public FleetPass observe(SeiNodeDeployment deployment, SeiNodeDeploymentStatus status) {
    return new FleetPass(observer.observe(deployment), observer::readLive);
  }

  @Override
  public Next begin(FleetPass pass) {
    return coexistence.apply(pass);
  }

  @Override
  public Next act(FleetPass pass) {
    try {
      pass.refusals().get(() -> advance(pass)).ifPresent(pass::take);
      features.forEach(
          feature -> pass.refusals().get(() -> feature.operations(pass)).ifPresent(pass::take));
    } finally {
      // Conditions say of the other objects what is found now, whatever became of the nodes.
      features.forEach(feature -> feature.keep(pass));
    }
    return Next.goOn();
  }

  @Override
  public void report(FleetPass pass) {
    if (!pass.view().exiting().isEmpty()) {
      pass.recheckAfter(EXIT_RECHECK);
    }
    pass.update(status -> FleetStatus.of(pass, conditions));
  }

  @Override
  public SeiNodeDeploymentStatus statusOf(SeiNodeDeployment deployment) {
    return FleetView.statusOf(deployment);
  }

  @Override
  public TaskPlan planOf(SeiNodeDeploymentStatus status) {
    return status.plan();
  }

  @Override
  public SeiNodeDeploymentStatus invalid(
      SeiNodeDeployment deployment, List<FieldError> errors, Instant now) {
    return FleetStatus.invalid(deployment, observer::observeNodes, errors, now);
  }

  @Override
  public SeiNodeDeploymentStatus terminating(SeiNodeDeploymentStatus status) {
    return FleetStatus.terminating(status);
  }

  @Override
  public SeiNodeDeploymentStatus stalled(
      SeiNodeDeploymentStatus status, Finding finding, Long generation, Instant now) {
    return FleetStatus.stalled(status, finding, generation, now);
  }

  @Override
  public SeiNodeDeploymentStatus concluded(
      SeiNodeDeploymentStatus before,
      SeiNodeDeploymentStatus reached,
      Long generation,
      Instant now) {
    return FleetStatus.concluded(before, reached, generation, now);
  }

  @Override
  public List<ObjectEvent> events(SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    return FleetEvents.between(before, after, conditions);
  }

  private Next advance(FleetPass pass) {
    for (FleetFeature feature : features) {
      Next prepared = feature.prepare(pass);
      if (!prepared.goesOn()) {
        return prepared;
      }
    }
    pass.refusals().run(() -> revisions.takeOver(pass.deployment(), pass.view().revisions()));
    if (pass.refusals().run(() -> revisions.record(pass.view()))) {
      return rollOut(pass);
    }
    // Without a way back no rollout goes on, and no change of configuration; all else does.
    children.sync(pass);
    pass.assigned(Assigned.NOT_YET);
    return Next.goOn();
  }

  private Next rollOut(FleetPass pass) {
    RolloutDecision decision =
        pass.decide(
            RolloutPlanner::decide,
            made ->
                made instanceof RolloutDecision.Persist persist && !persist.admitted().isEmpty());
    return switch (decision) {
      case RolloutDecision.Persist persist -> {
        pass.countAsTakenDown(Disruption.ROLLOUT, persist.admitted());
        pass.update(status -> persist.status());
        yield Next.writeFirst("rollout");
      }
      case RolloutDecision.Continue proceed -> {
        children.sync(pass);
        pass.judged(proceed.verdict(), proceed.plan());
        pass.update(status -> proceed.status());
        if (!proceed.plan().isActive()) {
          // What waits for the end of the rollout goes on once that is stored.
          yield Next.writeFirst("rollout");
        }
        pass.recheckAfter(ROLLOUT_RECHECK);
        yield Next.goOn();
      }
      case RolloutDecision.Resume _ -> {
        children.sync(pass);
        yield Next.writeFirst("pause");
      }
      case RolloutDecision.Rest _ -> {
        children.sync(pass);
        revisions.prune(pass.view());
        yield Next.goOn();
      }
    };
  }
}
