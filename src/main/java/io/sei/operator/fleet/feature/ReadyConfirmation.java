package io.sei.operator.fleet.feature;

import java.time.Duration;

/**
 * Time for which a node must stay Ready without a restart before the next one is taken down, where
 * {@code minReadySeconds} is unset.
 *
 * @param afterBlock counted from readiness or the first new block, whichever is later
 * @param withoutBlock counted from readiness, where no new block was seen: a chain that stands
 *     still must get its emergency release
 */
public record ReadyConfirmation(Duration afterBlock, Duration withoutBlock) {}
