package io.sei.operator.config;

import static io.sei.operator.config.ConfigKey.Concern.*;

import io.sei.operator.config.NetworkConfig.NlbTargetType;
import io.sei.operator.config.ProcessConfig.LogLevel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Every setting there is, in the order of the reference page. The names that the Go operator knows
 * keep their meaning; what it demanded to be set has a default here.
 */
public final class ConfigKeys {
  private static final String NOT_USED_YET =
      "; checked, but without effect as long as NetworkingReady answers NotSupported.";

  private ConfigKeys() {}

  static final ConfigKey<Set<String>> WATCH_NAMESPACES =
      new ConfigKey<>(
          PROCESS,
          "SEI_WATCH_NAMESPACES",
          ConfigType.namespaces(),
          "",
          "Namespaces whose resources are managed; empty manages all of them.");
  static final ConfigKey<Integer> RECONCILE_THREADS =
      new ConfigKey<>(
          PROCESS,
          "SEI_RECONCILE_THREADS",
          ConfigType.integer(1, 256),
          "16",
          "Resources reconciled at the same time, over all controllers.");
  static final ConfigKey<Duration> PROGRESS_DEADLINE =
      new ConfigKey<>(
          PROCESS,
          "SEI_PROGRESS_DEADLINE",
          ConfigType.duration(Duration.ofSeconds(1), Duration.ofHours(168)),
          "600s",
          "How long a node may wait before its Stalled condition says why, unless its resource says"
              + " otherwise; 600 s is what a Deployment takes.");
  static final ConfigKey<Integer> METRICS_PORT =
      new ConfigKey<>(
          PROCESS,
          "SEI_METRICS_PORT",
          ConfigType.port(),
          "8080",
          "Port that serves /metrics in the Prometheus text format.");
  static final ConfigKey<Integer> HEALTH_PORT =
      new ConfigKey<>(
          PROCESS,
          "SEI_HEALTH_PORT",
          ConfigType.port(),
          "8081",
          "Port that serves /healthz and /readyz; not the metrics port.");
  static final ConfigKey<LogLevel> LOG_LEVEL =
      new ConfigKey<>(
          PROCESS,
          "SEI_LOG_LEVEL",
          ConfigType.oneOf(LogLevel.class),
          "info",
          "Least severe level that is logged.");

  static final ConfigKey<Optional<Path>> CONTROLLER_CONFIG =
      new ConfigKey<>(
          PROCESS,
          "SEI_CONTROLLER_CONFIG",
          ConfigType.file().orNone(),
          "",
          "The settings file, as later Go operators have it; empty reads none.");

  static final ConfigKey<Boolean> LEADER_ELECTION_ENABLED =
      new ConfigKey<>(
          LEADER_ELECTION,
          "SEI_LEADER_ELECTION",
          ConfigType.bool(),
          "true",
          "Whether replicas elect one of them to act; without it, run exactly one.");
  static final ConfigKey<String> LEADER_ELECTION_NAME =
      new ConfigKey<>(
          LEADER_ELECTION,
          "SEI_LEADER_ELECTION_NAME",
          ConfigType.subdomain(),
          "bc1f5b0a.sei.io",
          "Name of the Lease; the default is the Go operator's, so that the two never act at once"
              + " in one namespace.");
  static final ConfigKey<Optional<String>> LEADER_ELECTION_NAMESPACE =
      new ConfigKey<>(
          LEADER_ELECTION,
          "POD_NAMESPACE",
          ConfigType.subdomain().orNone(),
          "",
          "Namespace of the Lease; empty takes the one of the operator's own credentials.");
  static final ConfigKey<Boolean> IGNORE_GO_OPERATOR =
      new ConfigKey<>(
          LEADER_ELECTION,
          "SEI_IGNORE_GO_OPERATOR",
          ConfigType.bool(),
          "false",
          "Whether to start although a Go operator renews its Lease; two operators undo each other's"
              + " work. Only for a Lease that no Go operator renews.");

  static final ConfigKey<String> SIDECAR_IMAGE =
      new ConfigKey<>(
          SIDECAR,
          "SEI_SIDECAR_IMAGE",
          "images.sidecar",
          ConfigType.image(),
          "ghcr.io/sei-protocol/seictl:v0.0.50",
          "Image of the sidecar where a node names none; the default is the release whose API the"
              + " operator speaks.");
  static final ConfigKey<String> SIDECAR_URL_TEMPLATE =
      new ConfigKey<>(
          SIDECAR,
          "SEI_SIDECAR_URL_TEMPLATE",
          ConfigType.urlTemplate(),
          "http://{podIP}:8443",
          "Where a node's sidecar answers; {podIP} is its pod's address, {name} and {namespace} are"
              + " the SeiNode's. A DNS name is remembered for longer than a pod lives.");
  static final ConfigKey<Duration> SIDECAR_TIMEOUT =
      new ConfigKey<>(
          SIDECAR,
          "SEI_SIDECAR_TIMEOUT",
          ConfigType.duration(Duration.ofMillis(10), Duration.ofSeconds(300)),
          "2s",
          "How long one request to a sidecar may take, connecting included.");
  static final ConfigKey<Path> SIDECAR_TOKEN_FILE =
      new ConfigKey<>(
          SIDECAR,
          "SEI_SIDECAR_TOKEN_FILE",
          ConfigType.file(),
          "/var/run/secrets/kubernetes.io/serviceaccount/token",
          "Token of the API server, for pods that the Go operator or an older version made: their"
              + " proxies know no audience. Name a file that does not exist once there are none.");
  static final ConfigKey<Path> SIDECAR_AUDIENCE_TOKEN_FILE =
      new ConfigKey<>(
          SIDECAR,
          "SEI_SIDECAR_AUDIENCE_TOKEN_FILE",
          ConfigType.file(),
          "/var/run/secrets/sei.io/sidecar/token",
          "Token of the audience sei.io/sidecar, for all other pods; none is shown when the file does"
              + " not exist. Chart and manifests mount it.");

  static final ConfigKey<String> SERVICE_ACCOUNT =
      new ConfigKey<>(
          POD,
          "SEI_SERVICE_ACCOUNT",
          "scheduling.serviceAccount",
          ConfigType.subdomain(),
          "default",
          "ServiceAccount of node pods; the default is the one every namespace has.");
  static final ConfigKey<Optional<String>> TOLERATION_KEY =
      new ConfigKey<>(
          POD,
          "SEI_TOLERATION_KEY",
          "scheduling.tolerationKey",
          ConfigType.qualifiedName().orNone(),
          "",
          "Key of the taint that node pods tolerate, its value being the node pool; empty"
              + " tolerates none.");
  static final ConfigKey<Optional<String>> NODEPOOL =
      new ConfigKey<>(
          POD,
          "SEI_NODEPOOL_NAME",
          "scheduling.nodepoolName",
          ConfigType.labelValue().orNone(),
          "",
          "Karpenter NodePool that node pods are bound to; empty lets them run anywhere.");
  static final ConfigKey<Optional<String>> NODEPOOL_ARCHIVE =
      new ConfigKey<>(
          POD,
          "SEI_NODEPOOL_ARCHIVE",
          "scheduling.nodepoolArchive",
          ConfigType.labelValue().orNone(),
          "",
          "The same for archive nodes, which need bigger machines; empty lets them run anywhere.");
  static final ConfigKey<String> CPU =
      new ConfigKey<>(
          POD,
          "SEI_RESOURCE_CPU_DEFAULT",
          "resources.cpuDefault",
          ConfigType.cpu(),
          "4",
          "CPU request of a node; low enough for a small cluster, and no limit is set.");
  static final ConfigKey<String> MEMORY =
      new ConfigKey<>(
          POD,
          "SEI_RESOURCE_MEM_DEFAULT",
          "resources.memDefault",
          ConfigType.bytes(),
          "16Gi",
          "Memory request of a node; low enough for a small cluster, and no limit is set.");
  static final ConfigKey<String> CPU_ARCHIVE =
      new ConfigKey<>(
          POD,
          "SEI_RESOURCE_CPU_ARCHIVE",
          "resources.cpuArchive",
          ConfigType.cpu(),
          "8",
          "CPU request of an archive node; twice a node's, because it serves historical queries.");
  static final ConfigKey<String> MEMORY_ARCHIVE =
      new ConfigKey<>(
          POD,
          "SEI_RESOURCE_MEM_ARCHIVE",
          "resources.memArchive",
          ConfigType.bytes(),
          "48Gi",
          "Memory request of an archive node; three times a node's, because its state is cached.");
  static final ConfigKey<String> KUBE_RBAC_PROXY_IMAGE =
      new ConfigKey<>(
          POD,
          "SEI_KUBE_RBAC_PROXY_IMAGE",
          "images.kubeRBACProxy",
          ConfigType.image(),
          "quay.io/brancz/kube-rbac-proxy:v0.19.1",
          "Image of the proxy that authorizes requests to the sidecar.");
  static final ConfigKey<String> COSMOS_EXPORTER_IMAGE =
      new ConfigKey<>(
          POD,
          "SEI_COSMOS_EXPORTER_IMAGE",
          "images.cosmosExporter",
          ConfigType.image(),
          "ghcr.io/sei-protocol/sei-cosmos-exporter:latest",
          "Image of the exporter of chain metrics; no versioned image of it is known, so pin the"
              + " digest of the one in your registry.");
  static final ConfigKey<String> COSMOS_EXPORTER_MEMORY_LIMIT =
      new ConfigKey<>(
          POD,
          "SEI_COSMOS_EXPORTER_MEMORY_LIMIT",
          ConfigType.bytes(),
          "512Mi",
          "Memory limit of that exporter; more than it needs, so that the chain's growth does not"
              + " end it.");

  static final ConfigKey<Optional<String>> STORAGE_CLASS_PERF =
      new ConfigKey<>(
          STORAGE,
          "SEI_STORAGE_CLASS_PERF",
          "storage.classPerf",
          ConfigType.subdomain().orNone(),
          "",
          "StorageClass of a node's claim; empty takes SEI_STORAGE_CLASS_DEFAULT.");
  static final ConfigKey<Optional<String>> STORAGE_CLASS_ARCHIVE =
      new ConfigKey<>(
          STORAGE,
          "SEI_STORAGE_CLASS_ARCHIVE",
          "storage.classArchive",
          ConfigType.subdomain().orNone(),
          "",
          "StorageClass of an archive node's claim; empty takes SEI_STORAGE_CLASS_DEFAULT.");
  static final ConfigKey<Optional<String>> STORAGE_CLASS_DEFAULT =
      new ConfigKey<>(
          STORAGE,
          "SEI_STORAGE_CLASS_DEFAULT",
          "storage.classDefault",
          ConfigType.subdomain().orNone(),
          "",
          "StorageClass where no other is named; empty takes the cluster's default class.");
  static final ConfigKey<String> STORAGE_SIZE =
      new ConfigKey<>(
          STORAGE,
          "SEI_STORAGE_SIZE_DEFAULT",
          "storage.sizeDefault",
          ConfigType.bytes(),
          "2000Gi",
          "Size of a node's claim; 2 TB is what the chain's hardware guide asks for.");
  static final ConfigKey<String> STORAGE_SIZE_ARCHIVE =
      new ConfigKey<>(
          STORAGE,
          "SEI_STORAGE_SIZE_ARCHIVE",
          "storage.sizeArchive",
          ConfigType.bytes(),
          "10Ti",
          "Size of an archive node's claim; 10 TB is where the chain's hardware guide starts.");

  static final ConfigKey<Optional<String>> SNAPSHOT_BUCKET =
      bucket(
          "SEI_SNAPSHOT_BUCKET",
          "snapshot.bucket",
          "Bucket of state snapshots; nodes that restore or publish one need it.");
  static final ConfigKey<Optional<String>> SNAPSHOT_REGION =
      bucket("SEI_SNAPSHOT_REGION", "snapshot.region", "Region of the snapshot bucket.");
  static final ConfigKey<Optional<String>> GENESIS_BUCKET =
      bucket(
          "SEI_GENESIS_BUCKET",
          "genesis.bucket",
          "Bucket of genesis files; pacific-1, atlantic-2 and arctic-1 need none: the sidecar embeds"
              + " theirs.");
  static final ConfigKey<Optional<String>> GENESIS_REGION =
      bucket("SEI_GENESIS_REGION", "genesis.region", "Region of the genesis bucket.");
  static final ConfigKey<Optional<String>> RESULT_EXPORT_BUCKET =
      bucket(
          "SEI_RESULT_EXPORT_BUCKET",
          "resultExport.bucket",
          "Bucket that replayers export their results to.");
  static final ConfigKey<Optional<String>> RESULT_EXPORT_REGION =
      bucket("SEI_RESULT_EXPORT_REGION", "resultExport.region", "Region of the result bucket.");
  static final ConfigKey<Optional<String>> RESULT_EXPORT_PREFIX =
      bucket(
          "SEI_RESULT_EXPORT_PREFIX",
          "resultExport.prefix",
          "Key prefix of exported results, such as results/.");

  static final ConfigKey<Optional<String>> GATEWAY_NAME =
      domain("SEI_GATEWAY_NAME", "Gateway that routes would attach to");
  static final ConfigKey<Optional<String>> GATEWAY_NAMESPACE =
      domain("SEI_GATEWAY_NAMESPACE", "Namespace of that Gateway");
  static final ConfigKey<Optional<String>> GATEWAY_DOMAIN =
      domain("SEI_GATEWAY_DOMAIN", "Domain under which routes would get their host names");
  static final ConfigKey<Optional<String>> GATEWAY_PUBLIC_DOMAIN =
      domain("SEI_GATEWAY_PUBLIC_DOMAIN", "A second, public domain for the same routes");
  static final ConfigKey<Optional<String>> P2P_ENDPOINT_DOMAIN =
      domain("SEI_P2P_ENDPOINT_DOMAIN", "Domain of public p2p endpoints");
  static final ConfigKey<Optional<NlbTargetType>> NLB_TARGET_TYPE =
      new ConfigKey<>(
          NETWORK,
          "SEI_NLB_TARGET_TYPE",
          ConfigType.oneOf(NlbTargetType.class).orNone(),
          "",
          "How a load balancer would reach p2p ports" + NOT_USED_YET);

  private static final List<ConfigKey<?>> ALL =
      List.of(
          WATCH_NAMESPACES,
          RECONCILE_THREADS,
          PROGRESS_DEADLINE,
          METRICS_PORT,
          HEALTH_PORT,
          LOG_LEVEL,
          CONTROLLER_CONFIG,
          LEADER_ELECTION_ENABLED,
          LEADER_ELECTION_NAME,
          LEADER_ELECTION_NAMESPACE,
          IGNORE_GO_OPERATOR,
          SIDECAR_IMAGE,
          SIDECAR_URL_TEMPLATE,
          SIDECAR_TIMEOUT,
          SIDECAR_TOKEN_FILE,
          SIDECAR_AUDIENCE_TOKEN_FILE,
          SERVICE_ACCOUNT,
          TOLERATION_KEY,
          NODEPOOL,
          NODEPOOL_ARCHIVE,
          CPU,
          MEMORY,
          CPU_ARCHIVE,
          MEMORY_ARCHIVE,
          KUBE_RBAC_PROXY_IMAGE,
          COSMOS_EXPORTER_IMAGE,
          COSMOS_EXPORTER_MEMORY_LIMIT,
          STORAGE_CLASS_PERF,
          STORAGE_CLASS_ARCHIVE,
          STORAGE_CLASS_DEFAULT,
          STORAGE_SIZE,
          STORAGE_SIZE_ARCHIVE,
          SNAPSHOT_BUCKET,
          SNAPSHOT_REGION,
          GENESIS_BUCKET,
          GENESIS_REGION,
          RESULT_EXPORT_BUCKET,
          RESULT_EXPORT_REGION,
          RESULT_EXPORT_PREFIX,
          GATEWAY_NAME,
          GATEWAY_NAMESPACE,
          GATEWAY_DOMAIN,
          GATEWAY_PUBLIC_DOMAIN,
          P2P_ENDPOINT_DOMAIN,
          NLB_TARGET_TYPE);

  /** Every setting, in the order of the reference page. */
  public static List<ConfigKey<?>> all() {
    return ALL;
  }

  /** The keys of the settings file that are read. */
  static Set<String> inFile() {
    return ALL.stream()
        .map(ConfigKey::fileKey)
        .filter(key -> !key.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static ConfigKey<Optional<String>> bucket(String name, String fileKey, String doc) {
    return new ConfigKey<>(BUCKETS, name, fileKey, ConfigType.word().orNone(), "", doc);
  }

  private static ConfigKey<Optional<String>> domain(String name, String doc) {
    return new ConfigKey<>(NETWORK, name, ConfigType.subdomain().orNone(), "", doc + NOT_USED_YET);
  }
}
