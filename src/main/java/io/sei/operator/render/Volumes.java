package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Quantity;
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

  /** Mount path of the data volume: the home directory of seid. */
  public static final String HOME = "/.sei";

  static final String PROXY_CONFIG_FILE = "config.yaml";

  private static final String DATA = "data";
  private static final String TMP = "sidecar-tmp";
  private static final String EXPORTER_TMP = "exporter-tmp";
  private static final String TMP_PATH = "/tmp";
  private static final String PROXY_TOKEN = "kube-api-access";
  // Where a client in a pod looks for its credentials.
  private static final String PROXY_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
  private static final long PROXY_TOKEN_SECONDS = 3600;
  private static final String PROXY_CONFIG = "rbac-proxy-config";
  private static final String PROXY_CONFIG_PATH = "/etc/kube-rbac-proxy";
  static final String SIGNING_KEY = "signing-key";
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
    volumes.add(kubernetesToken());
    keys.signingKey()
        .ifPresent(it -> volumes.add(secret(SIGNING_KEY, it, file(KeyMaterial.SIGNING_KEY_FILE))));
    keys.nodeKey()
        .ifPresent(it -> volumes.add(secret(NODE_KEY, it, file(KeyMaterial.NODE_KEY_FILE))));
    keys.operatorKeyring().ifPresent(it -> volumes.add(secret(KEYRING, it.secretName())));
    return volumes;
  }

  /**
   * The volume for temporary files of the exporter. It is in memory and limited, so that the
   * exporter fills no disk of its Kubernetes node.
   */
  static Volume ofExporter() {
    return new VolumeBuilder()
        .withName(EXPORTER_TMP)
        .withNewEmptyDir()
        .withMedium("Memory")
        .withSizeLimit(new Quantity("16Mi"))
        .endEmptyDir()
        .build();
  }

  /**
   * Volume that the kubelet mounts in every container where {@code automountServiceAccountToken} is
   * not false: the token by which the proxy has tokens reviewed, the certificates of the API
   * server, and the namespace.
   */
  private static Volume kubernetesToken() {
    return new VolumeBuilder()
        .withName(PROXY_TOKEN)
        .withNewProjected()
        .addNewSource()
        .withNewServiceAccountToken()
        .withExpirationSeconds(PROXY_TOKEN_SECONDS)
        .withPath("token")
        .endServiceAccountToken()
        .endSource()
        .addNewSource()
        .withNewConfigMap()
        .withName("kube-root-ca.crt")
        .withItems(file("ca.crt"))
        .endConfigMap()
        .endSource()
        .addNewSource()
        .withNewDownwardAPI()
        .addNewItem()
        .withPath("namespace")
        .withNewFieldRef("v1", "metadata.namespace")
        .endItem()
        .endDownwardAPI()
        .endSource()
        .endProjected()
        .build();
  }

  /** The mount of the data volume. */
  public static VolumeMount data() {
    return new VolumeMountBuilder().withName(DATA).withMountPath(HOME).build();
  }

  static VolumeMount tmp() {
    return new VolumeMountBuilder().withName(TMP).withMountPath(TMP_PATH).build();
  }

  static VolumeMount exporterTmp() {
    return new VolumeMountBuilder().withName(EXPORTER_TMP).withMountPath(TMP_PATH).build();
  }

  /** The token of the pod's ServiceAccount; no container but the proxy may have this mount. */
  static VolumeMount proxyToken() {
    return readOnly(PROXY_TOKEN, PROXY_TOKEN_PATH).build();
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
