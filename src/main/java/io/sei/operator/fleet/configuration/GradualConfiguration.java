package io.sei.operator.fleet.configuration;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.model.Assigned;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetPass;
import io.sei.operator.fleet.model.FleetReport;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Gives a changed configuration to one node after the other.
 *
 * @param confirmed what was observed, with the nodes that are Ready as their pods are now
 * @param waitsByDefault whether seid is not restarted at nodes that do not say
 */
public record GradualConfiguration(UnaryOperator<FleetView> confirmed, boolean waitsByDefault)
    implements FleetFeature {

  /** A backstop: the nodes' watch announces what is waited for. */
  private static final Duration RECHECK = Duration.ofMinutes(1);

  /** One that is Ready and was given a configuration may cease to be so at any moment. */
  @Override
  public FleetNode seen(FleetNode view, SeiNode node, SeiNodeDeploymentStatus deployment) {
    boolean isAboutToRestart =
        view.isReady()
            && deployment.configuration() != null
            && view.name().equals(deployment.configuration().awaited());
    return isAboutToRestart ? view.withSwitching(true) : view;
  }

  @Override
  public BiFunction<NodeTemplate, Integer, NodeTemplate> given(FleetView snapshot) {
    return order(snapshot)::given;
  }

  /** What is decided of a spec that was just written would be decided of an older status. */
  @Override
  public Next advance(FleetPass pass) {
    FleetView snapshot = pass.view().withStored(pass.draft());
    FleetConfiguration known = pass.draft().configuration();
    order(snapshot).recheck().ifPresent(pass::recheckAfter);
    FleetConfiguration next = order(snapshot).next();
    boolean settled =
        switch (pass.assigned()) {
          case NOT_LOOKED_AT -> false;
          case NOT_YET -> known == null;
          case EVERY_NODE -> true;
        };
    if (next.equals(known) || !settled) {
      return Next.goOn();
    }
    FleetConfiguration sure = confirmed(snapshot, next);
    if (sure.equals(known)) {
      pass.recheckAfter(RECHECK);
      return Next.goOn();
    }
    pass.update(status -> status.withConfiguration(sure));
    if (known == null) {
      return Next.goOn();
    }
    if (order(snapshot).givesMore(sure)) {
      // The next pass applies it to the nodes.
      pass.assigned(Assigned.NOT_YET);
    }
    return Next.writeFirst("configuration");
  }

  /** A node that the watches have not yet said is down counts before another one is taken down. */
  private FleetConfiguration confirmed(FleetView snapshot, FleetConfiguration next) {
    return order(snapshot).admits(next) ? order(confirmed.apply(snapshot)).next() : next;
  }

  private ConfigurationOrder order(FleetView snapshot) {
    return ConfigurationOrder.of(snapshot, waitsByDefault);
  }

  @Override
  public void report(FleetPass pass, FleetReport report) {
    ConfigurationOrder order = order(pass.view().withStored(pass.draft()));
    order.progress().ifPresent(order.isRolledBack() ? report::rolledBack : report::outdated);
    if (order.isUnderWay()) {
      report.configuring();
    }
  }

  @Override
  public List<EventRule<SeiNodeDeploymentStatus>> events() {
    return List.of(EventRule.one(GradualConfiguration::rolledBack));
  }

  private static Optional<ObjectEvent> rolledBack(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    return Optional.ofNullable(after.configuration())
        .map(FleetConfiguration::rolledBack)
        .filter(
            why ->
                before.configuration() == null || !why.equals(before.configuration().rolledBack()))
        .map(
            why ->
                ObjectEvent.warning(
                    "ConfigurationRolledBack",
                    "nodes are given the earlier configuration again: " + why));
  }
}
