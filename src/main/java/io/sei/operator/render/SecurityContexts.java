package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

/** Security contexts that satisfy the Pod Security Standard "restricted". */
public final class SecurityContexts {

  /** The user of the proxy, so that no other container reads its files or signals it. */
  static final long PROXY_USER = 65533L;

  /** The user of the exporter, which therefore reads nothing of seid, sidecar and proxy. */
  static final long EXPORTER_USER = 65534L;

  // The user "nonroot" of distroless images. As fsGroup it can read mounted Secrets of mode 0400.
  private static final long NONROOT = 65532L;

  private SecurityContexts() {}

  static PodSecurityContext ofPod() {
    return new PodSecurityContextBuilder()
        .withFsGroup(NONROOT)
        // Changing the owner of terabytes of files on every start would take hours.
        .withFsGroupChangePolicy("OnRootMismatch")
        .build();
  }

  /** The context of seid, and of the containers that share its files. */
  public static SecurityContext readOnlyRoot() {
    return readOnlyRoot(NONROOT);
  }

  /**
   * The context of a container with a user of its own. The containers of a pod share a process
   * namespace, in which one reads the files and the environment of another of its own user, and
   * signals it.
   */
  static SecurityContext readOnlyRoot(long user) {
    return new SecurityContextBuilder()
        .withReadOnlyRootFilesystem(true)
        .withRunAsNonRoot(true)
        .withRunAsUser(user)
        .withRunAsGroup(user)
        .withAllowPrivilegeEscalation(false)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .build();
  }
}
