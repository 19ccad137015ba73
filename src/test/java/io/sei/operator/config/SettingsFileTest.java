package io.sei.operator.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsFileTest {

  /** Every key that the Go operator read on 15 June 2026, apart from state sync's. */
  private static final String COMPLETE =
      """
      scheduling:
        nodepoolName: sei-node
        nodepoolArchive: sei-archive
        tolerationKey: sei.io/workload
        serviceAccount: seid-node
      storage:
        classPerf: gp3-10k-750
        classDefault: gp3
        classArchive: gp3-archive
        sizeDefault: 1000Gi
        sizeArchive: 40Ti
      resources:
        cpuArchive: "48"
        memArchive: 448Gi
        cpuDefault: 6
        memDefault: 32Gi
      snapshot: {bucket: sei-snapshots, region: us-east-2}
      resultExport: {bucket: sei-results, region: us-east-1, prefix: shadow-results/}
      genesis: {bucket: sei-genesis, region: eu-central-1}
      images:
        sidecar: registry.example/seictl:v0.0.62
        kubeRBACProxy: registry.example/kube-rbac-proxy:v0.19.1
        cosmosExporter: registry.example/sei-cosmos-exporter:1
      """;

  private static final Map<String, String> THE_SAME_IN_VARIABLES =
      Map.ofEntries(
          Map.entry("SEI_NODEPOOL_NAME", "sei-node"),
          Map.entry("SEI_NODEPOOL_ARCHIVE", "sei-archive"),
          Map.entry("SEI_TOLERATION_KEY", "sei.io/workload"),
          Map.entry("SEI_SERVICE_ACCOUNT", "seid-node"),
          Map.entry("SEI_STORAGE_CLASS_PERF", "gp3-10k-750"),
          Map.entry("SEI_STORAGE_CLASS_DEFAULT", "gp3"),
          Map.entry("SEI_STORAGE_CLASS_ARCHIVE", "gp3-archive"),
          Map.entry("SEI_STORAGE_SIZE_DEFAULT", "1000Gi"),
          Map.entry("SEI_STORAGE_SIZE_ARCHIVE", "40Ti"),
          Map.entry("SEI_RESOURCE_CPU_ARCHIVE", "48"),
          Map.entry("SEI_RESOURCE_MEM_ARCHIVE", "448Gi"),
          Map.entry("SEI_RESOURCE_CPU_DEFAULT", "6"),
          Map.entry("SEI_RESOURCE_MEM_DEFAULT", "32Gi"),
          Map.entry("SEI_SNAPSHOT_BUCKET", "sei-snapshots"),
          Map.entry("SEI_SNAPSHOT_REGION", "us-east-2"),
          Map.entry("SEI_RESULT_EXPORT_BUCKET", "sei-results"),
          Map.entry("SEI_RESULT_EXPORT_REGION", "us-east-1"),
          Map.entry("SEI_RESULT_EXPORT_PREFIX", "shadow-results/"),
          Map.entry("SEI_GENESIS_BUCKET", "sei-genesis"),
          Map.entry("SEI_GENESIS_REGION", "eu-central-1"),
          Map.entry("SEI_SIDECAR_IMAGE", "registry.example/seictl:v0.0.62"),
          Map.entry("SEI_KUBE_RBAC_PROXY_IMAGE", "registry.example/kube-rbac-proxy:v0.19.1"),
          Map.entry("SEI_COSMOS_EXPORTER_IMAGE", "registry.example/sei-cosmos-exporter:1"));

  @TempDir Path directory;

  @Test
  void hasTheMeaningOfTheVariables() {
    var config = read(COMPLETE, Map.of());

    assertThat(config).isEqualTo(OperatorConfig.fromEnvironment(THE_SAME_IN_VARIABLES));
    assertThat(config.warnings()).isEmpty();
  }

  @Test
  void everyKeyOfTheFileIsThatOfTheVariableWithItsValue() {
    var inFile = ConfigKey.all().stream().filter(key -> !key.fileKey().isEmpty()).toList();

    assertThat(inFile)
        .extracting(ConfigKey::name)
        .containsExactlyInAnyOrderElementsOf(THE_SAME_IN_VARIABLES.keySet());
    assertThat(inFile)
        .extracting(ConfigKey::fileKey)
        .doesNotHaveDuplicates()
        .allMatch(key -> key.matches("[a-zA-Z]+\\.[a-zA-Z]+"));
  }

  @Test
  void overridesVariablesAndSaysWhich() {
    var variables = new HashMap<>(THE_SAME_IN_VARIABLES);
    variables.put("SEI_SERVICE_ACCOUNT", "other");
    variables.put("SEI_RESOURCE_CPU_DEFAULT", "7");
    variables.put("SEI_NODEPOOL_NAME", " ");
    var config = read(COMPLETE, variables);

    assertThat(config.pod().serviceAccount()).isEqualTo("seid-node");
    assertThat(config.pod().requests().cpu()).isEqualTo("6");
    assertThat(config.pod().nodepool()).contains("sei-node");
    assertThat(config.warnings())
        .containsExactly(
            "Ignoring variables that "
                + file()
                + " overrides: SEI_SERVICE_ACCOUNT, SEI_RESOURCE_CPU_DEFAULT");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "# nothing\n",
        "storage:\n",
        "storage: {}\n",
        "storage: {sizeDefault: }\n",
        "storage: {sizeDefault: null}\n",
        "storage: {sizeDefault: ''}\n",
        "storage: {sizeDefault: '  '}\n",
      })
  void whatItDoesNotSetIsLeftToTheVariableAndThenToTheDefault(String text) {
    var config = read(text, Map.of("SEI_STORAGE_SIZE_DEFAULT", "5Gi"));

    assertThat(config.storage().claim().size()).isEqualTo("5Gi");
    assertThat(config.storage().claimArchive().size()).isEqualTo("10Ti");
    assertThat(config.warnings()).isEmpty();
  }

  /** The Go operator takes any case. */
  @Test
  void caseOfAKeyDoesNotMatter() {
    var config = read("Images: {kubeRbacProxy: registry.example/proxy:1}", Map.of());

    assertThat(config.pod().kubeRbacProxyImage()).isEqualTo("registry.example/proxy:1");
    assertThat(config.warnings()).isEmpty();
  }

  /** Some of these mean something to a Go operator of a later month. */
  @Test
  void unknownKeysAreNamedInOneLine() {
    var config =
        read(
            """
            stateSync:
              syncers:
                pacific-1: [a.example:26657, b.example:26657]
            scheduling: {nodepoolValidator: validators, nodepoolName: sei-node}
            resources:
              node: {cpuRequest: "12", memory: 128Gi}
            gateway: sei
            storage: {sizeSeed: }
            "two\\nlines": 1
            """,
            Map.of());

    assertThat(config.pod().nodepool()).contains("sei-node");
    assertThat(config.warnings())
        .containsExactly(
            "Ignoring unknown keys in "
                + file()
                + ": gateway, resources.node.cpuRequest,"
                + " resources.node.memory, scheduling.nodepoolValidator,"
                + " stateSync.syncers.pacific-1, two?lines");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "storage: {sizeDefault: 2TB} | storage.sizeDefault=\"2TB\": must be a quantity of bytes such"
            + " as 16Gi or 2Ti",
        "images: {sidecar: a b} | images.sidecar=\"a b\": must be an image such as"
            + " registry.example/name:tag",
        "resources: {cpuArchive: -1} | resources.cpuArchive=\"-1\": must be a CPU quantity such as 4"
            + " or 500m",
        "images: {Sidecar: a b} | images.sidecar=\"a b\": must be an image such as"
            + " registry.example/name:tag",
        "images: seictl:v0.0.62 | images=\"seictl:v0.0.62\": must be a mapping",
        "images: [a] | images=\"[\"a\"]\": must be a mapping",
        "images: {sidecar: [a]} | images.sidecar=\"[\"a\"]\": must be a single value",
        "images: {sidecar: {tag: a}} | images.sidecar=\"{...}\": must be a single value",
      })
  void aWrongValueIsNamedWithFileAndKey(String text, String message) {
    assertThatThrownBy(() -> read(text, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage("%s: %s", file(), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[images] | a file with a YAML mapping",
        "images | a file with a YAML mapping",
        "`a: 1\nb: [\n` | a file with valid YAML; line 2: while parsing a flow node",
        "`images: {}\nimages: {}` | a file with valid YAML; line 2: Duplicate field" + " 'images'",
      })
  void aFileThatIsNoMappingIsRefused(String text, String allowed) {
    assertThatThrownBy(() -> read(text, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage("SEI_CONTROLLER_CONFIG=\"%s\": must be %s", file(), allowed);
  }

  @Test
  void aFileThatIsMissingOrUnreadableIsRefused() throws IOException {
    var settings = Map.of("SEI_CONTROLLER_CONFIG", file().toString());
    var refusal = "SEI_CONTROLLER_CONFIG=\"%s\": must be a file that exists and can be read";

    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(settings)).hasMessage(refusal, file());
    Files.createDirectory(file());
    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(settings)).hasMessage(refusal, file());
    Files.delete(file());
    Files.write(file(), "é".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> OperatorConfig.fromEnvironment(settings)).hasMessage(refusal, file());
  }

  @Test
  void itsPathIsAbsolute() {
    assertThatThrownBy(
            () -> OperatorConfig.fromEnvironment(Map.of("SEI_CONTROLLER_CONFIG", "config.yaml")))
        .hasMessage("SEI_CONTROLLER_CONFIG=\"config.yaml\": must be an absolute path, or empty");
  }

  private OperatorConfig read(String text, Map<String, String> variables) {
    try {
      Files.writeString(file(), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var environment = new HashMap<>(variables);
    environment.put("SEI_CONTROLLER_CONFIG", file().toString());
    return OperatorConfig.fromEnvironment(environment);
  }

  private Path file() {
    return directory.resolve("config.yaml");
  }
}
