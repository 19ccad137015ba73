package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarSourceBuilder;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.SecretKeySelector;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator.KeyringSecret;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.PassphraseSecretRef;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.PodParts;
import io.sei.operator.render.Volumes;
import java.util.Objects;
import java.util.Optional;

/**
 * Mounts the Secrets with the keys of a validator or a seed: consensus key and P2P identity in the
 * container of seid only, the operator account's keyring in the sidecar only.
 */
final class KeyMounts {

  private static final String SIGNING_KEY = "signing-key";
  private static final String NODE_KEY = "node-key";
  private static final String KEYRING = "operator-keyring";

  // The directory in which the Cosmos SDK's file keyring looks, below the home it is given.
  private static final String KEYRING_PATH = Volumes.HOME + "/keyring-file";

  private static final int OWNER_MAY_READ = 0400;

  private KeyMounts() {}

  /** Adds the Secrets to a pod, and the variables by which the sidecar finds its keyring. */
  static void add(SeiNodeSpec spec, PodParts pod) {
    spec.signingKeySecret()
        .ifPresent(
            name ->
                pod.seidVolume(
                    secret(SIGNING_KEY, name, file(SigningKey.FILE)),
                    config(SIGNING_KEY, SigningKey.FILE)));
    spec.nodeKeySecret()
        .ifPresent(
            name ->
                pod.seidVolume(
                    secret(NODE_KEY, name, file(NodeKey.FILE)), config(NODE_KEY, NodeKey.FILE)));
    Optional<KeyringSecret> keyring = spec.operatorKeyring();
    if (NodeMode.of(spec) == NodeMode.VALIDATOR) {
      String backend = keyring.isPresent() ? "file" : "test";
      pod.sidecarVariable(new EnvVar("SEI_KEYRING_BACKEND", backend, null));
      pod.sidecarVariable(new EnvVar("SEI_KEYRING_DIR", Volumes.HOME, null));
    }
    keyring.ifPresent(files -> addKeyring(files, pod));
  }

  private static void addKeyring(KeyringSecret keyring, PodParts pod) {
    pod.sidecarVolume(
        secret(KEYRING, keyring.secretName()), readOnly(KEYRING, KEYRING_PATH).build());
    PassphraseSecretRef passphrase = keyring.passphraseSecretRef();
    if (passphrase != null) {
      pod.sidecarVariable(
          new EnvVar(
              "SEI_KEYRING_PASSPHRASE",
              null,
              new EnvVarSourceBuilder()
                  .withSecretKeyRef(
                      new SecretKeySelector(passphrase.key(), passphrase.secretName(), null))
                  .build()));
    }
  }

  /** Name of the Secret that a pod mounts for its consensus key. */
  static Optional<String> signingKeyOf(PodSpec pod) {
    return pod.getVolumes().stream()
        .filter(volume -> volume.getName().equals(SIGNING_KEY) && volume.getSecret() != null)
        .map(volume -> volume.getSecret().getSecretName())
        .filter(Objects::nonNull)
        .findFirst();
  }

  /**
   * A file of seid's configuration. The kubelet does not refresh a subPath mount, which is wanted:
   * a key that changes under a running validator can sign two blocks at one height.
   */
  private static VolumeMount config(String volume, String file) {
    return readOnly(volume, Volumes.HOME + "/config/" + file).withSubPath(file).build();
  }

  private static VolumeMountBuilder readOnly(String volume, String path) {
    return new VolumeMountBuilder().withName(volume).withMountPath(path).withReadOnly(true);
  }

  private static Volume secret(String name, String secret, KeyToPath... items) {
    return new VolumeBuilder()
        .withName(name)
        .withNewSecret()
        .withSecretName(secret)
        .withDefaultMode(OWNER_MAY_READ)
        .withItems(items)
        .endSecret()
        .build();
  }

  private static KeyToPath file(String name) {
    return new KeyToPath(name, null, name, null);
  }
}
