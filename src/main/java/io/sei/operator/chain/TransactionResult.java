package io.sei.operator.chain;

import java.util.Optional;

/**
 * The result of a transaction in {@code /block_results}.
 *
 * @param height of the block
 * @param code 0 if it succeeded
 * @param log why it did not, at most 512 printable characters
 * @param proposalId of the proposal that it made, if it made one
 */
public record TransactionResult(long height, int code, String log, Optional<Long> proposalId) {}
