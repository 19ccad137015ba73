package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;

/** A user who may read, and in one namespace write, but for what a test does not grant. */
public final class Rights {

  private static final List<String> WRITTEN =
      List.of(
          "seinodes",
          "seinodes/status",
          "seinodedeployments",
          "seinodedeployments/status",
          "seinodetasks",
          "seinodetasks/status",
          "statefulsets",
          "controllerrevisions",
          "services",
          "poddisruptionbudgets",
          "configmaps",
          "persistentvolumeclaims",
          "pods",
          "jobs",
          "events");

  private static final List<String> READ =
      List.of("nodes", "leases", "secrets", "httproutes", "pods/log");

  private final KubernetesClient client;
  private final String namespace;

  /**
   * @param client acts as an administrator of the cluster
   */
  public Rights(KubernetesClient client, String namespace) {
    this.client = client;
    this.namespace = namespace;
  }

  /** Grants what an operator reads and writes, but for this; what it writes, it may read. */
  public Rights without(String resource) {
    var read = new ArrayList<>(WRITTEN);
    READ.stream().filter(text -> !text.equals(resource)).forEach(read::add);
    client
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName(user())
                .endMetadata()
                .addNewRule()
                .withApiGroups("*")
                .withResources(read)
                .withVerbs("get", "list", "watch")
                .endRule()
                .addNewRule()
                .withNonResourceURLs("*")
                .withVerbs("get")
                .endRule()
                .build())
        .create();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(user())
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", user())
                .addNewSubject("rbac.authorization.k8s.io", "User", user(), null)
                .build())
        .create();
    var resources = new ArrayList<>(WRITTEN);
    resources.remove(resource);
    grant("all-but-" + resource.replace('/', '-'), resources);
    return this;
  }

  /** Grants a resource as well. */
  public void grant(String resource) {
    grant(resource.replace('/', '-'), List.of(resource));
  }

  /** Grants some of what can be done with a resource. */
  public void grant(String resource, String... verbs) {
    grant("some-of-" + resource.replace('/', '-'), List.of(resource), verbs);
  }

  /** Returns the configuration of the same API server for this user. */
  public Config config(Config administrator) {
    return new ConfigBuilder(administrator).withImpersonateUsername(user()).build();
  }

  private void grant(String name, List<String> resources) {
    grant(name, resources, "get", "create", "update", "patch", "delete");
  }

  private void grant(String name, List<String> resources, String... verbs) {
    client
        .resource(
            new RoleBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .addNewRule()
                .withApiGroups("*")
                .withResources(resources)
                .withVerbs(verbs)
                .endRule()
                .build())
        .create();
    client
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "Role", name)
                .addNewSubject("rbac.authorization.k8s.io", "User", user(), null)
                .build())
        .create();
    AccessReviews.awaitRight(client, user(), namespace, verbs[0], resources.getFirst(), null);
  }

  private String user() {
    return namespace + "-limited";
  }
}
