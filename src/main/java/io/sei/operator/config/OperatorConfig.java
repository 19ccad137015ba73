package io.sei.operator.config;

import io.sei.operator.config.BucketsConfig.Bucket;
import io.sei.operator.config.PodConfig.Requests;
import io.sei.operator.config.StorageConfig.Claim;
import java.util.Map;

/** All that can be set from outside, one immutable record per concern. */
public record OperatorConfig(
    ProcessConfig process,
    LeaderElectionConfig leaderElection,
    SidecarConfig sidecar,
    PodConfig pod,
    StorageConfig storage,
    BucketsConfig buckets,
    NetworkConfig network) {

  /**
   * Reads every setting; an empty map gives the defaults.
   *
   * @throws ConfigException for the first setting, in the order of the reference, that is not
   *     allowed
   */
  public static OperatorConfig fromEnvironment(Map<String, String> env) {
    return new OperatorConfig(
        process(env),
        leaderElection(env),
        sidecar(env),
        pod(env),
        storage(env),
        buckets(env),
        network(env));
  }

  private static ProcessConfig process(Map<String, String> env) {
    var process =
        new ProcessConfig(
            ConfigKeys.WATCH_NAMESPACES.read(env),
            ConfigKeys.RECONCILE_THREADS.read(env),
            ConfigKeys.PROGRESS_DEADLINE.read(env),
            ConfigKeys.METRICS_PORT.read(env),
            ConfigKeys.HEALTH_PORT.read(env),
            ConfigKeys.LOG_LEVEL.read(env));
    if (process.healthPort() != 0 && process.healthPort() == process.metricsPort()) {
      throw new ConfigException(
          ConfigKeys.HEALTH_PORT.name(),
          String.valueOf(process.healthPort()),
          "another port than " + ConfigKeys.METRICS_PORT.name());
    }
    return process;
  }

  private static LeaderElectionConfig leaderElection(Map<String, String> env) {
    return new LeaderElectionConfig(
        ConfigKeys.LEADER_ELECTION_ENABLED.read(env),
        ConfigKeys.LEADER_ELECTION_NAME.read(env),
        ConfigKeys.LEADER_ELECTION_NAMESPACE.read(env));
  }

  private static SidecarConfig sidecar(Map<String, String> env) {
    return new SidecarConfig(
        ConfigKeys.SIDECAR_IMAGE.read(env),
        ConfigKeys.SIDECAR_URL_TEMPLATE.read(env),
        ConfigKeys.SIDECAR_TIMEOUT.read(env),
        ConfigKeys.SIDECAR_TOKEN_FILE.read(env),
        ConfigKeys.SIDECAR_AUDIENCE_TOKEN_FILE.read(env));
  }

  private static PodConfig pod(Map<String, String> env) {
    return new PodConfig(
        ConfigKeys.SERVICE_ACCOUNT.read(env),
        ConfigKeys.TOLERATION_KEY.read(env),
        ConfigKeys.NODEPOOL.read(env),
        ConfigKeys.NODEPOOL_ARCHIVE.read(env),
        new Requests(ConfigKeys.CPU.read(env), ConfigKeys.MEMORY.read(env)),
        new Requests(ConfigKeys.CPU_ARCHIVE.read(env), ConfigKeys.MEMORY_ARCHIVE.read(env)),
        ConfigKeys.KUBE_RBAC_PROXY_IMAGE.read(env),
        ConfigKeys.COSMOS_EXPORTER_IMAGE.read(env),
        ConfigKeys.COSMOS_EXPORTER_MEMORY_LIMIT.read(env));
  }

  private static StorageConfig storage(Map<String, String> env) {
    var perf = ConfigKeys.STORAGE_CLASS_PERF.read(env);
    var archive = ConfigKeys.STORAGE_CLASS_ARCHIVE.read(env);
    var fallback = ConfigKeys.STORAGE_CLASS_DEFAULT.read(env);
    return new StorageConfig(
        new Claim(perf.or(() -> fallback), ConfigKeys.STORAGE_SIZE.read(env)),
        new Claim(archive.or(() -> fallback), ConfigKeys.STORAGE_SIZE_ARCHIVE.read(env)));
  }

  private static BucketsConfig buckets(Map<String, String> env) {
    return new BucketsConfig(
        new Bucket(ConfigKeys.SNAPSHOT_BUCKET.read(env), ConfigKeys.SNAPSHOT_REGION.read(env)),
        new Bucket(ConfigKeys.GENESIS_BUCKET.read(env), ConfigKeys.GENESIS_REGION.read(env)),
        new Bucket(
            ConfigKeys.RESULT_EXPORT_BUCKET.read(env), ConfigKeys.RESULT_EXPORT_REGION.read(env)),
        ConfigKeys.RESULT_EXPORT_PREFIX.read(env));
  }

  private static NetworkConfig network(Map<String, String> env) {
    return new NetworkConfig(
        ConfigKeys.GATEWAY_NAME.read(env),
        ConfigKeys.GATEWAY_NAMESPACE.read(env),
        ConfigKeys.GATEWAY_DOMAIN.read(env),
        ConfigKeys.GATEWAY_PUBLIC_DOMAIN.read(env),
        ConfigKeys.P2P_ENDPOINT_DOMAIN.read(env),
        ConfigKeys.NLB_TARGET_TYPE.read(env));
  }
}
