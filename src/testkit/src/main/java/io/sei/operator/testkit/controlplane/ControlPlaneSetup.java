package io.sei.operator.testkit.controlplane;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ServiceLoader;

/**
 * Adds to a control plane what the project has whose tests run on it. {@link ServiceLoader} finds
 * the implementation; without one a control plane is that of Kubernetes, and nothing else.
 */
public interface ControlPlaneSetup {

  /** The implementation of the project whose tests run. */
  ControlPlaneSetup FOUND =
      ServiceLoader.load(ControlPlaneSetup.class)
          .findFirst()
          .orElseGet(() -> new ControlPlaneSetup() {});

  /** Returns the serialization of all clients of a control plane. */
  default KubernetesSerialization serialization() {
    return new KubernetesSerialization();
  }

  /** Installs what every control plane has, before {@link ControlPlane#start()} returns. */
  default void installOnStart(KubernetesClient client) {}

  /**
   * Installs what the tests expect on the control plane that {@link ControlPlaneExtension} starts.
   *
   * @return closed at the end of the run, while the control plane is still there
   */
  default AutoCloseable installForTests(KubernetesClient client) {
    return () -> {};
  }
}
