/**
 * Utilities that know nothing of nodes: digests, printable text and times; values in memory by
 * object; executors whose threads namespaces share; polls in the background; and HTTP to programs
 * that are not trusted, bounded in time and size.
 *
 * <p>Uses no other package.
 *
 * <p>Begin with {@link PerObjectState}, {@link Poller} and {@link UntrustedHttp}.
 */
package io.sei.operator.base;
