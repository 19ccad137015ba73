package io.sei.operator.testkit;

import io.fabric8.kubernetes.client.KubernetesClient;

/** What an API server serves of the core group. */
public final class CoreResources {

  private CoreResources() {}

  /** Whether pods can be resized, which they can since Kubernetes 1.33. */
  public static boolean canResizePods(KubernetesClient client) {
    return client.getApiResources("v1").getResources().stream()
        .anyMatch(resource -> resource.getName().equals("pods/resize"));
  }
}
