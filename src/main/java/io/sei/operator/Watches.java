package io.sei.operator;

import io.sei.operator.node.ChainWatch;
import io.sei.operator.node.sync.SyncWatch;
import io.sei.operator.node.volume.UsageWatch;

/**
 * Background polls of state of nodes that is not in Kubernetes.
 *
 * @param chains what their chains have planned
 * @param sync how far each is
 * @param usage how full their volumes are
 */
public record Watches(ChainWatch chains, SyncWatch sync, UsageWatch usage) {}
