package io.sei.operator;

import io.sei.operator.node.ChainPoller;
import io.sei.operator.node.sync.SyncPoller;
import io.sei.operator.node.volume.UsagePoller;

/**
 * Background pollers that the controllers of nodes and fleets share. They read what the API server
 * does not know: from the nodes' RPC, and from Prometheus.
 *
 * @param chains height and planned upgrade of each chain
 * @param sync height and catching-up state of each node
 * @param usage how full the data volumes are
 */
public record NodePollers(ChainPoller chains, SyncPoller sync, UsagePoller usage) {}
