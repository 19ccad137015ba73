/**
 * Main entry of the process and its composition: the only package that knows every feature. {@code
 * NodeAssembly} and {@code FleetAssembly} list the features of nodes and of fleets in the order in
 * which their hooks are called, and {@code NodeCore} wires what no feature of a node owns; {@code
 * Prerequisites}, {@code CrdGate} and {@code HeldLease} decide whether the process may start and go
 * on.
 *
 * <p>Uses every other package.
 *
 * <p>Begin with {@link Main} then {@link SeiOperator}, {@link NodeAssembly} and {@link
 * FleetAssembly}.
 */
package io.sei.operator;
