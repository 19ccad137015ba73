package io.sei.operator.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sei.operator.config.BucketsConfig.Bucket;
import io.sei.operator.config.PodConfig.Requests;
import io.sei.operator.config.StorageConfig.Claim;
import java.net.URI;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperatorConfigTest {
  private static final OperatorConfig DEFAULTS = OperatorConfig.fromEnvironment(Map.of());

  /** Two are read by the logging configuration, the other names a file, which is empty here. */
  private static final Set<String> NO_EFFECT_HERE =
      Set.of("SEI_LOG_LEVEL", "SEI_LOG_FORMAT", "SEI_CONTROLLER_CONFIG");

  @Test
  void needsNoConfigurationAtAll() {
    assertThat(DEFAULTS.process())
        .isEqualTo(
            new ProcessConfig(
                Set.of(),
                new Shard(0, 1),
                16,
                Duration.ofMinutes(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofMinutes(2),
                8080,
                8081,
                false,
                "sei-releases",
                false));
    assertThat(DEFAULTS.leaderElection())
        .isEqualTo(new LeaderElectionConfig(true, "bc1f5b0a.sei.io", Optional.empty()));
    assertThat(DEFAULTS.takeover().namespaces()).isEmpty();
    assertThat(DEFAULTS.pod().serviceAccount()).isEqualTo("default");
    assertThat(DEFAULTS.pod().nodepool()).isEmpty();
    assertThat(DEFAULTS.pod().tolerationKey()).isEmpty();
    assertThat(DEFAULTS.pod().requests()).isEqualTo(new Requests("4", "16Gi"));
    assertThat(DEFAULTS.storage().claim()).isEqualTo(new Claim(Optional.empty(), "2000Gi"));
    assertThat(DEFAULTS.storage().claimArchive()).isEqualTo(new Claim(Optional.empty(), "10Ti"));
    assertThat(DEFAULTS.sidecar().timeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(DEFAULTS.sidecar().url().urlOf("sei", "rpc-0", Optional.of("10.0.0.9")))
        .contains(URI.create("http://10.0.0.9:8443"));
    assertThat(DEFAULTS.sidecar().url().urlOf("sei", "rpc-0", Optional.of("fd00::9")))
        .contains(URI.create("http://[fd00::9]:8443"));
    assertThat(DEFAULTS.sidecar().url().urlOf("sei", "rpc-0", Optional.empty())).isEmpty();
  }

  @Test
  void blankMeansUnset() {
    var blank = new HashMap<String, String>();
    ConfigKey.all().forEach(key -> blank.put(key.name(), "  "));

    assertThat(OperatorConfig.fromEnvironment(blank)).isEqualTo(DEFAULTS);
  }

  @Test
  void readsEverySettingAndOnlyThose() {
    var asked = new LinkedHashSet<Object>();
    OperatorConfig.fromEnvironment(
        new AbstractMap<>() {
          @Override
          public String get(Object name) {
            asked.add(name);
            return null;
          }

          @Override
          public Set<Entry<String, String>> entrySet() {
            return Set.of();
          }
        });

    assertThat(ConfigKey.all()).extracting(ConfigKey::name).doesNotHaveDuplicates();
    assertThat(asked)
        .containsExactlyInAnyOrderElementsOf(
            ConfigKey.all().stream().map(k -> (Object) k.name()).toList());
  }

  /** Or a setting would be read, and nothing done about it. */
  @Test
  void everySettingHasAnEffect() {
    for (ConfigKey key : ConfigKey.all()) {
      var config = OperatorConfig.fromEnvironment(Map.of(key.name(), otherThanTheDefault(key)));
      if (NO_EFFECT_HERE.contains(key.name()) || key.section().equals("Networking")) {
        assertThat(config).as(key.name()).isEqualTo(DEFAULTS);
      } else {
        assertThat(config).as(key.name()).isNotEqualTo(DEFAULTS);
      }
    }
  }

  private static String otherThanTheDefault(ConfigKey key) {
    return switch (key.type()) {
      case BOOLEAN -> key.defaultText().equals("true") ? "false" : "true";
      case PORT, THREADS, CPU -> "99";
      case SHARD -> "1/3";
      case DEADLINE, TIMEOUT, DELAY -> "77s";
      case BYTES -> "77Gi";
      case LOG_LEVEL -> "debug";
      case LOG_FORMAT -> "json";
      case SIGNING_SCOPE -> "Namespaces";
      case NLB_TARGET -> "ip";
      case FILE -> "/dev/null";
      case URL -> "http://prometheus:9090";
      case URL_TEMPLATE -> "http://{name}";
      case SERVICE_ACCOUNT -> "other/other";
      default -> "other";
    };
  }

  @Test
  void theTableIsComplete() {
    assertThat(ConfigKey.all()).hasSizeGreaterThan(40);
    assertThat(ConfigKey.all().stream().map(ConfigKey::section).distinct()).hasSize(8);
    assertThat(ConfigKey.all())
        .allSatisfy(
            key -> {
              assertThat(key.doc()).matches("[A-Z].*\\.").doesNotContain("\n");
              assertThat(key.section()).isNotBlank();
            });
  }

  /**
   * A moving tag would run another program at the next start of a pod without any change of the
   * spec.
   */
  @Test
  void noImageIsTheLatestOneByDefault() {
    assertThat(ConfigKey.all())
        .filteredOn(key -> key.type() == ConfigType.IMAGE)
        .hasSizeGreaterThanOrEqualTo(3)
        .extracting(ConfigKey::defaultText)
        .allMatch(image -> image.isEmpty() || image.matches(".+:v[0-9.]+"));
  }

  @Test
  void knowsEveryVariableOfTheGoOperator() {
    assertThat(ConfigKey.all())
        .extracting(ConfigKey::name)
        .contains(
            ("SEI_NODEPOOL_NAME SEI_NODEPOOL_ARCHIVE SEI_TOLERATION_KEY SEI_SERVICE_ACCOUNT"
                    + " SEI_STORAGE_CLASS_PERF SEI_STORAGE_CLASS_DEFAULT SEI_STORAGE_CLASS_ARCHIVE"
                    + " SEI_STORAGE_SIZE_DEFAULT SEI_STORAGE_SIZE_ARCHIVE SEI_RESOURCE_CPU_ARCHIVE"
                    + " SEI_RESOURCE_MEM_ARCHIVE SEI_RESOURCE_CPU_DEFAULT SEI_RESOURCE_MEM_DEFAULT"
                    + " SEI_SNAPSHOT_BUCKET SEI_SNAPSHOT_REGION SEI_RESULT_EXPORT_BUCKET"
                    + " SEI_RESULT_EXPORT_REGION SEI_RESULT_EXPORT_PREFIX SEI_GENESIS_BUCKET"
                    + " SEI_GENESIS_REGION SEI_GATEWAY_NAME SEI_GATEWAY_NAMESPACE"
                    + " SEI_GATEWAY_DOMAIN SEI_GATEWAY_PUBLIC_DOMAIN SEI_P2P_ENDPOINT_DOMAIN"
                    + " SEI_NLB_TARGET_TYPE SEI_SIDECAR_IMAGE SEI_KUBE_RBAC_PROXY_IMAGE"
                    + " SEI_COSMOS_EXPORTER_IMAGE SEI_CONTROLLER_CONFIG")
                .split(" "));
  }

  @Test
  void readsWhatIsSet() {
    var config =
        OperatorConfig.fromEnvironment(
            Map.ofEntries(
                Map.entry("SEI_WATCH_NAMESPACES", "sei-b, sei-a,,"),
                Map.entry("SEI_TAKEOVER_NAMESPACES", "sei-b"),
                Map.entry("SEI_LEADER_ELECTION", "False"),
                Map.entry("SEI_LOG_LEVEL", "DEBUG"),
                Map.entry("POD_NAMESPACE", "sei-system"),
                Map.entry("SEI_SIDECAR_TIMEOUT", "500ms"),
                Map.entry("SEI_SIDECAR_URL_TEMPLATE", "http://127.0.0.1:99/{namespace}/{name}/"),
                Map.entry("SEI_NODE_RPC_URL_TEMPLATE", "http://rpc.{namespace}/{name}"),
                Map.entry("SEI_SIDECAR_SERVICE_ACCOUNT", "operators/sei-sidecar-client"),
                Map.entry(
                    "SEI_SIDECAR_IMAGE", "registry.example:5000/seictl@sha256:" + "a".repeat(64)),
                Map.entry("SEI_TOLERATION_KEY", "sei.io/workload"),
                Map.entry("SEI_NODEPOOL_NAME", "sei-node"),
                Map.entry("SEI_RESOURCE_CPU_ARCHIVE", "48"),
                Map.entry("SEI_RESOURCE_MEM_ARCHIVE", "448Gi"),
                Map.entry("SEI_SNAPSHOT_BUCKET", "sei-snapshots"),
                Map.entry("SEI_SNAPSHOT_REGION", "us-east-2"),
                Map.entry("SEI_RESULT_EXPORT_PREFIX", "shadow-results/"),
                Map.entry("SEI_NLB_TARGET_TYPE", "ip")));

    assertThat(config.process().watchNamespaces()).containsExactly("sei-a", "sei-b");
    assertThat(config.takeover().covers("sei-b")).isTrue();
    assertThat(config.takeover().covers("sei-a")).isFalse();
    assertThat(config.leaderElection().enabled()).isFalse();
    assertThat(config.leaderElection().leaseNamespace()).contains("sei-system");
    assertThat(config.sidecar().timeout()).isEqualTo(Duration.ofMillis(500));
    assertThat(config.sidecar().account())
        .contains(new ServiceAccountRef("operators", "sei-sidecar-client"));
    assertThat(config.sidecar().url().urlOf("ns", "n", Optional.empty()))
        .contains(URI.create("http://127.0.0.1:99/ns/n"));
    assertThat(config.nodeRpc().urlOf("ns", "n", Optional.empty()))
        .contains(URI.create("http://rpc.ns/n"));
    assertThat(config.pod().tolerationKey()).contains("sei.io/workload");
    assertThat(config.pod().nodepool()).contains("sei-node");
    assertThat(config.pod().requestsArchive()).isEqualTo(new Requests("48", "448Gi"));
    assertThat(config.buckets().snapshot())
        .isEqualTo(new Bucket(Optional.of("sei-snapshots"), Optional.of("us-east-2")));
    assertThat(config.buckets().resultExportPrefix()).contains("shadow-results/");
  }

  @Test
  void theDefaultStorageClassStandsInForTheOthers() {
    var storage =
        OperatorConfig.fromEnvironment(
                Map.of("SEI_STORAGE_CLASS_DEFAULT", "gp3", "SEI_STORAGE_CLASS_PERF", "fast"))
            .storage();

    assertThat(storage.claim().storageClass()).contains("fast");
    assertThat(storage.claimArchive().storageClass()).contains("gp3");
  }

  @ParameterizedTest
  @CsvSource({
    "SEI_WATCH_NAMESPACES,     a;b",
    "SEI_WATCH_NAMESPACES,     Upper",
    "SEI_LEADER_ELECTION,      yes",
    "SEI_METRICS_PORT,         65536",
    // What a Service named sei-metrics makes of it where service links are on.
    "SEI_METRICS_PORT,         tcp://10.96.0.7:8080",
    "SEI_METRICS_PORT,         -1",
    "SEI_HEALTH_PORT,          http",
    "SEI_HEALTH_PORT,          8080",
    "SEI_RECONCILE_THREADS,    0",
    "SEI_RECONCILE_THREADS,    99999999999",
    "SEI_PROGRESS_DEADLINE,    600",
    "SEI_PROGRESS_DEADLINE,    0s",
    "SEI_CONFIRM_READY_AFTER_BLOCK, 301s",
    "SEI_LOG_LEVEL,            loud",
    "SEI_SIDECAR_TIMEOUT,      2 s",
    "SEI_SIDECAR_TIMEOUT,      1h",
    "SEI_SIDECAR_URL_TEMPLATE, http://sidecar:8443",
    "SEI_SIDECAR_URL_TEMPLATE, ftp://{name}",
    "SEI_SIDECAR_URL_TEMPLATE, http://{name}.{cluster}",
    "SEI_SIDECAR_URL_TEMPLATE, http://{name}?x=1",
    "SEI_SIDECAR_SERVICE_ACCOUNT, sidecar-client",
    "SEI_SIDECAR_SERVICE_ACCOUNT, a/b/c",
    "SEI_SIDECAR_SERVICE_ACCOUNT, A/b",
    "SEI_PROMETHEUS_TOKEN_FILE, token",
    "SEI_PROMETHEUS_URL,       prometheus:9090",
    "SEI_PROMETHEUS_URL,       ftp://prometheus",
    "SEI_PROMETHEUS_URL,       http://me:secret@prometheus",
    "SEI_PROMETHEUS_URL,       http://prometheus/?tenant=a",
    "SEI_PROMETHEUS_URL,       http:///api",
    "SEI_SIDECAR_IMAGE,        a b",
    "SEI_SERVICE_ACCOUNT,      Node_1",
    "SEI_TOLERATION_KEY,       a/b/c",
    "SEI_STORAGE_SIZE_DEFAULT, 2TB",
    "SEI_STORAGE_SIZE_DEFAULT, 0Gi",
    "SEI_RESOURCE_MEM_DEFAULT, 16m",
    "SEI_RESOURCE_CPU_DEFAULT, 4Gi",
    "SEI_STORAGE_CLASS_PERF,   a..b",
    "SEI_GATEWAY_DOMAIN,       https://example.com",
    "SEI_SNAPSHOT_BUCKET,      two words",
    "SEI_NLB_TARGET_TYPE,      pod",
  })
  void aBadValueStopsTheStartInOneLine(String name, String value) {
    var allowed =
        ConfigKey.all().stream().filter(k -> k.name().equals(name)).findFirst().orElseThrow();
    var cause = value.equals("8080") ? "another port than SEI_METRICS_PORT" : allowed.allowed();

    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(Map.of(name, value)))
        .isInstanceOf(ConfigException.class)
        .hasMessage("%s=\"%s\": must be %s", name, value, cause);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SEI_WATCH_NAMESPACES | a,B | namespaces separated by commas, or empty",
        "SEI_RECONCILE_THREADS | 0 | a whole number from 1 to 256",
        "SEI_PROGRESS_DEADLINE | soon | a time from 1s to 168h, such as 500ms, 2s, 1m or 1h",
        "SEI_METRICS_PORT | 65536 | a port from 0 to 65535, 0 taking any free one",
        "SEI_LOG_LEVEL | loud | one of error, warn, info, debug, trace",
        "SEI_LOG_FORMAT | yaml | one of text, json",
        "SEI_LEADER_ELECTION | yes | true or false",
        "SEI_LEADER_ELECTION_NAME | A_B | a lower-case DNS name such as my-name or my.name",
        "SEI_SIDECAR_IMAGE | a b | an image such as registry.example/name:tag",
        "SEI_SIDECAR_URL_TEMPLATE | http://x | an http:// or https:// URL that contains {podIP} or"
            + " {name} and no other placeholder but {namespace}",
        "SEI_SIDECAR_SERVICE_ACCOUNT | a | a ServiceAccount as NAMESPACE/NAME, or empty",
        "SEI_PROMETHEUS_TOKEN_FILE | token | an absolute path, or empty",
        "SEI_PROMETHEUS_URL | prometheus | an http:// or https:// URL without user, query and"
            + " fragment, or empty",
        "SEI_TOLERATION_KEY | a/b/c | a key such as workload or sei.io/workload, or empty",
        "SEI_NODEPOOL_NAME | -a | a label value: at most 63 letters, digits, '-', '_' and '.', or"
            + " empty",
        "SEI_RESOURCE_CPU_DEFAULT | 0 | a CPU quantity such as 4 or 500m",
        "SEI_RESOURCE_MEM_DEFAULT | 16GB | a quantity of bytes such as 16Gi or 2Ti",
        "SEI_SNAPSHOT_BUCKET | a b | printable ASCII without spaces, or empty",
      })
  void whatIsAllowedIsSaid(String name, String value, String allowed) {
    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(Map.of(name, value)))
        .hasMessage("%s=\"%s\": must be %s", name, value, allowed);
  }

  @Test
  void tokenIsShownOverTlsAlone() {
    var token = Map.of("SEI_PROMETHEUS_TOKEN_FILE", "/token");
    var plain = new HashMap<>(token);
    plain.put("SEI_PROMETHEUS_URL", "http://prometheus:9090");
    var secure = new HashMap<>(token);
    secure.put("SEI_PROMETHEUS_URL", "https://prometheus:9090/prefix/");

    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(plain))
        .hasMessage(
            "SEI_PROMETHEUS_URL=\"http://prometheus:9090\": must be an https:// URL where"
                + " SEI_PROMETHEUS_TOKEN_FILE is set");
    assertThat(OperatorConfig.fromEnvironment(secure).prometheus().url())
        .contains(URI.create("https://prometheus:9090/prefix"));
  }

  @Test
  void reportsTheFirstOfSeveralBadValues() {
    var env = Map.of("SEI_NLB_TARGET_TYPE", "x", "SEI_METRICS_PORT", "x", "SEI_LOG_LEVEL", "x");

    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(env))
        .hasMessageStartingWith("SEI_METRICS_PORT=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\nb", "a\r\u001b[31mb", "a\u2028b", "a\u0085b"})
  void aBadValueCannotAddALineToTheLog(String value) {
    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(Map.of("SEI_LOG_LEVEL", value)))
        .message()
        .matches("[\\p{Print}]+");
  }

  @Test
  void aLongBadValueIsCut() {
    assertThat(new ConfigException("SEI_X", "y".repeat(5000), "short")).message().hasSize(146);
  }
}
