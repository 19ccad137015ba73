package io.sei.operator.testkit;

import io.fabric8.kubernetes.client.KubernetesClient;

/** Lists the resources of the core group that an API server serves. */
public final class CoreResources {

  private CoreResources() {}

  /** Returns whether pods can be resized, which they can since Kubernetes 1.33. */
  public static boolean canResizePods(KubernetesClient client) {
    return client.getApiResources("v1").getResources().stream()
        .anyMatch(resource -> resource.getName().equals("pods/resize"));
  }
}
