package io.sei.operator.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;

/** Refusals as an API server's answer leads to. */
public final class RefusedWrites {

  private RefusedWrites() {}

  /** The refusal of an object, in these words. */
  public static RefusedException of(String object, String words) {
    return new RefusedException(
        "the API server refuses " + object + ": " + words,
        new KubernetesClientException(words, 403, null));
  }
}
