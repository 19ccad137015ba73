/**
 * The kernel of both kinds: passes, the status write, the finalizer, verdicts, rules of Events, and
 * refused writes.
 */
package io.sei.operator.reconcile;
