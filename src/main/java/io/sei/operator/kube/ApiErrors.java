package io.sei.operator.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;

/** Names the answers of the API server that callers handle. */
public final class ApiErrors {

  private ApiErrors() {}

  /** Returns whether an object is not there, or its kind is not served. */
  public static boolean isNotFound(KubernetesClientException error) {
    return error.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
  }

  /** Returns whether an object is there already, or has changed since it was read. */
  public static boolean isConflict(KubernetesClientException error) {
    return error.getCode() == HttpURLConnection.HTTP_CONFLICT;
  }

  /** Returns whether a right is missing, or an admission policy or a quota rejected a write. */
  public static boolean isForbidden(KubernetesClientException error) {
    return error.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
  }
}
