package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** PURE: the signing key that a pod was started for, as variables of its container of seid. */
public final class PodSigningKey {

  /** The variable that holds the expected public key. */
  public static final String VARIABLE = "SEI_SIGNING_PUBLIC_KEY";

  /**
   * Environment variable of a pod whose seid signs with a remote signer: the Secret's key is not
   * mounted.
   */
  private static final String REMOTE = "SEI_SIGNS_REMOTELY";

  private PodSigningKey() {}

  /** The variable of a pod that has this key in a Secret. */
  public static EnvVar local(String publicKey) {
    return new EnvVar(VARIABLE, publicKey, null);
  }

  /** The variables of a pod with a signer that dials in and has this key. */
  public static List<EnvVar> remote(String publicKey) {
    return List.of(local(publicKey), new EnvVar(REMOTE, "true", null));
  }

  /** The public key that a pod was started for; empty if it checks none. */
  public static Optional<String> of(Pod pod) {
    return of(pod.getSpec());
  }

  /** The public key that a pod of this spec is started for; empty if it checks none. */
  public static Optional<String> of(PodSpec pod) {
    return variables(pod)
        .filter(variable -> VARIABLE.equals(variable.getName()))
        .flatMap(variable -> Stream.ofNullable(variable.getValue()))
        .findFirst();
  }

  /** Returns whether a pod of this spec is started for a signer that dials in. */
  public static boolean isRemote(PodSpec pod) {
    return variables(pod).anyMatch(variable -> REMOTE.equals(variable.getName()));
  }

  /** Returns whether a variable of a container is one of these. */
  static boolean isVariable(EnvVar variable) {
    return VARIABLE.equals(variable.getName()) || REMOTE.equals(variable.getName());
  }

  private static Stream<EnvVar> variables(PodSpec pod) {
    return pod.getContainers().stream()
        .filter(container -> container.getName().equals(Names.SEID))
        .map(Container::getEnv)
        .flatMap(List::stream);
  }
}
