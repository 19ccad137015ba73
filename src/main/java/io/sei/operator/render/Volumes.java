package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The volumes of a node's pod, and how containers mount them. */
public final class Volumes {

  /** Where the data volume is mounted: the home directory of seid. */
  public static final String HOME = "/.sei";

  static final String PROXY_CONFIG_FILE = "config.yaml";

  private static final String DATA = "data";
  private static final String TMP = "sidecar-tmp";
  private static final String PROXY_CONFIG = "rbac-proxy-config";
  private static final String PROXY_CONFIG_PATH = "/etc/kube-rbac-proxy";
  private static final String SIGNING_KEY = "signing-key";
  private static final String NODE_KEY = "node-key";
  private static final String KEYRING = "operator-keyring";

  // The directory in which the Cosmos SDK's file keyring looks, below the home it is given.
  private static final String KEYRING_PATH = HOME + "/keyring-file";

  private static final int OWNER_MAY_READ = 0400;

  private Volumes() {}

  static List<Volume> of(SeiNode node) {
    var keys = KeyMaterial.of(node.getSpec());
    var volumes = new ArrayList<Volume>();
    volumes.add(
        new VolumeBuilder()
            .withName(DATA)
            .withNewPersistentVolumeClaim(Names.claim(node), null)
            .build());
    volumes.add(new VolumeBuilder().withName(TMP).withNewEmptyDir().endEmptyDir().build());
    volumes.add(
        new VolumeBuilder()
            .withName(PROXY_CONFIG)
            .withNewConfigMap()
            .withName(Names.rbacProxyConfig(node))
            .endConfigMap()
            .build());
    keys.signingKey()
        .ifPresent(it -> volumes.add(secret(SIGNING_KEY, it, file(KeyMaterial.SIGNING_KEY_FILE))));
    keys.nodeKey()
        .ifPresent(it -> volumes.add(secret(NODE_KEY, it, file(KeyMaterial.NODE_KEY_FILE))));
    keys.operatorKeyring().ifPresent(it -> volumes.add(secret(KEYRING, it.secretName())));
    return volumes;
  }

  /** The mount of the data volume. */
  public static VolumeMount data() {
    return new VolumeMountBuilder().withName(DATA).withMountPath(HOME).build();
  }

  static VolumeMount tmp() {
    return new VolumeMountBuilder().withName(TMP).withMountPath("/tmp").build();
  }

  static VolumeMount proxyConfig() {
    return readOnly(PROXY_CONFIG, PROXY_CONFIG_PATH).build();
  }

  static String proxyConfigFile() {
    return PROXY_CONFIG_PATH + "/" + PROXY_CONFIG_FILE;
  }

  /** The keys that seid reads; no other container may have these mounts. */
  static List<VolumeMount> seidKeys(KeyMaterial keys) {
    var mounts = new ArrayList<VolumeMount>();
    keys.signingKey()
        .ifPresent(it -> mounts.add(config(SIGNING_KEY, KeyMaterial.SIGNING_KEY_FILE)));
    keys.nodeKey().ifPresent(it -> mounts.add(config(NODE_KEY, KeyMaterial.NODE_KEY_FILE)));
    return mounts;
  }

  /** The keyring that the sidecar signs with; no other container may have this mount. */
  static Optional<VolumeMount> keyring(KeyMaterial keys) {
    return keys.operatorKeyring().map(it -> readOnly(KEYRING, KEYRING_PATH).build());
  }

  /**
   * A file of seid's configuration. The kubelet does not refresh a subPath mount, which is wanted:
   * a key that changes under a running validator can sign two blocks at one height.
   */
  private static VolumeMount config(String volume, String file) {
    return readOnly(volume, HOME + "/config/" + file).withSubPath(file).build();
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
