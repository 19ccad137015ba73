package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.List;

/** The volumes of a node's pod, and how containers mount them. */
public final class Volumes {

  /** Mount path of the data volume: the home directory of seid. */
  public static final String HOME = "/.sei";

  static final String PROXY_CONFIG_FILE = "config.yaml";

  /** Mount path of the volume for temporary files of a pod that pulls images. */
  static final String SCRATCH_PATH = "/tmp";

  static final String DATA = "data";
  private static final String SCRATCH = "scratch";
  private static final String TMP = "sidecar-tmp";
  private static final String EXPORTER_TMP = "exporter-tmp";
  private static final String TMP_PATH = "/tmp";
  private static final String PROXY_TOKEN = "kube-api-access";
  // Where a client in a pod looks for its credentials.
  private static final String PROXY_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
  private static final long PROXY_TOKEN_SECONDS = 3600;
  private static final String PROXY_CONFIG = "rbac-proxy-config";
  private static final String PROXY_CONFIG_PATH = "/etc/kube-rbac-proxy";

  private Volumes() {}

  static List<Volume> of(SeiNode node) {
    return List.of(
        new VolumeBuilder()
            .withName(DATA)
            .withNewPersistentVolumeClaim(Names.claim(node), null)
            .build(),
        new VolumeBuilder().withName(TMP).withNewEmptyDir().endEmptyDir().build(),
        new VolumeBuilder()
            .withName(PROXY_CONFIG)
            .withNewConfigMap()
            .withName(Names.rbacProxyConfig(node))
            .endConfigMap()
            .build(),
        kubernetesToken());
  }

  /** The volume for temporary files of a pod that pulls images, in memory and limited. */
  static Volume ofPull() {
    return inMemory(SCRATCH);
  }

  /** The claim of a node, read-only whatever a container mounts of it. */
  static Volume ofGate(SeiNode node) {
    return new VolumeBuilder()
        .withName(DATA)
        .withNewPersistentVolumeClaim(Names.claim(node), true)
        .build();
  }

  static VolumeMount scratch() {
    return new VolumeMountBuilder().withName(SCRATCH).withMountPath(SCRATCH_PATH).build();
  }

  /**
   * The volume for temporary files of the exporter. It is in memory and limited, so that the
   * exporter fills no disk of its Kubernetes node.
   */
  static Volume ofExporter() {
    return inMemory(EXPORTER_TMP);
  }

  private static Volume inMemory(String name) {
    return new VolumeBuilder()
        .withName(name)
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
        .addNewItem()
        .withKey("ca.crt")
        .withPath("ca.crt")
        .endItem()
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
    return readOnly(PROXY_TOKEN, PROXY_TOKEN_PATH);
  }

  static VolumeMount proxyConfig() {
    return readOnly(PROXY_CONFIG, PROXY_CONFIG_PATH);
  }

  static String proxyConfigFile() {
    return PROXY_CONFIG_PATH + "/" + PROXY_CONFIG_FILE;
  }

  private static VolumeMount readOnly(String volume, String path) {
    return new VolumeMountBuilder().withName(volume).withMountPath(path).withReadOnly(true).build();
  }
}
