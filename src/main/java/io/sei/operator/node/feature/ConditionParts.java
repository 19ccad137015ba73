package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.EventRule;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Records, conditions, Events and gauges of features, in the order of the features. */
public final class ConditionParts {

  private final List<Consumer<NodePass>> records = new ArrayList<>();
  private final List<Consumer<NodePass>> reports = new ArrayList<>();
  private final List<EventRule<SeiNodeStatus>> events = new ArrayList<>();
  private final List<GaugeRow<SeiNode>> gauges = new ArrayList<>();

  /** Adds a step before the diagnosis, which records observations and offers findings. */
  public ConditionParts record(Consumer<NodePass> step) {
    records.add(step);
    return this;
  }

  /** Adds a step after the diagnosis, which sets conditions. */
  public ConditionParts report(Consumer<NodePass> step) {
    reports.add(step);
    return this;
  }

  /** Adds an Event for a change of the status. */
  public ConditionParts event(EventRule<SeiNodeStatus> rule) {
    events.add(rule);
    return this;
  }

  /** Adds a gauge, with one row for each node. */
  public ConditionParts gauge(GaugeRow<SeiNode> row) {
    gauges.add(row);
    return this;
  }

  /** Takes the steps before the diagnosis. */
  public void record(NodePass pass) {
    records.forEach(step -> step.accept(pass));
  }

  /** Takes the steps after the diagnosis. */
  public void report(NodePass pass) {
    reports.forEach(step -> step.accept(pass));
  }

  /** Events for changes of the status. */
  public List<EventRule<SeiNodeStatus>> events() {
    return events;
  }

  /** Gauges, each with one row for each node. */
  public List<GaugeRow<SeiNode>> gauges() {
    return gauges;
  }
}
