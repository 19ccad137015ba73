/**
 * The kernel of both kinds: passes, the status write, the finalizer, condition proposals, rules of
 * Events, and rejected writes.
 */
package io.sei.operator.reconcile;
