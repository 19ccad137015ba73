package io.sei.operator.takeover.fields;

import java.util.Set;

/** The Go operator, which this one takes over from, as the API server knows it. */
public final class Predecessor {

  /**
   * Its field managers when it does not apply. The API server takes them from the user agent, which
   * begins with the name of the binary.
   */
  private static final Set<String> UPDATERS = Set.of("manager", "sei-k8s-controller");

  /**
   * Its field manager when it applies what a node owns. This operator has the same one, so that
   * what only the other renders goes.
   */
  public static final String APPLIER = "seinode-controller";

  private Predecessor() {}

  /** Whether this is one of its field managers when it does not apply; null is none. */
  public static boolean updatesAs(String fieldManager) {
    return fieldManager != null && UPDATERS.contains(fieldManager);
  }
}
