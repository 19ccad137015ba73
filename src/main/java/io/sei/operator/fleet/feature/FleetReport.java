package io.sei.operator.fleet.feature;

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

  private Optional<String> configuring = Optional.empty();
  private Optional<String> rolledBack = Optional.empty();

  /** Decides on a condition, which has one owner. A condition without a decision stays as it is. */
  public void says(FleetConditionType type, ConditionProposal proposal) {
    ConditionProposal other = verdicts.put(type, proposal);
    assert other == null : type;
  }

  /** Reports that a changed configuration is being given to the nodes, and how far that is. */
  public void configuring(String progress) {
    configuring = Optional.of(progress);
  }

  /** How far a changed configuration is; empty if none is being given to the nodes. */
  public Optional<String> configuring() {
    return configuring;
  }

  /** Says which configuration of the template in force was rolled back, and why. */
  public void rolledBack(String why) {
    rolledBack = Optional.of(why);
  }

  /** The configuration of the template in force that was rolled back; empty if none was. */
  public Optional<String> rolledBack() {
    return rolledBack;
  }

  /** Writes the conditions, in the order of their types. */
  public void writeTo(ConditionsDraft conditions) {
    verdicts.forEach(conditions::put);
  }
}
