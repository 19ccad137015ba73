package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.reconcile.StatusParts;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Records, conditions, Events and gauges of features, in the order of the features. */
public final class ConditionParts extends StatusParts<NodePass, SeiNodeStatus, SeiNode> {

  private final List<Consumer<NodePass>> records = new ArrayList<>();

  /** Adds a step before the diagnosis, which records observations and offers findings. */
  public ConditionParts record(Consumer<NodePass> step) {
    records.add(step);
    return this;
  }

  /** Takes the steps before the diagnosis. */
  public void record(NodePass pass) {
    records.forEach(step -> step.accept(pass));
  }
}
