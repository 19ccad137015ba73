/**
 * What everybody may use: digests, printable text, times; {@code PerObjectState}, what is kept of
 * an object; {@code Lookup}, an answer that is read aside and kept for a time; what namespaces
 * share: {@code ReconcileThreads} for reconciles, {@code FairExecutor} for reads.
 */
package io.sei.operator.base;
