package io.sei.operator.chain;

import java.time.Instant;
import java.util.Optional;

/**
 * A block in which a transaction was looked for.
 *
 * @param time of the block
 * @param transaction empty if the block does not have it
 */
public record SearchedBlock(Instant time, Optional<TransactionResult> transaction) {}
