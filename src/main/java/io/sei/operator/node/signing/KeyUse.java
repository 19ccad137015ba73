package io.sei.operator.node.signing;

/** Whether a node may let a pod sign with a key. */
public sealed interface KeyUse {

  /** Nobody else does or is about to, and nobody else can be while this node's claim stands. */
  record Free() implements KeyUse {}

  /** Nobody else does, but this node has not claimed the key yet, so others do not know of it. */
  record Unclaimed() implements KeyUse {}

  /** Another node has a claim that has to give way, or a pod within moments. */
  record Contended(String message) implements KeyUse {}

  /** Another has the key; this node must not, and must withdraw its claim if it has one. */
  record InUse(String message) implements KeyUse {}
}
