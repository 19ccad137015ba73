package io.sei.operator.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Optional;

/**
 * What the API server says to an object that it does not take: one that is not valid, or one that
 * is too large. The schema of a spec cannot know all that is asked of what is made from it, such as
 * the form of a label; and asking again for the same is of no use.
 */
public final class Refusal {

  private static final int UNPROCESSABLE = 422;

  /** A value that is quoted may be as long as a spec. */
  private static final int MAX_LENGTH = 1024;

  /** etcd's own limit, which API servers report as an error of theirs. */
  private static final String TOO_LARGE_FOR_ETCD = "etcdserver: request is too large";

  /** What is so large that an API server does not even get it to etcd. */
  private static final String TOO_LARGE_TO_SEND = "trying to send message larger than max";

  private Refusal() {}

  /** The refusal in words; empty if the failure is another one. */
  public static Optional<String> of(String kind, KubernetesClientException failure) {
    return isRefusal(failure)
        ? Optional.of("the API server refuses the " + kind + ": " + words(failure))
        : Optional.empty();
  }

  /** Whether the object, and not the moment, is what the API server fails at. */
  public static boolean isRefusal(KubernetesClientException failure) {
    return failure.getCode() == UNPROCESSABLE || isTooLarge(failure);
  }

  /** Whether there is no room for the object as a whole. */
  public static boolean isTooLarge(KubernetesClientException failure) {
    if (failure.getCode() == HttpURLConnection.HTTP_ENTITY_TOO_LARGE) {
      return true;
    }
    String words = said(failure);
    return failure.getCode() == HttpURLConnection.HTTP_INTERNAL_ERROR
        && (words.contains(TOO_LARGE_FOR_ETCD) || words.contains(TOO_LARGE_TO_SEND));
  }

  /** The API server's own words, cut to what a status has room for. */
  public static String words(KubernetesClientException failure) {
    return cut(said(failure));
  }

  private static String said(KubernetesClientException failure) {
    return failure.getStatus() == null || failure.getStatus().getMessage() == null
        ? String.valueOf(failure.getMessage())
        : failure.getStatus().getMessage();
  }

  private static String cut(String words) {
    return words.codePointCount(0, words.length()) <= MAX_LENGTH
        ? words
        : words.substring(0, words.offsetByCodePoints(0, MAX_LENGTH)) + "...";
  }
}
