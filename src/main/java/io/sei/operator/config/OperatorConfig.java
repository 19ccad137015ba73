package io.sei.operator.config;

import io.sei.operator.config.BucketsConfig.Bucket;
import io.sei.operator.config.PodConfig.Requests;
import io.sei.operator.config.StorageConfig.Claim;
import java.util.List;
import java.util.Map;

/**
 * All that can be set from outside, one immutable record per concern.
 *
 * @param warnings what is set and has no effect, in lines for the log
 */
public record OperatorConfig(
    ProcessConfig process,
    LeaderElectionConfig leaderElection,
    SidecarConfig sidecar,
    PodConfig pod,
    StorageConfig storage,
    BucketsConfig buckets,
    NetworkConfig network,
    List<String> warnings) {

  /**
   * Reads every setting, also from the file that {@code SEI_CONTROLLER_CONFIG} names; an empty map
   * gives the defaults.
   *
   * @throws ConfigException if that file cannot be used, and for the first setting, in the order of
   *     the reference, that is not allowed
   */
  public static OperatorConfig fromEnvironment(Map<String, String> environment) {
    var settings = Settings.read(environment);
    return new OperatorConfig(
        process(settings),
        leaderElection(settings),
        sidecar(settings),
        pod(settings),
        storage(settings),
        buckets(settings),
        network(settings),
        settings.warnings());
  }

  private static ProcessConfig process(Settings settings) {
    var process =
        new ProcessConfig(
            ConfigKeys.WATCH_NAMESPACES.read(settings),
            ConfigKeys.RECONCILE_THREADS.read(settings),
            ConfigKeys.PROGRESS_DEADLINE.read(settings),
            ConfigKeys.METRICS_PORT.read(settings),
            ConfigKeys.HEALTH_PORT.read(settings),
            ConfigKeys.LOG_LEVEL.read(settings));
    if (process.healthPort() != 0 && process.healthPort() == process.metricsPort()) {
      throw new ConfigException(
          ConfigKeys.HEALTH_PORT.name(),
          String.valueOf(process.healthPort()),
          "another port than " + ConfigKeys.METRICS_PORT.name());
    }
    return process;
  }

  private static LeaderElectionConfig leaderElection(Settings settings) {
    return new LeaderElectionConfig(
        ConfigKeys.LEADER_ELECTION_ENABLED.read(settings),
        ConfigKeys.LEADER_ELECTION_NAME.read(settings),
        ConfigKeys.LEADER_ELECTION_NAMESPACE.read(settings),
        ConfigKeys.IGNORE_GO_OPERATOR.read(settings));
  }

  private static SidecarConfig sidecar(Settings settings) {
    return new SidecarConfig(
        ConfigKeys.SIDECAR_IMAGE.read(settings),
        ConfigKeys.SIDECAR_URL_TEMPLATE.read(settings),
        ConfigKeys.SIDECAR_TIMEOUT.read(settings),
        ConfigKeys.SIDECAR_TOKEN_FILE.read(settings),
        ConfigKeys.SIDECAR_AUDIENCE_TOKEN_FILE.read(settings));
  }

  private static PodConfig pod(Settings settings) {
    return new PodConfig(
        ConfigKeys.SERVICE_ACCOUNT.read(settings),
        ConfigKeys.TOLERATION_KEY.read(settings),
        ConfigKeys.NODEPOOL.read(settings),
        ConfigKeys.NODEPOOL_ARCHIVE.read(settings),
        new Requests(ConfigKeys.CPU.read(settings), ConfigKeys.MEMORY.read(settings)),
        new Requests(
            ConfigKeys.CPU_ARCHIVE.read(settings), ConfigKeys.MEMORY_ARCHIVE.read(settings)),
        ConfigKeys.KUBE_RBAC_PROXY_IMAGE.read(settings),
        ConfigKeys.COSMOS_EXPORTER_IMAGE.read(settings),
        ConfigKeys.COSMOS_EXPORTER_MEMORY_LIMIT.read(settings));
  }

  private static StorageConfig storage(Settings settings) {
    var perf = ConfigKeys.STORAGE_CLASS_PERF.read(settings);
    var archive = ConfigKeys.STORAGE_CLASS_ARCHIVE.read(settings);
    var fallback = ConfigKeys.STORAGE_CLASS_DEFAULT.read(settings);
    return new StorageConfig(
        new Claim(perf.or(() -> fallback), ConfigKeys.STORAGE_SIZE.read(settings)),
        new Claim(archive.or(() -> fallback), ConfigKeys.STORAGE_SIZE_ARCHIVE.read(settings)));
  }

  private static BucketsConfig buckets(Settings settings) {
    return new BucketsConfig(
        new Bucket(
            ConfigKeys.SNAPSHOT_BUCKET.read(settings), ConfigKeys.SNAPSHOT_REGION.read(settings)),
        new Bucket(
            ConfigKeys.GENESIS_BUCKET.read(settings), ConfigKeys.GENESIS_REGION.read(settings)),
        new Bucket(
            ConfigKeys.RESULT_EXPORT_BUCKET.read(settings),
            ConfigKeys.RESULT_EXPORT_REGION.read(settings)),
        ConfigKeys.RESULT_EXPORT_PREFIX.read(settings));
  }

  private static NetworkConfig network(Settings settings) {
    return new NetworkConfig(
        ConfigKeys.GATEWAY_NAME.read(settings),
        ConfigKeys.GATEWAY_NAMESPACE.read(settings),
        ConfigKeys.GATEWAY_DOMAIN.read(settings),
        ConfigKeys.GATEWAY_PUBLIC_DOMAIN.read(settings),
        ConfigKeys.P2P_ENDPOINT_DOMAIN.read(settings),
        ConfigKeys.NLB_TARGET_TYPE.read(settings));
  }
}
