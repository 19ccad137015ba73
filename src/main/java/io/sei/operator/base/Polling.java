package io.sei.operator.base;

import java.time.Clock;

/**
 * State, executor and clock that pollers of one kind of owner share.
 *
 * @param memory of the owners; its reconciles follow changed answers
 * @param executor of requests
 * @param clock for ages; never set back or forth
 * @param <K> key of an owner
 */
public record Polling<K>(PerObjectState<K> memory, OwnedExecutor<K> executor, Clock clock) {}
