package io.sei.operator;

import io.sei.operator.node.growth.UsageWatch;
import io.sei.operator.node.sync.SyncWatch;

/**
 * What asks, aside, for what Kubernetes does not know of nodes.
 *
 * @param sync how far each is
 * @param usage how full their volumes are
 */
public record Watches(SyncWatch sync, UsageWatch usage) {}
