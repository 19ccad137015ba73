package io.sei.operator.node.objects;

/** What to do about the StatefulSet that has a node's name. */
public sealed interface IdentityAction {

  /** There is none, or it is the node's: apply and record it. */
  record Apply() implements IdentityAction {}

  /** The recorded one is gone: forget it, before another is made. */
  record Forget() implements IdentityAction {}

  /** Another one took the place of the recorded one: record that it has to go. */
  record BeginReplacement(String uid) implements IdentityAction {}

  /** It has to go, as recorded. */
  record Delete() implements IdentityAction {}

  /** It is being deleted. */
  record AwaitDeletion() implements IdentityAction {}

  /** It is somebody else's and must not be touched. */
  record Conflict(String owner) implements IdentityAction {}
}
