package io.sei.operator.testkit;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.kube.KubernetesClients;
import java.util.concurrent.TimeUnit;

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
    KubernetesClient tenant =
        KubernetesClients.create(
            new ConfigBuilder(administrator).withImpersonateUsername(user).build());
    await().atMost(1, TimeUnit.MINUTES).until(() -> mayCreateServiceAccounts(tenant, namespace));
    return tenant;
  }

  /** The API server learns of a binding by a watch: it refuses the user for a moment. */
  private static boolean mayCreateServiceAccounts(KubernetesClient tenant, String namespace) {
    return tenant
        .authorization()
        .v1()
        .selfSubjectAccessReview()
        .create(
            new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withNamespace(namespace)
                .withVerb("create")
                .withResource("serviceaccounts")
                .endResourceAttributes()
                .endSpec()
                .build())
        .getStatus()
        .getAllowed();
  }
}
