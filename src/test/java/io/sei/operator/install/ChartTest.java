package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CrdFile;
import io.sei.operator.config.ConfigKey;
import io.sei.operator.config.ConfigType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Renders the chart without a cluster, and checks what it refuses. What it makes of the examples in
 * {@code src/test/resources/chart} is there too, and {@link GeneratedFilesTest} compares.
 */
class ChartTest {

  @Test
  void lintFindsNothing() {
    var result = HelmChart.helm().lint().strict().call();

    assertThat(result.isFailed()).as(result.getMessages().toString()).isFalse();
    assertThat(result.getMessages()).isEmpty();
  }

  /** The site takes the picture itself; see hack/site/mkdocs.yml. */
  @Test
  void chartAndDashboardHaveTheIconOfTheSite() throws IOException {
    byte[] icon = Files.readAllBytes(Path.of("docs", "images", "icon.svg"));
    String data = read("Chart.yaml").get("icon").asText();

    assertThat(data).startsWith("data:image/svg+xml;base64,");
    assertThat(Base64.getDecoder().decode(data.substring(data.indexOf(',') + 1))).isEqualTo(icon);
    assertThat(Path.of("src", "kubectl-sei", "dashboard", "icon.svg")).hasBinaryContent(icon);
  }

  @Test
  void alertsFitTheRelease(@TempDir Path directory) throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            fullnameOverride: sei
            prometheusRule:
              enabled: true
              runbookUrl: https://wiki.example/runbooks/
            """);
    JsonNode rules = alerts(values);

    assertThat(rules.findValuesAsText("runbook_url"))
        .isNotEmpty()
        .allMatch(url -> url.startsWith("https://wiki.example/runbooks/"));
    assertThat(rules.findValuesAsText("description"))
        .anyMatch(text -> text.contains("kubectl -n sei-operator logs deploy/sei "))
        .noneMatch(text -> text.contains("deploy/sei-operator"));
  }

  @Test
  void stockAlertsAreReplacedOnlyWhereAsked(@TempDir Path directory) throws IOException {
    Path on = directory.resolve("on.yaml");
    Path replacing = directory.resolve("replacing.yaml");
    Files.writeString(on, "prometheusRule: {enabled: true}");
    Files.writeString(replacing, "prometheusRule: {replaceStockAlerts: true}");
    String stock = "KubeStatefulSetReplicasMismatch";

    assertThat(alerts(on).findValuesAsText("alert"))
        .contains("SeiNodeStalled")
        .doesNotContain(stock);
    assertThat(alerts(on, replacing).findValuesAsText("alert")).contains("SeiNodeStalled", stock);
  }

  @Test
  void singleAlertsAreChangedOrLeftOut(@TempDir Path directory) throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            prometheusRule:
              enabled: true
              alerts:
                SeiNodeFailed: {for: 15m, expr: absent(up), labels: {severity: page, team: chain}}
                SeiRolloutStuck: {enabled: false}
            """);
    JsonNode rules = alerts(values);

    assertThat(rules.findValuesAsText("alert"))
        .contains("SeiNodeFailed")
        .doesNotContain("SeiRolloutStuck");
    assertThat(rules.findParents("alert"))
        .filteredOn(rule -> rule.get("alert").asText().equals("SeiNodeFailed"))
        .singleElement()
        .satisfies(
            rule -> {
              assertThat(rule.get("for").asText()).isEqualTo("15m");
              assertThat(rule.get("expr").asText()).isEqualTo("absent(up)");
              assertThat(rule.get("labels").properties())
                  .extracting(Object::toString)
                  .containsExactlyInAnyOrder("severity=\"page\"", "team=\"chain\"");
            });
  }

  @Test
  void metricsOfTheGoOperatorAreRecordedOnlyWhereAsked(@TempDir Path directory) throws IOException {
    Path on = directory.resolve("on.yaml");
    Path recording = directory.resolve("recording.yaml");
    Files.writeString(on, "prometheusRule: {enabled: true}");
    Files.writeString(recording, "prometheusRule: {goOperatorMetrics: true}");
    String metric = "sei_controller_seinode_phase";

    assertThat(alerts(on).findValuesAsText("record")).doesNotContain(metric);
    assertThat(alerts(on, recording).findValuesAsText("record")).contains(metric);
    assertThat(alerts(on, recording).at("/spec/groups").findValuesAsText("name"))
        .doesNotHaveDuplicates();
  }

  /** {@code OperatorConfigTest} has what a Service named sei-metrics would do. */
  @Test
  void namesOfServicesAreNoSettingsOfTheOperator() {
    assertThat(HelmChart.render().documents())
        .filteredOn(document -> document.key().startsWith("Deployment "))
        .singleElement()
        .satisfies(
            document -> assertThat(document.text()).contains("\n      enableServiceLinks: false"));
  }

  @Test
  void shardsAreDeploymentsThatDivideTheNamespaces(@TempDir Path directory) throws IOException {
    Path values = Files.writeString(directory.resolve("values.yaml"), "{shards: 2, replicas: 2}");

    List<JsonNode> deployments =
        HelmChart.render(values)
            .only(document -> document.key().startsWith("Deployment "))
            .documents()
            .stream()
            .map(Manifest.Document::content)
            .toList();

    assertThat(deployments)
        .extracting(
            json -> json.at("/metadata/name").asText(),
            json -> json.at("/spec/selector/matchLabels/sei.io~1shard").asText(),
            json -> json.at("/spec/template/metadata/labels/sei.io~1shard").asText(),
            json -> json.at("/spec/strategy/type").asText(),
            json -> json.at("/spec/template/spec/containers/0/env").toString().contains("/2\""))
        .containsExactly(
            tuple("sei-operator-0", "0", "0", "Recreate", true),
            tuple("sei-operator-1", "1", "1", "Recreate", true));
  }

  @Test
  void leasesOfTheReleaseAloneAreChanged(@TempDir Path directory) throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            "{shards: 2, config: {SEI_LEADER_ELECTION_NAME: mine.sei.io}}");

    assertThat(leases()).isEqualTo("[\"bc1f5b0a.sei.io\"]");
    assertThat(leases(values)).isEqualTo("[\"mine.sei.io\",\"mine.sei.io-0\",\"mine.sei.io-1\"]");
  }

  private static String leases(Path... values) {
    return HelmChart.render(values)
        .only(document -> document.key().equals("Role sei-operator sei-operator-leader-election"))
        .documents()
        .get(0)
        .content()
        .at("/rules/1/resourceNames")
        .toString();
  }

  /** Every pod has the ServiceAccount default unless it says otherwise. */
  @Test
  void noInstructionLetsEveryPodOfANamespaceReviewTokens() throws IOException {
    List<Path> instructions = new ArrayList<>();
    for (Path directory : List.of(Path.of("docs"), HelmChart.DIRECTORY)) {
      try (Stream<Path> files = Files.walk(directory)) {
        files.filter(file -> file.toString().matches(".*\\.(md|txt)")).forEach(instructions::add);
      }
    }
    instructions.add(Path.of("README.md"));

    assertThat(instructions)
        .hasSizeGreaterThan(50)
        .allSatisfy(
            file ->
                assertThat(Files.readString(file))
                    .doesNotContainPattern("serviceaccount=\\w+:default")
                    .doesNotContainPattern("sidecarServiceAccounts=\\{\\w+/default"));
  }

  @Test
  void networkPolicyLeavesNoAddressOpenWhereThoseOfTheClusterAreGiven(@TempDir Path directory)
      throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            networkPolicy:
              enabled: true
              apiServer: [10.96.0.1/32, 192.0.2.10/32]
              nodes: [192.0.2.0/24]
            """);
    JsonNode policy =
        HelmChart.render(values)
            .only(document -> document.key().startsWith("NetworkPolicy "))
            .documents()
            .get(0)
            .content();

    assertThat(policy.at("/spec/ingress/2").toString())
        .isEqualTo(
            "{\"ports\":[{\"port\":\"health\"}],\"from\":[{\"ipBlock\":{\"cidr\":\"192.0.2.0/24\"}}]}");
    assertThat(policy.at("/spec/egress/1/to").findValuesAsText("cidr"))
        .containsExactly("10.96.0.1/32", "192.0.2.10/32");
  }

  /** The policies name the release's own ServiceAccount. */
  @Test
  void admissionPoliciesBoundTheServiceAccountOfTheRelease(@TempDir Path directory)
      throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            "{serviceAccount: {name: mine}, watchNamespaces: [sei-operator]}");
    Path none =
        Files.writeString(directory.resolve("none.yaml"), "admissionPolicies: {create: false}");

    assertThat(admissionPolicies(values).findValuesAsText("name"))
        .contains("by-the-operator", "objects-of-sei-operator");
    assertThat(admissionPolicies(values).at("/spec/matchConditions/0/expression").asText())
        .isEqualTo("request.userInfo.username == \"system:serviceaccount:sei-operator:mine\"");
    assertThat(admissionPolicies(values).at("/spec/validations/0/expression").asText())
        .isEqualTo("!(request.namespace in [\"kube-system\",\"kube-public\",\"kube-node-lease\"])");
    assertThat(HelmChart.render(none).keys())
        .noneMatch(text -> text.startsWith("ValidatingAdmission"));
  }

  private static JsonNode admissionPolicies(Path values) {
    return HelmChart.render(values)
        .only(document -> document.key().startsWith("ValidatingAdmissionPolicy "))
        .documents()
        .get(0)
        .content();
  }

  @Test
  void nothingIsGrantedOutsideTheNamespacesWhereMachinesMayNotBeRead() {
    Path values = Path.of("src", "test", "resources", "chart", "no-machines", "values.yaml");

    assertThat(HelmChart.render(values).documents())
        .extracting(document -> document.key())
        .anyMatch(key -> key.startsWith("Role "))
        .noneMatch(key -> key.startsWith("Cluster"));
  }

  @Test
  void crdsAreThoseOfTheProjectAndAreKept() {
    List<CustomResourceDefinition> rendered = crds(HelmChart.template());

    assertThat(rendered)
        .extracting(crd -> crd.getSpec(), crd -> crd.getMetadata().getAnnotations())
        .containsExactlyInAnyOrderElementsOf(
            CrdFile.all().stream()
                .flatMap(crd -> crds(Manifest.read(crd.path())).stream())
                .map(crd -> tuple(crd.getSpec(), crd.getMetadata().getAnnotations()))
                .toList());
    assertThat(rendered)
        .allSatisfy(
            crd ->
                assertThat(crd.getMetadata().getLabels())
                    .containsEntry("app.kubernetes.io/part-of", "sei-operator"));
  }

  /** A Deployment takes over a pod that its selector matches. */
  @Test
  void podOfTheTestIsSelectedByNothingButItsNetworkPolicy(@TempDir Path directory)
      throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            "{networkPolicy: {enabled: true, nodes: [192.0.2.0/24]}, nameOverride: sei}");
    Manifest release = withoutHooks(directory, values);
    JsonNode pod = only(release, "Pod ");
    JsonNode deployment = only(release, "Deployment ");

    assertThat(label(pod, "app.kubernetes.io/name"))
        .isNotEqualTo(
            deployment.at("/spec/selector/matchLabels").path("app.kubernetes.io/name").asText());
    assertThat(only(release, "NetworkPolicy ").at("/spec/ingress/1/from/0/podSelector/matchLabels"))
        .isEqualTo(pod.at("/metadata/labels"));
    assertThat(pod.at("/spec/containers/0/image"))
        .isEqualTo(deployment.at("/spec/template/spec/containers/0/image"));
    assertThat(release.keys())
        .contains("Service b " + pod.at("/spec/containers/0/args/1").asText());
    assertThat(release.documents())
        .filteredOn(document -> document.key().contains("Binding "))
        .noneMatch(
            document -> document.text().contains(pod.at("/spec/serviceAccountName").asText()));
  }

  /** Renders hooks as objects like any other, since Helm does not show them. */
  private static Manifest withoutHooks(Path directory, Path values) throws IOException {
    Path copy = HelmChart.copyTo(directory.resolve("chart"));
    Path hooks = copy.resolve("templates").resolve("tests").resolve("installation.yaml");
    Files.writeString(hooks, Files.readString(hooks).replaceAll("(?m)^ +helm\\.sh/hook.*\n", ""));
    return Manifest.parse(
        new Helm(copy)
            .template()
            .withKubeVersion("1.30")
            .withName("a")
            .withNamespace("b")
            .withValuesFile(values)
            .call());
  }

  private static JsonNode only(Manifest release, String key) {
    return release
        .only(document -> document.key().startsWith(key))
        .documents()
        .getFirst()
        .content();
  }

  @Test
  void crdsAreLeftOutOrGoWithTheReleaseWhereAsked() {
    assertThat(crds(HelmChart.template().set("crds.create", false))).isEmpty();
    assertThat(crds(HelmChart.template().set("crds.keep", false)))
        .hasSameSizeAs(CrdFile.all())
        .allSatisfy(crd -> assertThat(crd.getMetadata().getAnnotations()).isEmpty());
  }

  private static List<CustomResourceDefinition> crds(TemplateCommand template) {
    return crds(Manifest.parse(template.call()));
  }

  private static List<CustomResourceDefinition> crds(Manifest manifest) {
    return manifest
        .only(document -> document.key().startsWith("CustomResourceDefinition "))
        .documents()
        .stream()
        .map(document -> Serialization.unmarshal(document.text(), CustomResourceDefinition.class))
        .toList();
  }

  /**
   * Installs releases of one name or of two, in namespaces of their own, with everything on but the
   * CRDs, of which a cluster has one set.
   */
  @ParameterizedTest(name = "{0} and {1}")
  @CsvSource({
    "sei-pacific/sei-operator, sei-atlantic/sei-operator",
    "sei-pacific/pacific, sei-atlantic/atlantic",
    "sei-operator/sei-operator, sei/operator",
  })
  void twoReleasesShareNoObject(String one, String other, @TempDir Path directory)
      throws IOException {
    Set<String> objects = objects(one, directory);

    assertThat(objects).anyMatch(key -> key.startsWith("ClusterRole "));
    assertThat(objects(other, directory)).doesNotContainAnyElementsOf(objects);
  }

  /**
   * Returns the objects of a release, given as NAMESPACE/NAME: Roles in namespaces that both manage
   * too.
   */
  private static Set<String> objects(String release, Path directory) throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            watchNamespaces: [nodes]
            sidecarServiceAccounts: [nodes/sei-node]
            """);
    String[] names = release.split("/");
    return Manifest.parse(
            HelmChart.template()
                .withNamespace(names[0])
                .withName(names[1])
                .set("crds.create", false)
                .withValuesFile(values)
                .call())
        .documents()
        .stream()
        .map(document -> document.key())
        .collect(Collectors.toSet());
  }

  private static JsonNode alerts(Path... values) {
    return HelmChart.render(values)
        .only(document -> document.key().startsWith("PrometheusRule "))
        .documents()
        .get(0)
        .content();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "imageTag: x                              | 'imageTag' not allowed",
        "image: {digest: abc}                     | at '/image/digest': 'abc' does not match"
            + " pattern",
        "image: {repository: a@sha256:b}          | at '/image/repository'",
        "replicas: two                            | at '/replicas': got string, want integer",
        "replicas: -1                             | at '/replicas'",
        "watchNamespaces: a                       | at '/watchNamespaces': got string, want array",
        "watchNamespaces: [a, a]                  | at '/watchNamespaces': items at 0 and 1 are"
            + " equal",
        "watchNamespaces: [A]                     | at '/watchNamespaces/0': 'A' does not match",
        "config: {SEI_RECONCILE_TREADS: 1}        | 'SEI_RECONCILE_TREADS' not allowed",
        "config: {SEI_WATCH_NAMESPACES: a}        | 'SEI_WATCH_NAMESPACES' not allowed",
        "config: {SEI_TAKEOVER_NAMESPACES: a}     | 'SEI_TAKEOVER_NAMESPACES' not allowed",
        "config: {SEI_CONTROLLER_CONFIG: /a}      | 'SEI_CONTROLLER_CONFIG' not allowed",
        "controllerConfig: {configMap: A_B}       | at '/controllerConfig/configMap'",
        "controllerConfig: {key: a/b}             | at '/controllerConfig/key'",
        "config: {SEI_SIDECAR_IMAGE: [a]}         | at '/config/SEI_SIDECAR_IMAGE': got array",
        "config: {SEI_LOG_LEVEL: verbose}         | at '/config/SEI_LOG_LEVEL': value must be one"
            + " of 'error'",
        "config: {SEI_RECONCILE_THREADS: 9999}    | at '/config/SEI_RECONCILE_THREADS': maximum",
        "config: {SEI_PROGRESS_DEADLINE: 7d}      | at '/config/SEI_PROGRESS_DEADLINE'",
        "resources: {limits: {memory: 256MB}}     | at '/resources/limits/memory'",
        "serviceMonitor: {enabled: 'yes'}         | at '/serviceMonitor/enabled': got string",
        "serviceMonitor: {interval: often}        | at '/serviceMonitor/interval'",
        "podDisruptionBudget: {maxUnavailable: x} | at '/podDisruptionBudget/maxUnavailable'",
        "sidecarServiceAccounts: [default]        | at '/sidecarServiceAccounts/0'",
        "{prometheusRule: {enabled: true, alerts: {SeiNodeStaled: {for: 1m}}}}"
            + " | prometheusRule.alerts: there is no alert SeiNodeStaled",
        "prometheusRule: {alerts: {SeiNodeStalled: {for: soon}}}"
            + " | at '/prometheusRule/alerts/SeiNodeStalled/for'",
        "networkPolicy: {apiServerPorts: [0]}     | at '/networkPolicy/apiServerPorts/0'",
        "networkPolicy: {apiServer: [10.0.0.1]}   | at '/networkPolicy/apiServer/0'",
        "{replicas: 2, leaderElection: {enabled: false}}"
            + " | replicas must be 0 or 1 when leaderElection.enabled is false",
        "{shards: 2, leaderElection: {enabled: false}}"
            + " | shards must be 1 when leaderElection.enabled is false",
        "takeover: {enabled: true} | takeover.namespaces must not be empty when takeover.enabled is"
            + " true",
        "takeover: {namespaces: [A]} | at '/takeover/namespaces/0': 'A' does not match",
        "{takeover: {enabled: true, namespaces: [a]}, admissionPolicies: {create: false}}"
            + " | admissionPolicies.create must be true when takeover.enabled is true",
        "extraEnv: [{name: A, value: a}, {name: A, value: b}] | extraEnv has A twice",
        "{shards: 2, watchNamespaces: [a]} | shards must be 1 with watchNamespaces",
      })
  void mistakeIsRefusedWithItsPlace(String values, String message, @TempDir Path directory)
      throws IOException {
    Path file = Files.writeString(directory.resolve("values.yaml"), values);

    assertThatThrownBy(() -> HelmChart.render(file)).hasMessageContaining(message);
  }

  /**
   * An umbrella chart has a condition, an alias and labels of its own; tools refuse a key that is
   * there twice.
   */
  @Test
  void valuesOfAnUmbrellaChartAreTakenAndNoKeyIsWrittenTwice(@TempDir Path directory)
      throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            global: {region: eu}
            enabled: true
            nameOverride: platform-sei
            commonLabels: {app.kubernetes.io/part-of: platform, app.kubernetes.io/name: other}
            podLabels: {app.kubernetes.io/instance: other, team: chain}
            config: {SEI_RECONCILE_THREADS: 32, SEI_LOG_LEVEL: debug}
            extraEnv:
              - {name: SEI_RECONCILE_THREADS, value: "16"}
              - {name: SEI_LEADER_ELECTION, value: "true"}
            leaderElection: {enabled: false}
            """);

    List<JsonNode> objects = strictly(HelmChart.template().withValuesFile(values).call());

    JsonNode deployment =
        objects.stream()
            .filter(object -> object.path("kind").asText().equals("Deployment"))
            .findFirst()
            .orElseThrow();
    assertThat(deployment.at("/metadata/labels").path("app.kubernetes.io/part-of").asText())
        .isEqualTo("platform");
    assertThat(deployment.at("/spec/selector/matchLabels").properties())
        .isSubsetOf(deployment.at("/spec/template/metadata/labels").properties())
        .isSubsetOf(deployment.at("/metadata/labels").properties());
    JsonNode env = deployment.at("/spec/template/spec/containers/0/env");
    assertThat(env.findValuesAsText("name")).doesNotHaveDuplicates().contains("SEI_LOG_LEVEL");
    assertThat(env)
        .filteredOn(variable -> variable.get("name").asText().equals("SEI_RECONCILE_THREADS"))
        .singleElement()
        .satisfies(variable -> assertThat(variable.get("value").asText()).isEqualTo("16"));
  }

  /** A warning and no failure: GitOps tools render a chart before its values are complete. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "sei-operator, true",
    "platform-operator, true",
    "registry.example/sei-operator, false",
    "docker.io/library/sei-operator, false",
    "example/sei-operator, false",
  })
  void imageInNoRegistryIsWarnedOfInTheNotes(
      String repository, boolean warned, @TempDir Path directory) throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"), "image: {repository: %s}".formatted(repository));

    String notes = HelmChart.notes(values);

    assertThat(notes.contains("WARNING: image " + repository + ":")).isEqualTo(warned);
    assertThat(notes.contains("--set image.repository=")).isEqualTo(warned);
    assertThat(HelmChart.render(values).keys()).contains("Deployment sei-operator sei-operator");
  }

  /** An untagged image is :latest too. */
  @Test
  void noImageIsLatestByDefault() {
    String operator =
        HelmChart.render()
            .only(document -> document.key().startsWith("Deployment "))
            .documents()
            .getFirst()
            .content()
            .at("/spec/template/spec/containers/0/image")
            .asText();
    Stream<String> ofSettings =
        ConfigKey.all().stream()
            .filter(key -> key.type() == ConfigType.IMAGE && !key.defaultText().isEmpty())
            .map(ConfigKey::defaultText);

    assertThat(Stream.concat(Stream.of(operator), ofSettings))
        .hasSizeGreaterThan(2)
        .allMatch(image -> image.matches(".+(:[^/:]+|@sha256:[a-f0-9]{64})"))
        .noneMatch(image -> image.endsWith(":latest"));
  }

  /** Objects of a text in which no map has a key twice. */
  private static List<JsonNode> strictly(String rendered) throws IOException {
    var strict = YAMLMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
    try (var parser = strict.createParser(rendered)) {
      return strict.readValues(parser, JsonNode.class).readAll();
    }
  }

  /** Labels of one kind of object, and those that the chart gives itself, in every place. */
  @Test
  void labelThatSeveralValuesSetIsWrittenOnce(@TempDir Path directory) throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            commonLabels:
              app.kubernetes.io/component: other
              rbac.authorization.k8s.io/aggregate-to-view: other
              team: platform
              release: common
            serviceMonitor: {enabled: true, labels: &labels {app.kubernetes.io/part-of: mine, release: prometheus}}
            podMonitor: {enabled: true, labels: *labels}
            prometheusRule: {enabled: true, labels: *labels}
            dashboards: {enabled: true, labels: *labels}
            """);

    List<JsonNode> objects = strictly(HelmChart.template().withValuesFile(values).call());

    assertThat(objects)
        .filteredOn(json -> json.path("kind").asText().matches("ServiceMonitor|PodMonitor|.*Rule"))
        .hasSize(3)
        .allSatisfy(
            object -> {
              assertThat(label(object, "app.kubernetes.io/part-of")).isEqualTo("mine");
              assertThat(label(object, "release")).isEqualTo("prometheus");
              assertThat(label(object, "team")).isEqualTo("platform");
            });
    assertThat(objects)
        .filteredOn(json -> json.at("/metadata/name").asText().endsWith("-view"))
        .singleElement()
        .satisfies(
            role ->
                assertThat(label(role, "rbac.authorization.k8s.io/aggregate-to-view"))
                    .isEqualTo("true"));
    assertThat(objects)
        .filteredOn(json -> json.path("kind").asText().equals("ClusterRoleBinding"))
        .anySatisfy(
            binding ->
                assertThat(label(binding, "app.kubernetes.io/component")).isEqualTo("operator"));
  }

  private static String label(JsonNode object, String key) {
    return object.at("/metadata/labels").path(key).asText();
  }

  @Test
  void everyValueIsInTheSchemaAndEveryPropertyOfTheSchemaIsAValue() throws IOException {
    JsonNode values = read("values.yaml");
    JsonNode schema = read("values.schema.json");

    Set<String> inSchema = paths(schema.get("properties"), "");
    inSchema.removeAll(Set.of("/global", "/enabled"));
    assertThat(inSchema)
        .containsExactlyInAnyOrderElementsOf(
            values.properties().stream()
                .flatMap(
                    entry -> valuePaths(schema.get("properties"), entry.getKey(), entry.getValue()))
                .collect(Collectors.toSet()));
  }

  @Test
  void versionsAreTheProjects() throws IOException {
    Matcher project =
        Pattern.compile("<artifactId>sei-operator</artifactId>\\s*<version>([^<]+)</version>")
            .matcher(Files.readString(Path.of("pom.xml")));
    assertThat(project.find()).isTrue();
    String version = project.group(1).replace("-SNAPSHOT", "");
    JsonNode chart = read("Chart.yaml");

    assertThat(chart.get("version").asText()).isEqualTo(version);
    assertThat(chart.get("appVersion").asText()).isEqualTo(version);
  }

  private static Set<String> paths(JsonNode properties, String above) {
    return properties.properties().stream()
        .flatMap(
            entry -> {
              String path = above + "/" + entry.getKey();
              JsonNode below = entry.getValue().path("properties");
              return below.isMissingNode() || path.equals("/config")
                  ? Stream.of(path)
                  : paths(below, path).stream();
            })
        .collect(Collectors.toSet());
  }

  private static Stream<String> valuePaths(JsonNode schema, String key, JsonNode value) {
    JsonNode below = schema.path(key).path("properties");
    return below.isMissingNode() || key.equals("config")
        ? Stream.of("/" + key)
        : value.properties().stream()
            .flatMap(
                entry ->
                    valuePaths(below, entry.getKey(), entry.getValue()).map(p -> "/" + key + p));
  }

  private static JsonNode read(String file) throws IOException {
    return Serialization.unmarshal(
        Files.readString(HelmChart.DIRECTORY.resolve(file)), JsonNode.class);
  }
}
