package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.concurrent.TimeUnit;

/** Waits for a right: the API server learns of a binding by a watch, and until then refuses. */
public final class AccessReviews {

  private AccessReviews() {}

  /**
   * Waits until a user has a right.
   *
   * @param client acts as an administrator of the cluster
   * @param resource in the core group, such as {@code pods/log}
   * @param name of the object that the right is for; null for all
   */
  public static void awaitRight(
      KubernetesClient client,
      String user,
      String namespace,
      String verb,
      String resource,
      String name) {
    String[] parts = resource.split("/");
    String subresource = parts.length > 1 ? parts[1] : null;
    var review =
        new SubjectAccessReviewBuilder()
            .withNewSpec()
            .withUser(user)
            .withNewResourceAttributes()
            .withNamespace(namespace)
            .withVerb(verb)
            .withResource(parts[0])
            .withSubresource(subresource)
            .withName(name)
            .endResourceAttributes()
            .endSpec()
            .build();
    await(user + " " + verb + " " + resource)
        .atMost(1, TimeUnit.MINUTES)
        .until(
            () ->
                client
                    .authorization()
                    .v1()
                    .subjectAccessReview()
                    .create(review)
                    .getStatus()
                    .getAllowed());
  }
}
