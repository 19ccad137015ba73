package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;

/** Security contexts that satisfy the Pod Security Standard "restricted". */
public final class SecurityContexts {

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

  /** For containers that write to volumes only. */
  public static SecurityContext readOnlyRoot() {
    return restricted().withReadOnlyRootFilesystem(true).build();
  }

  /** For seid, which also writes to paths of its image. */
  public static SecurityContext writableRoot() {
    return restricted().build();
  }

  private static SecurityContextBuilder restricted() {
    return new SecurityContextBuilder()
        .withRunAsNonRoot(true)
        .withRunAsUser(NONROOT)
        .withRunAsGroup(NONROOT)
        .withAllowPrivilegeEscalation(false)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile();
  }
}
