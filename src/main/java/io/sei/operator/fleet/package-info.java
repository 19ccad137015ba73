/**
 * The controller of fleets, which sees its nodes through {@code SeiNode} objects alone, and in a
 * rollout the pod of a node that is not Ready. {@code fleet.model} is shared; {@code fleet.rollout}
 * (pure) decides who is next, {@code fleet.status} (pure) what is said. The other packages are
 * features.
 */
package io.sei.operator.fleet;
