package io.sei.operator.reconcile;

import io.sei.operator.observability.GaugeRow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reports, Events and gauges of the features of a kind, in the order of the features.
 *
 * @param <P> a pass
 * @param <S> the status
 * @param <R> the resource
 */
public abstract class StatusParts<P, S, R> {

  private final List<Consumer<P>> reports = new ArrayList<>();
  private final List<EventRule<S>> events = new ArrayList<>();
  private final List<GaugeRow<R>> gauges = new ArrayList<>();

  /** Adds a step that sets conditions, also after a failure. */
  public final StatusParts<P, S, R> report(Consumer<P> step) {
    reports.add(step);
    return this;
  }

  /** Adds Events for changes of the status. */
  public final StatusParts<P, S, R> event(EventRule<S> rule) {
    events.add(rule);
    return this;
  }

  /** Adds a gauge, with one row for each resource. */
  public final StatusParts<P, S, R> gauge(GaugeRow<R> row) {
    gauges.add(row);
    return this;
  }

  /** Sets the conditions. */
  public final void report(P pass) {
    reports.forEach(step -> step.accept(pass));
  }

  /** The Events for changes of the status. */
  public final List<EventRule<S>> events() {
    return List.copyOf(events);
  }

  /** The gauges. */
  public final List<GaugeRow<R>> gauges() {
    return List.copyOf(gauges);
  }
}
