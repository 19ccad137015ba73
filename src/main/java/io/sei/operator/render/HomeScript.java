package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;

/** A container with the image of seid that runs a shell script with seid's home mounted. */
public final class HomeScript {

  private HomeScript() {}

  /** Begins the container; its environment and its mounts may be added to. */
  public static ContainerBuilder of(String name, String image, String script) {
    return new ContainerBuilder()
        .withName(name)
        .withImage(image)
        .withCommand("/bin/sh", "-c", script)
        .withEnv(new EnvVar("HOME", Volumes.HOME, null))
        .withVolumeMounts(Volumes.data())
        .withSecurityContext(SecurityContexts.readOnlyRoot());
  }
}
