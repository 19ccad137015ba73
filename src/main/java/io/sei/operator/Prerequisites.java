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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks what the cluster must have before the operator can start, and waits for it. */
final class Prerequisites {

  private static final Logger log = LoggerFactory.getLogger(Prerequisites.class);

  /** Interval between two log lines about the same obstacle. */
  private static final Duration REPEAT = Duration.ofSeconds(30);

  private static final List<Class<? extends CustomResource<?, ?>>> RESOURCES =
      List.of(SeiNode.class, SeiNodeDeployment.class, SeiNodeTask.class, SeiSigningKey.class);

  private static final Version OLDEST = Version.parse("1.30");

  private Prerequisites() {}

  /**
   * Returns once nothing is in the way of the start, and logs what is.
   *
   * @param period between checks
   * @param obstacles checks, and returns what is in the way
   */
  static void await(Duration period, Supplier<List<String>> obstacles) {
    long perLine = REPEAT.dividedBy(period);
    List<String> found = obstacles.get();
    for (long check = 0; !found.isEmpty(); check++) {
      if (check % perLine == 0) {
        found.forEach(obstacle -> log.warn("Not started: {}", obstacle));
      }
      LockSupport.parkNanos(period.toNanos());
      found = obstacles.get();
    }
  }

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
   * Returns whether the operator works with a server of this {@code gitVersion}, such as {@code
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

  /** Returns the server's answer, or why there is none. */
  private static String reason(KubernetesClientException e) {
    return e.getStatus() == null ? StartFailure.causes(e) : e.getStatus().getMessage();
  }
}
