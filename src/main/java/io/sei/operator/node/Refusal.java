package io.sei.operator.node;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;

/**
 * What the API server says to an object that is not valid. The schema of a spec cannot know all
 * that is asked of what is made from it, such as the form of a label; and asking again for the same
 * is of no use.
 */
public final class Refusal {

  private static final int UNPROCESSABLE = 422;

  /** A value that is quoted may be as long as a spec. */
  private static final int MAX_LENGTH = 1024;

  private Refusal() {}

  /** The refusal in words; empty if the failure is another one. */
  public static Optional<String> of(String kind, KubernetesClientException failure) {
    if (failure.getCode() != UNPROCESSABLE) {
      return Optional.empty();
    }
    String words =
        failure.getStatus() == null || failure.getStatus().getMessage() == null
            ? failure.getMessage()
            : failure.getStatus().getMessage();
    return Optional.of("the API server refuses the " + kind + ": " + cut(words));
  }

  private static String cut(String words) {
    return words.codePointCount(0, words.length()) <= MAX_LENGTH
        ? words
        : words.substring(0, words.offsetByCodePoints(0, MAX_LENGTH)) + "...";
  }
}
