package io.sei.operator.node.feature;

import java.util.Optional;

/**
 * Whether the log of seid in the node's pod can be read, by which a halt is recognised.
 *
 * @param isKnown whether the API server was asked
 * @param refusal its words, if it forbids that
 */
public record LogAccess(boolean isKnown, Optional<String> refusal) {

  public static final LogAccess UNKNOWN = new LogAccess(false, Optional.empty());
  public static final LogAccess GRANTED = new LogAccess(true, Optional.empty());

  /** The API server forbids it. */
  public static LogAccess refused(String words) {
    return new LogAccess(true, Optional.of(words));
  }
}
