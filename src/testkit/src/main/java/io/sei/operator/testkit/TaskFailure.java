package io.sei.operator.testkit;

/** A task of a simulated sidecar has failed, with the words that its row shows. */
final class TaskFailure extends RuntimeException {

  private static final long serialVersionUID = 1L;

  TaskFailure(String error) {
    super(error, null, false, false);
  }
}
