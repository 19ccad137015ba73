/**
 * Utilities without Kubernetes: digests, printable text, times; {@code PerObjectState} for values
 * in memory by object; {@code Poller} for answers that are asked for in the background and cached;
 * {@code ReconcileThreads} and {@code FairExecutor}, which namespaces share for reconciles and
 * reads; {@code UntrustedHttp} for programs that are not trusted, bounded in time and size.
 */
package io.sei.operator.base;
