package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.reconcile.StatusDraft;
import io.sei.operator.reconcile.Verdict;
import java.util.EnumMap;
import java.util.Map;

/** What the conditions of a deployment are to say. */
public final class FleetReport {

  private final Map<FleetConditionType, Verdict> verdicts = new EnumMap<>(FleetConditionType.class);

  /** Decides on a condition, which has one owner. One that nobody decides on stays as it is. */
  public void says(FleetConditionType type, Verdict verdict) {
    Verdict other = verdicts.put(type, verdict);
    assert other == null : type;
  }

  /** Writes the conditions, in the order of their types. */
  public void writeTo(StatusDraft draft) {
    verdicts.forEach(draft::put);
  }
}
