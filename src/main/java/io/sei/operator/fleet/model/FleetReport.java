package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.ConditionsDraft;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** What the conditions of a deployment are to say. */
public final class FleetReport {

  private final Map<FleetConditionType, ConditionProposal> verdicts =
      new EnumMap<>(FleetConditionType.class);

  private Optional<String> outdated = Optional.empty();
  private Optional<String> rolledBack = Optional.empty();
  private boolean configuring;

  /** Decides on a condition, which has one owner. A condition without a decision stays as it is. */
  public void says(FleetConditionType type, ConditionProposal proposal) {
    ConditionProposal other = verdicts.put(type, proposal);
    assert other == null : type;
  }

  /** Says why nodes that run what they were given are not up to date. */
  public void outdated(String why) {
    outdated = Optional.of(why);
  }

  /** Why nodes are not up to date that run what they were given; empty if they are. */
  public Optional<String> outdated() {
    return outdated;
  }

  /** Says which configuration of the template in force was rolled back, and why. */
  public void rolledBack(String why) {
    rolledBack = Optional.of(why);
  }

  /** The configuration of the template in force that was rolled back; empty if none was. */
  public Optional<String> rolledBack() {
    return rolledBack;
  }

  /** Says that a changed configuration is being given to the nodes. */
  public void configuring() {
    configuring = true;
  }

  /** Whether a changed configuration is being given to the nodes. */
  public boolean isConfiguring() {
    return configuring;
  }

  /** Writes the conditions, in the order of their types. */
  public void writeTo(ConditionsDraft conditions) {
    verdicts.forEach(conditions::put);
  }
}
