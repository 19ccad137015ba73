package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.feature.Assigned;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Gives a changed configuration to one node after the other.
 *
 * @param waitsByDefault whether seid is not restarted at nodes that do not say
 */
public record GradualConfiguration(boolean waitsByDefault)
    implements FleetFeature, DisruptionSource {

  /** A backstop: the nodes' watch announces what is waited for. */
  private static final Duration RECHECK = Duration.ofMinutes(1);

  @Override
  public Disruption disruption() {
    return Disruption.CONFIGURATION;
  }

  @Override
  public List<FleetNode> inFlight(FleetView view) {
    return order(view).inFlight();
  }

  /**
   * Counts as in progress also between two admissions, so that no later source comes between them.
   */
  @Override
  public boolean isMakingProgress(FleetView view) {
    ConfigurationOrder order = order(view);
    return DisruptionSource.super.isMakingProgress(view) || order.admits(order.next());
  }

  @Override
  public BiFunction<NodeTemplate, Integer, NodeTemplate> child(FleetPass pass) {
    return order(pass.view())::given;
  }

  /** A decision about a spec that was just written would be based on an older status. */
  @Override
  public Next operations(FleetPass pass) {
    FleetConfiguration known = pass.stored().configuration();
    ConfigurationOrder order = order(pass.view());
    order.recheck().ifPresent(pass::recheckAfter);
    FleetConfiguration next = order.next();
    boolean settled =
        pass.assigned() == Assigned.EVERY_NODE
            || pass.assigned() == Assigned.NOT_YET && known == null;
    if (next.equals(known) || !settled) {
      return Next.goOn();
    }
    FleetConfiguration sure = pass.decide(view -> order(view).next(), order::admits);
    if (sure.equals(known)) {
      pass.recheckAfter(RECHECK);
      return Next.goOn();
    }
    pass.countAsTakenDown(
        disruption(),
        pass.view().fleet().stream().filter(node -> node.name().equals(sure.awaited())).toList());
    pass.update(status -> status.withConfiguration(sure));
    if (known == null) {
      return Next.goOn();
    }
    if (order.givesMore(sure)) {
      // The next pass applies it to the nodes.
      pass.assigned(Assigned.NOT_YET);
    }
    return Next.writeFirst("configuration");
  }

  private ConfigurationOrder order(FleetView view) {
    return ConfigurationOrder.of(view, waitsByDefault);
  }

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(this::report).event(EventRule.one(GradualConfiguration::rolledBack));
  }

  private void report(FleetPass pass) {
    ConfigurationOrder order = order(pass.view().withStored(pass.draft()));
    order
        .progress()
        .ifPresent(order.isRolledBack() ? pass::rolledBackConfiguration : pass::configuring);
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
