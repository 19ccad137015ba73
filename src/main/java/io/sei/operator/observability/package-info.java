/**
 * Metrics and probes of the process. Gauges of objects are computed from informer caches at each
 * scrape, without a request.
 *
 * <p>Uses {@code api.v1alpha1}, {@code chain}, {@code render}.
 *
 * <p>Begin with {@link OperatorMetrics} then {@link GaugeRow}.
 */
package io.sei.operator.observability;
