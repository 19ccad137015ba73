package io.sei.operator.reconcile;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionType;
import io.sei.operator.api.v1alpha1.Conditions;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Conditions of a draft, each of which one owner decides. */
public final class ConditionsDraft {

  private final Long generation;
  private final Instant now;
  private final Set<ConditionType> decided = new HashSet<>();
  private List<Condition> conditions;

  /**
   * @param conditions that are stored
   * @param generation of the observed spec
   */
  public ConditionsDraft(List<Condition> conditions, Long generation, Instant now) {
    this.conditions = conditions;
    this.generation = generation;
    this.now = now;
  }

  /** The conditions of the draft so far. */
  public List<Condition> conditions() {
    return conditions;
  }

  /**
   * Sets a condition. Each has one owner, who decides once: a second decision fails where
   * assertions are enabled, as they are in tests.
   */
  public void put(ConditionType type, ConditionProposal proposal) {
    boolean first = decided.add(type);
    assert first : type;
    offer(type, proposal);
  }

  /** Sets a condition that its owner may still replace. */
  public void offer(ConditionType type, ConditionProposal proposal) {
    conditions =
        Conditions.with(
            conditions,
            type,
            proposal.status(),
            proposal.reason(),
            proposal.message(),
            generation,
            now);
  }
}
