package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.sei.operator.testkit.KubectlSei;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Looks up every name on the pages: names that a reader types or searches for come from code, CRDs
 * or chart.
 */
class PageNamesTest {

  /** Places in which a name has to be found. */
  private static final List<String> SOURCES =
      List.of("src/main", "src/kubectl-sei", "deploy", "crds", "hack", "Makefile", "Dockerfile");

  private static final Path CHART = Path.of("deploy", "helm", "sei-operator");

  /** Names of Kubernetes, of the stock alerts, and of tools. */
  private static final Set<String> OF_OTHERS =
      Set.of(
          "AppHash",
          "ArchiveRelocationMode",
          "HealthCheckFailed",
          "NodeClockSkewDetected",
          "NodeFilesystemSpaceFillingUp",
          "OrderedReady",
          "ReconciliationSucceeded",
          "SEI_NODEPOOL_SEED",
          "SeiNetwork",
          "ServerSideApply",
          "WaitForFirstConsumer",
          "status.creationTime",
          "status.currentRevision");

  /** Decisions and faults name what was; one page has the names of the Go operator. */
  private static final Predicate<Path> TELLS_OF_OTHER_NAMES =
      path ->
          path.startsWith("docs/decisions")
              || path.endsWith("docs/dev/faults.md")
              || path.endsWith("from-the-go-operator.md")
              || path.endsWith("CHANGELOG.md");

  private static final Pattern WORD = Pattern.compile("\\w+");
  private static final Pattern KEY = Pattern.compile("(?<![\\w.])sei\\.io/[a-z][a-z-]+");
  private static final Pattern VARIABLE = Pattern.compile("\\bSEI_[A-Z0-9_]*[A-Z0-9]\\b(?!_?\\*)");
  private static final Pattern METRIC = Pattern.compile("\\bsei_[a-z_]*[a-z]\\b(?!_?\\*)");
  private static final Pattern TARGET = Pattern.compile("\\bmake ([a-z][a-z-]+)");
  private static final Pattern COMMAND = Pattern.compile("kubectl sei (upgrades add|[a-z][a-z-]*)");
  private static final Pattern VALUE = Pattern.compile("--set '?([A-Za-z][A-Za-z.]+)[\\[=]");
  private static final Pattern BARE_LIST = Pattern.compile("--set [^' ]+=\\{");
  private static final Pattern FIELD =
      Pattern.compile("^(?:spec|status)(?:\\.[a-zA-Z0-9]+(?:\\[])?)+");
  private static final Pattern FILE =
      Pattern.compile("^(?:docs|deploy|hack|manifests|src|crds)/[a-z0-9./-]*[a-z0-9/]$");

  /** Reasons, conditions, phases, kinds, Events, alerts: words of which each begins a capital. */
  private static final Pattern SAYS = Pattern.compile("[A-Z][\\w=/, ]*");

  private static final Pattern NAME = Pattern.compile("\\b[A-Z][a-z]+(?:[A-Z][A-Za-z0-9]*)+\\b");

  private static final Set<String> FIELDS = new TreeSet<>();
  private static final Set<String> WORDS = new TreeSet<>();
  private static String source = "";
  private static String help = "";

  @BeforeAll
  static void readWhatThereIs() throws IOException {
    var text = new StringBuilder();
    for (String place : SOURCES) {
      for (Path file : filesOf(place)) {
        text.append(textOf(file)).append('\n');
      }
    }
    source = text.toString();
    help = KubectlSei.alone("help").stdout();
    WORD.matcher(source).results().map(MatchResult::group).forEach(WORDS::add);
    Stream.of(filesOf("src/test/java"), filesOf("src/testkit"), filesOf("src/tools"))
        .flatMap(List::stream)
        .map(file -> file.getFileName().toString().replace(".java", ""))
        .forEach(WORDS::add);
    for (Path crd : filesOf("crds")) {
      for (JsonNode version : new YAMLMapper().readTree(crd.toFile()).at("/spec/versions")) {
        addFields(version.at("/schema/openAPIV3Schema"), "");
      }
    }
  }

  static List<Page> pages() throws IOException {
    return Page.all().stream().filter(page -> !TELLS_OF_OTHER_NAMES.test(page.path())).toList();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyNameOnItExists(Page page) throws IOException {
    List<String> code =
        Stream.concat(page.spans().stream(), page.code().stream().map(Page.Block::text)).toList();
    String makefile = Files.readString(Path.of("Makefile"));
    JsonNode values = new YAMLMapper().readTree(CHART.resolve("values.yaml").toFile());

    assertThat(unknown(code, KEY, source::contains)).as("labels, annotations").isEmpty();
    assertThat(unknown(code, VARIABLE, WORDS::contains)).as("variables").isEmpty();
    assertThat(unknown(code, METRIC, source::contains)).as("metrics").isEmpty();
    assertThat(unknown(code, TARGET, text -> makefile.contains("\n" + text + ":")))
        .as("targets of make")
        .isEmpty();
    assertThat(unknown(code, COMMAND, text -> help.contains("\n  " + text + " ")))
        .as("commands of the plugin")
        .isEmpty();
    assertThat(unknown(code, VALUE, text -> isValue(values, text))).as("values").isEmpty();
    assertThat(unknown(page.spans(), FIELD, text -> FIELDS.contains(text.replace("[]", ""))))
        .as("fields")
        .isEmpty();
    assertThat(unknown(page.spans(), FILE, text -> Files.exists(Path.of(text))))
        .as("files")
        .isEmpty();
    List<String> said = page.spans().stream().filter(span -> SAYS.matcher(span).matches()).toList();
    assertThat(unknown(said, NAME, WORDS::contains)).as("reasons and the like").isEmpty();
  }

  /** A shell splits what is in braces, and an upgrade with a value forgets the others. */
  @ParameterizedTest
  @MethodSource("pages")
  void commandsOfHelmCanBePasted(Page page) {
    List<String> commands =
        Stream.concat(page.spans().stream(), page.code().stream().map(Page.Block::text))
            .flatMap(text -> text.replace("\\\n", " ").lines())
            .filter(line -> line.contains("--set ") || line.contains("helm install "))
            .toList();

    assertThat(commands).noneMatch(line -> BARE_LIST.matcher(line).find());
    assertThat(commands)
        .filteredOn(line -> line.contains("helm upgrade "))
        .allMatch(line -> line.contains(" --reset-then-reuse-values"));
    assertThat(commands)
        .filteredOn(line -> line.contains("helm install "))
        .as("no image is published yet")
        .allMatch(line -> line.contains(" --set image.repository="));
  }

  private static List<String> unknown(
      List<String> texts, Pattern pattern, Predicate<String> exists) {
    return texts.stream()
        .flatMap(text -> pattern.matcher(text).results())
        .map(match -> match.groupCount() == 0 ? match.group() : match.group(1))
        .filter(exists.negate())
        .filter(text -> !OF_OTHERS.contains(text))
        .toList();
  }

  /** Returns whether the chart has the value; users fill the empty ones: settings, labels. */
  private static boolean isValue(JsonNode values, String path) {
    JsonNode value = values;
    for (String key : path.split("\\.")) {
      if (value.isObject() && value.isEmpty()) {
        return true;
      }
      value = value.path(key);
    }
    return !value.isMissingNode();
  }

  private static void addFields(JsonNode schema, String path) {
    FIELDS.add(path);
    String below = path.isEmpty() ? "" : path + ".";
    schema
        .path("properties")
        .properties()
        .forEach(entry -> addFields(entry.getValue(), below + entry.getKey()));
    if (schema.has("items")) {
      addFields(schema.get("items"), path);
    }
  }

  private static List<Path> filesOf(String place) throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(place))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static String textOf(Path file) {
    try {
      return Files.readString(file);
    } catch (MalformedInputException e) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
