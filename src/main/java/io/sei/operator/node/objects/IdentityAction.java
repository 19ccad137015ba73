package io.sei.operator.node.objects;

/** Action on the StatefulSet that has a node's name. */
public sealed interface IdentityAction {

  /** There is none, or it is the node's: apply and record it. */
  record Apply() implements IdentityAction {}

  /** The recorded one is gone: forget it, before another is made. */
  record Forget() implements IdentityAction {}

  /** Another one took the place of the recorded one: record that it has to go. */
  record BeginReplacement(String uid) implements IdentityAction {}

  /** The StatefulSet is deleted, as recorded. */
  record Delete() implements IdentityAction {}

  /** The StatefulSet is terminating. */
  record AwaitDeletion() implements IdentityAction {}

  /** The StatefulSet belongs to another owner and is not touched. */
  record Conflict(String owner) implements IdentityAction {}
}
