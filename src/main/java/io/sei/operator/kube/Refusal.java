package io.sei.operator.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Tells a request that the API server refuses for what it asks (validation, size, admission, quota,
 * rights) from one that fails for the moment's sake. The schema of a spec cannot know all that is
 * asked of what is made from it; and asking again for the same is of no use until the user changes
 * the object or what forbids it.
 */
public final class Refusal {

  private static final int UNPROCESSABLE = 422;

  private static final Set<Integer> CODES =
      Set.of(
          HttpURLConnection.HTTP_BAD_REQUEST,
          HttpURLConnection.HTTP_FORBIDDEN,
          HttpURLConnection.HTTP_ENTITY_TOO_LARGE,
          UNPROCESSABLE);

  /**
   * Requests that an API server reports as an error of its own, although the object, or a webhook
   * that the administrator made a condition, is what it fails at.
   */
  private static final List<String> REPORTED_AS_ERRORS =
      List.of(
          "quantities must match the regular expression",
          "unable to parse quantity's suffix",
          "failed calling webhook",
          "denied the request");

  /** A value that is quoted may be as long as a spec. */
  private static final int MAX_LENGTH = 1024;

  /** etcd's own limit, which API servers report as an error of theirs. */
  private static final String TOO_LARGE_FOR_ETCD = "etcdserver: request is too large";

  /** Objects so large that an API server does not even send them to etcd. */
  private static final String TOO_LARGE_TO_SEND = "trying to send message larger than max";

  private Refusal() {}

  /**
   * Makes a request about an object.
   *
   * @param object its kind and name
   * @throws RefusedException if the API server refuses it; other failures are thrown as they are
   */
  public static <T> T named(String object, Supplier<T> request) {
    try {
      return request.get();
    } catch (KubernetesClientException e) {
      throw isRefusal(e)
          ? new RefusedException("the API server refuses " + object + ": " + words(e), e)
          : e;
    }
  }

  /** Returns whether what is asked, and not the moment, is what the API server fails at. */
  static boolean isRefusal(KubernetesClientException failure) {
    return CODES.contains(failure.getCode())
        || isTooLarge(failure)
        || (failure.getCode() == HttpURLConnection.HTTP_INTERNAL_ERROR
            && REPORTED_AS_ERRORS.stream().anyMatch(said(failure)::contains));
  }

  /** Returns whether there is no room for the object as a whole. */
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
