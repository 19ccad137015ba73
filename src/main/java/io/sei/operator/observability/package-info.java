/** Metrics and probes, from caches alone. */
package io.sei.operator.observability;
