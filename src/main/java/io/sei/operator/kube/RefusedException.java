package io.sei.operator.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;

/**
 * A request that the API server refuses for what it asks, and not for the moment's sake. The
 * message names the object and has the API server's own words.
 */
public final class RefusedException extends KubernetesClientException {

  private static final long serialVersionUID = 1L;

  RefusedException(String message, KubernetesClientException refusal) {
    super(message, refusal.getCode(), refusal.getStatus());
    // The library's constructor that takes a cause takes no answer without its request.
    addSuppressed(refusal);
  }
}
