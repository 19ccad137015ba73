package io.sei.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import java.lang.module.ModuleDescriptor.Version;
import java.util.List;
import java.util.function.Supplier;

/** What the cluster must have before the operator can start. */
final class Prerequisites {

  private static final List<Class<? extends CustomResource<?, ?>>> RESOURCES =
      List.of(SeiNode.class, SeiNodeDeployment.class, SeiNodeTask.class, SeiSigningKey.class);

  private static final Version OLDEST = Version.parse("1.30");

  private Prerequisites() {}

  /**
   * Asks for each of them.
   *
   * @throws StartFailure for the first that is missing
   */
  static void check(KubernetesClient client) {
    checkVersion(client);
    for (Class<? extends HasMetadata> resource : RESOURCES) {
      if (!isServed(client, resource)) {
        throw new StartFailure(
            "The CRD %s is not installed in the cluster at %s; install it with: kubectl apply -f crds/"
                .formatted(HasMetadata.getFullResourceName(resource), client.getMasterUrl()));
      }
    }
  }

  private static void checkVersion(KubernetesClient client) {
    String version = ask(client, () -> client.getKubernetesVersion().getGitVersion());
    if (!isSupported(version)) {
      throw new StartFailure(
          "Kubernetes %s at %s is too old; the operator needs %s or newer"
              .formatted(version, client.getMasterUrl(), OLDEST));
    }
  }

  /**
   * Whether the operator works with a server of this {@code gitVersion}, such as {@code
   * v1.30.4-eks-036c24b}. Its {@code major} and {@code minor} are not relied on: builds from source
   * leave them empty.
   */
  static boolean isSupported(String gitVersion) {
    String minor = String.valueOf(gitVersion).replaceFirst("^v?(\\d+\\.\\d+).*$", "$1");
    return Version.parse(minor).compareTo(OLDEST) >= 0;
  }

  private static boolean isServed(KubernetesClient client, Class<? extends HasMetadata> resource) {
    return ask(client, () -> client.supports(resource));
  }

  private static <T> T ask(KubernetesClient client, Supplier<T> question) {
    try {
      return question.get();
    } catch (KubernetesClientException e) {
      throw new StartFailure(
          "Cannot use the API server at %s (from KUBECONFIG, or from the pod's service account): %s"
              .formatted(client.getMasterUrl(), reason(e)));
    }
  }

  /** What the server said, or what kept it from saying anything. */
  private static String reason(KubernetesClientException e) {
    return e.getStatus() == null ? StartFailure.causes(e) : e.getStatus().getMessage();
  }
}
