package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Keeps seid from signing with another key than the one its pod was started for. The kubelet mounts
 * what a Secret holds now whenever it restarts a container, and nothing looks at it in between; so
 * the container looks itself, before anything else.
 *
 * @param secret name of the Secret with the key
 * @param publicKey what the Secret held when a plan validated it
 */
public record SigningKeyCheck(String secret, String publicKey) {

  /** The variable that holds the expected public key. */
  static final String VARIABLE = "SEI_SIGNING_PUBLIC_KEY";

  /**
   * Environment variable of a pod whose seid signs with a remote signer: the Secret's key is not
   * mounted.
   */
  private static final String REMOTE = "SEI_SIGNS_REMOTELY";

  /** {@code EX_CONFIG}: neither seid nor bash ends with it. */
  public static final int REFUSED = 78;

  private static final int KEY_BYTES = 32;

  /**
   * Script that uses only builtins of bash. Backslashes are left out, as JSON may have them before
   * a slash. The name of a Secret needs no quotes: the schema allows lower-case letters, digits and
   * dashes. Nothing of it is logged but that name.
   */
  private static final String SCRIPT =
      """
      key=$(<"$HOME/config/%1$s")
      if [[ ${key//\\\\/} != *"%2$s\\""* ]]; then
        echo "the mounted signing key is not the one this pod was started for: Secret %3$s was changed; \
      put its %1$s back, or restart the node with the new key \
      by a new value of its annotation %4$s" >&2
        exit %5$d
      fi
      unset key
      """;

  /** Returns the check for a node's pod; none until a plan has recorded the key. */
  static Optional<SigningKeyCheck> of(SeiNode node) {
    return KeyMaterial.of(node.getSpec())
        .signingKey()
        .flatMap(
            secret ->
                Optional.ofNullable(node.getStatus())
                    .map(SeiNodeStatus::signingPublicKey)
                    .map(publicKey -> new SigningKeyCheck(secret, publicKey)));
  }

  /** The public key that a pod was started for, if it checks that. */
  public static Optional<String> publicKeyOf(Pod pod) {
    return publicKeyOf(pod.getSpec());
  }

  /** The public key that a pod of this spec is started for, if it checks that. */
  public static Optional<String> publicKeyOf(PodSpec pod) {
    return variables(pod)
        .filter(it -> VARIABLE.equals(it.getName()))
        .flatMap(variable -> Stream.ofNullable(variable.getValue()))
        .findFirst();
  }

  private static Stream<EnvVar> variables(PodSpec pod) {
    return pod.getContainers().stream()
        .filter(container -> container.getName().equals(Names.SEID))
        .map(Container::getEnv)
        .flatMap(List::stream);
  }

  /**
   * Returns whether a variable of a container says for which public key its pod was started, or
   * how.
   */
  public static boolean isVariable(EnvVar variable) {
    return VARIABLE.equals(variable.getName()) || REMOTE.equals(variable.getName());
  }

  /** Returns the variables that mark a pod as started for this public key and a remote signer. */
  public static List<EnvVar> remote(String publicKey) {
    return List.of(new EnvVar(VARIABLE, publicKey, null), new EnvVar(REMOTE, "true", null));
  }

  /** Returns whether a pod of this spec was started for a signer that dials in. */
  public static boolean isRemote(PodSpec pod) {
    return variables(pod).anyMatch(it -> REMOTE.equals(it.getName()));
  }

  /** First part of the container's script. */
  String script() {
    return SCRIPT.formatted(
        KeyMaterial.SIGNING_KEY_FILE,
        privateEnd(publicKey).orElse("\\\"$" + VARIABLE),
        secret,
        Annotations.RESTART_REQUESTED_AT,
        REFUSED);
  }

  EnvVar variable() {
    return new EnvVar(VARIABLE, publicKey, null);
  }

  /** Returns whether the script finds the private key of a public one in the text of a key file. */
  public static boolean finds(String publicKey, String file) {
    return privateEnd(publicKey)
        .filter(end -> file.replace("\\", "").contains(end + "\""))
        .isPresent();
  }

  /**
   * Returns the end of the private key in base64, which is no secret: its last 32 bytes are the
   * public key, and their base64 begins at the second of them, since three divides its place. Seid
   * ignores the public key that the file itself names, so that proves nothing. Empty for what is no
   * Ed25519 key.
   */
  private static Optional<String> privateEnd(String publicKey) {
    byte[] key;
    try {
      key = Base64.getDecoder().decode(publicKey);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    return key.length == KEY_BYTES
        ? Optional.of(Base64.getEncoder().encodeToString(Arrays.copyOfRange(key, 1, KEY_BYTES)))
        : Optional.empty();
  }
}
