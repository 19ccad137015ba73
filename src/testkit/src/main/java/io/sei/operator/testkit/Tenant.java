package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** A user with the ClusterRole {@code edit} in one namespace and no other right. */
public final class Tenant {

  private static final String RBAC = "rbac.authorization.k8s.io";

  private Tenant() {}

  /**
   * Binds the user and returns a client of that user, to be closed by the test.
   *
   * @param client acts as an administrator of the cluster
   */
  public static KubernetesClient of(
      KubernetesClient client, Config administrator, String namespace) {
    String user = namespace + "-tenant";
    client
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName("tenant")
                .endMetadata()
                .withNewRoleRef(RBAC, "ClusterRole", "edit")
                .addNewSubject(RBAC, "User", user, null)
                .build())
        .create();
    AccessReviews.awaitRight(client, user, namespace, "create", "serviceaccounts", null);
    return new KubernetesClientBuilder()
        .withConfig(new ConfigBuilder(administrator).withImpersonateUsername(user).build())
        .withKubernetesSerialization(client.getKubernetesSerialization())
        .build();
  }
}
