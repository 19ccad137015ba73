package io.sei.operator.fleet.configuration;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.fleet.model.Assigned;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetReport;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.reconcile.Next;
import java.util.function.BiFunction;

/** Gives a changed configuration to one node after the other. */
public final class GradualConfiguration implements FleetFeature {

  @Override
  public BiFunction<NodeTemplate, Integer, NodeTemplate> given(FleetSnapshot snapshot) {
    return ConfigurationOrder.of(snapshot)::given;
  }

  /** What is decided of a spec that was just written would be decided of an older status. */
  @Override
  public Next settle(FleetReconcile pass) {
    FleetConfiguration known = pass.status().configuration();
    FleetConfiguration next = ConfigurationOrder.of(pass.snapshot()).next();
    boolean settled =
        switch (pass.assigned()) {
          case NOT_LOOKED_AT -> false;
          case NOT_YET -> known == null;
          case EVERY_NODE -> true;
        };
    if (next.equals(known) || !settled) {
      return Next.goOn();
    }
    pass.update(status -> status.withConfiguration(next));
    if (known == null) {
      return Next.goOn();
    }
    // Whoever is next is given it by the next pass.
    pass.assigned(Assigned.NOT_YET);
    return Next.writeFirst("configuration");
  }

  @Override
  public void report(FleetReconcile pass, FleetReport report) {
    ConfigurationOrder.of(pass.snapshot().withStatus(pass.status()))
        .progress()
        .ifPresent(report::outdated);
  }
}
