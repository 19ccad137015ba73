package io.sei.operator.node.model;

import io.sei.operator.reconcile.Verdict;

/**
 * That seid is to be kept from running, for as long as a person wants it.
 *
 * @param settled whether it is by now, so that there is nothing to wait for
 * @param ready what the condition Ready says then
 * @param sidecar what the condition SidecarReady says of a sidecar that does not let seid start
 */
public record KeptBack(boolean settled, Verdict ready, Verdict sidecar) {}
