package io.sei.operator.sidecar;

import static io.sei.operator.sidecar.SidecarException.Kind.BUSY;
import static io.sei.operator.sidecar.SidecarException.Kind.FORBIDDEN;
import static io.sei.operator.sidecar.SidecarException.Kind.REJECTED;
import static io.sei.operator.sidecar.SidecarException.Kind.UNREACHABLE;
import static io.sei.operator.sidecar.SidecarException.Kind.UNSUPPORTED;

/** What an answer means that is not the one asked for, as seen on v0.0.50 to v0.0.70. */
final class Refusal {

  /** How a 400 begins that says that the store is locked, and that will not be one later. */
  private static final String BUSY_STORE = "persist task: ";

  private static final String UNKNOWN_TYPE = "unknown task type: ";

  private Refusal() {}

  /**
   * What the caller can do about it.
   *
   * @param words the answer's own
   * @param triedAgain whether the answer asks to be tried again. A proxy whose backend is gone
   *     answers 503 as well, and does not.
   */
  static SidecarException.Kind kind(int status, String words, boolean triedAgain) {
    return switch (status) {
      case 401, 403 -> FORBIDDEN;
      case 400, 422 ->
          words.startsWith(BUSY_STORE)
              ? BUSY
              : words.startsWith(UNKNOWN_TYPE) ? UNSUPPORTED : REJECTED;
      case 503 -> triedAgain ? BUSY : UNREACHABLE;
      default -> UNREACHABLE;
    };
  }
}
