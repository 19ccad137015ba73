package io.sei.operator.diagnosis;

import io.sei.operator.api.v1alpha1.StallReason;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * PURE: decides whether a failed pull speaks against the image. It does only if the registry
 * answered that the image does not exist or may not be read, or if the kubelet refuses to ask for
 * it; anything else lies between the kubelet and the registry.
 */
final class RegistryAnswer {

  /** Reasons of a waiting container for which the kubelet asks no registry. */
  private static final Set<String> NOT_ASKED = Set.of("InvalidImageName", "ErrImageNeverPull");

  /**
   * Texts of registries (distribution specification: NAME_UNKNOWN, MANIFEST_UNKNOWN, DENIED,
   * UNAUTHORIZED), as containerd and CRI-O report them, and of a kubelet that does not accept the
   * image's signature.
   */
  private static final Pattern IMAGE_REFUSED =
      Pattern.compile(
          "not found|manifest unknown|name unknown|no match for platform|denied|unauthorized"
              + "|authentication required|authorization failed|\\b40[134] |does not exist"
              + "|signature validation failed",
          Pattern.CASE_INSENSITIVE);

  /**
   * Texts about a registry, or a mirror, that was not reached or could not serve the request
   * (status 429 or 5xx), whatever else the error contains.
   */
  private static final Pattern REGISTRY_UNAVAILABLE =
      Pattern.compile(
          "dial tcp|no such host|i/o timeout|connection re(?:fused|set)|TLS handshake|x509:"
              + "|deadline exceeded|\\bEOF\\b|too ?many ?requests|\\b(?:429|5\\d\\d) "
              + "|registry is unavailable",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern BACK_OFF_ALONE =
      Pattern.compile("Back-off pulling image \"[^\"]*\"");

  private RegistryAnswer() {}

  /**
   * Returns the cause of a failed pull.
   *
   * @param reason of the waiting container
   * @param error what the kubelet says of the pull; null or a bare back-off if it does not
   */
  static StallReason cause(String reason, String error) {
    boolean isOfTheImage =
        NOT_ASKED.contains(reason)
            || error != null
                && !REGISTRY_UNAVAILABLE.matcher(error).find()
                && IMAGE_REFUSED.matcher(error).find();
    return isOfTheImage ? StallReason.IMAGE_PULL : StallReason.REGISTRY_UNREACHABLE;
  }

  /**
   * Returns whether a message names no cause, as that of a kubelet of Kubernetes 1.30 that backs
   * off.
   */
  static boolean isBackOffAlone(String message) {
    return BACK_OFF_ALONE.matcher(message).matches();
  }
}
