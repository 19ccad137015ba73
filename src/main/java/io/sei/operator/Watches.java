package io.sei.operator;

import io.sei.operator.node.ChainWatch;
import io.sei.operator.node.growth.UsageWatch;
import io.sei.operator.node.sync.SyncWatch;

/**
 * What asks, aside, for what Kubernetes does not know of nodes.
 *
 * @param chains what their chains have planned
 * @param sync how far each is
 * @param usage how full their volumes are
 */
public record Watches(ChainWatch chains, SyncWatch sync, UsageWatch usage) {}
