package io.sei.operator.config;

import io.sei.operator.config.BucketsConfig.Bucket;
import io.sei.operator.config.PodConfig.Requests;
import io.sei.operator.config.StorageConfig.Claim;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All that can be set from outside and has an effect, one immutable record per concern.
 *
 * @param nodeRpc where the RPC of a node answers, which is CometBFT's
 * @param prometheus what knows how full volumes are
 * @param warnings what is set and has no effect, in lines for the log
 */
public record OperatorConfig(
    ProcessConfig process,
    TakeoverConfig takeover,
    LeaderElectionConfig leaderElection,
    SidecarConfig sidecar,
    UrlTemplate nodeRpc,
    PodConfig pod,
    StorageConfig storage,
    BucketsConfig buckets,
    PrometheusConfig prometheus,
    List<String> warnings) {

  /**
   * Reads every setting, also from the file that {@code SEI_CONTROLLER_CONFIG} names; an empty map
   * gives the defaults.
   *
   * @throws ConfigException if that file cannot be used, and for the first setting, in the order of
   *     the reference, that is not allowed
   */
  public static OperatorConfig fromEnvironment(Map<String, String> environment) {
    var settings = new Settings(environment);
    return new OperatorConfig(
        process(settings),
        new TakeoverConfig(settings.get("SEI_TAKEOVER_NAMESPACES")),
        new LeaderElectionConfig(
            settings.get("SEI_LEADER_ELECTION"),
            settings.get("SEI_LEADER_ELECTION_NAME"),
            settings.get("POD_NAMESPACE")),
        new SidecarConfig(
            settings.get("SEI_SIDECAR_IMAGE"),
            settings.get("SEI_SIDECAR_URL_TEMPLATE"),
            settings.get("SEI_SIDECAR_TIMEOUT"),
            settings.get("SEI_SIDECAR_SERVICE_ACCOUNT")),
        settings.get("SEI_NODE_RPC_URL_TEMPLATE"),
        pod(settings),
        new StorageConfig(
            claim(settings, "SEI_STORAGE_CLASS_PERF", "SEI_STORAGE_SIZE_DEFAULT"),
            claim(settings, "SEI_STORAGE_CLASS_ARCHIVE", "SEI_STORAGE_SIZE_ARCHIVE")),
        new BucketsConfig(
            bucket(settings, "SEI_SNAPSHOT"),
            bucket(settings, "SEI_GENESIS"),
            bucket(settings, "SEI_RESULT_EXPORT"),
            settings.get("SEI_RESULT_EXPORT_PREFIX")),
        prometheus(settings),
        settings.warnings());
  }

  private static ProcessConfig process(Settings settings) {
    Shard shard = settings.get("SEI_SHARD");
    checkShard(shard, settings);
    var process =
        new ProcessConfig(
            settings.get("SEI_WATCH_NAMESPACES"),
            shard,
            settings.get("SEI_RECONCILE_THREADS"),
            settings.get("SEI_PROGRESS_DEADLINE"),
            settings.get("SEI_CONFIRM_READY_AFTER_BLOCK"),
            settings.get("SEI_CONFIRM_READY_WITHOUT_BLOCK"),
            settings.get("SEI_WATCH_SILENCE"),
            settings.get("SEI_METRICS_PORT"),
            settings.get("SEI_HEALTH_PORT"),
            settings.get("SEI_RETAIN_VOLUMES"),
            settings.get("SEI_RELEASES_CONFIG_MAP"),
            "Namespaces".equals(settings.get("SEI_SIGNING_SCOPE")));
    if (process.healthPort() != 0 && process.healthPort() == process.metricsPort()) {
      throw new ConfigException(
          "SEI_HEALTH_PORT",
          String.valueOf(process.healthPort()),
          "another port than SEI_METRICS_PORT");
    }
    return process;
  }

  private static void checkShard(Shard shard, Settings settings) {
    String text = "%d/%d".formatted(shard.index(), shard.count());
    if (shard.isPart() && !settings.<Set<String>>get("SEI_WATCH_NAMESPACES").isEmpty()) {
      throw new ConfigException(
          "SEI_SHARD", text, "0/1 where SEI_WATCH_NAMESPACES says what is managed");
    }
    if (shard.isPart() && !settings.<Boolean>get("SEI_LEADER_ELECTION")) {
      throw new ConfigException("SEI_SHARD", text, "0/1 where SEI_LEADER_ELECTION is false");
    }
  }

  private static PodConfig pod(Settings settings) {
    return new PodConfig(
        settings.get("SEI_SERVICE_ACCOUNT"),
        settings.get("SEI_TOLERATION_KEY"),
        settings.get("SEI_NODEPOOL_NAME"),
        settings.get("SEI_NODEPOOL_ARCHIVE"),
        new Requests(
            settings.get("SEI_RESOURCE_CPU_DEFAULT"), settings.get("SEI_RESOURCE_MEM_DEFAULT")),
        new Requests(
            settings.get("SEI_RESOURCE_CPU_ARCHIVE"), settings.get("SEI_RESOURCE_MEM_ARCHIVE")),
        settings.get("SEI_UPDATE_PODS_IN_PLACE"),
        settings.get("SEI_CONFIGURE_ON_NEXT_START"),
        settings.get("SEI_KUBE_RBAC_PROXY_IMAGE"),
        settings.get("SEI_COSMOS_EXPORTER_IMAGE"),
        settings.get("SEI_COSMOS_EXPORTER_MEMORY_LIMIT"));
  }

  private static PrometheusConfig prometheus(Settings settings) {
    Optional<URI> url = settings.get("SEI_PROMETHEUS_URL");
    Optional<Path> token = settings.get("SEI_PROMETHEUS_TOKEN_FILE");
    if (token.isPresent()
        && url.filter(candidate -> "http".equals(candidate.getScheme())).isPresent()) {
      throw new ConfigException(
          "SEI_PROMETHEUS_URL",
          url.get().toString(),
          "an https:// URL where SEI_PROMETHEUS_TOKEN_FILE is set");
    }
    return new PrometheusConfig(
        url,
        token,
        settings.get("SEI_PROMETHEUS_CA_FILE"),
        settings.get("SEI_PROMETHEUS_INTERVAL"));
  }

  private static Claim claim(Settings settings, String storageClass, String size) {
    Optional<String> named = settings.get(storageClass);
    return new Claim(named.or(() -> settings.get("SEI_STORAGE_CLASS_DEFAULT")), settings.get(size));
  }

  private static Bucket bucket(Settings settings, String name) {
    return new Bucket(settings.get(name + "_BUCKET"), settings.get(name + "_REGION"));
  }
}
