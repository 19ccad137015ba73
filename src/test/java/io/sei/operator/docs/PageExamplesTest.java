package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the examples that a reader copies from a page, and the stated defaults: fields of
 * manifests and patches, flags of the plugin, values of the chart.
 */
class PageExamplesTest {

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path CHART = Path.of("deploy", "helm", "sei-operator");

  private static final Map<String, String> SHORT =
      Map.of(
          "seinode", "SeiNode",
          "snode", "SeiNode",
          "snd", "SeiNodeDeployment",
          "seisigningkey", "SeiSigningKey");

  private static final Pattern PATCH =
      Pattern.compile("patch (" + String.join("|", SHORT.keySet()) + ")[ /].*?-p '(\\{.*?})'");
  private static final Pattern SEI = Pattern.compile("kubectl sei ([^|\\n`)]*)");
  private static final Pattern FLAG = Pattern.compile("(?<![\\w-])--?[a-z][a-z-]*");
  private static final Pattern VALUE = Pattern.compile("([a-z]\\w*(?:\\.\\w+)+)(?:[=:].*)?");
  private static final Pattern SWITCH =
      Pattern.compile("`([a-z]\\w*(?:\\.\\w+)+)`, (on|off) by default");
  private static final Pattern UNSET =
      Pattern.compile("`(spec\\.[\\w.]+)`,\\s+((?:\\S+\\s)?\\S+)\\s+if\\s+unset");
  private static final Pattern KEY = Pattern.compile("( *(?:- )?)(\\w+):.*?(?:# .*)?");
  private static final Pattern COMMENT = Pattern.compile("# .*?(\\w+) \\(?if unset\\)?.*");

  private static final Map<String, JsonNode> KINDS = new TreeMap<>();
  private static String plugin = "";

  static List<Page> pages() throws IOException {
    return Page.all().stream()
        .filter(page -> !page.path().startsWith("docs/decisions"))
        .filter(page -> !page.path().endsWith("CHANGELOG.md"))
        .toList();
  }

  @BeforeAll
  static void readWhatThereIs() throws IOException {
    try (Stream<Path> crds = Files.list(Path.of("crds"))) {
      for (Path crd : crds.toList()) {
        JsonNode definition = YAML.readTree(crd.toFile());
        KINDS.put(
            definition.at("/spec/names/kind").asText(),
            definition.at("/spec/versions/0/schema/openAPIV3Schema"));
      }
    }
    plugin = Files.readString(Path.of("docs", "kubectl-plugin.md"));
  }

  /** An earlier release ignores the height and runs on. */
  @Test
  void aFrozenNodeIsOfAReleaseThatFreezes() throws IOException {
    Path sample = Path.of("manifests", "samples", "full-node-frozen.yaml");
    assertThat(YAML.readTree(sample.toFile()).at("/spec/image").asText()).endsWith(":v6.6.4");
    assertThat(Files.readString(Path.of("docs", "crds.md")))
        .contains("Needs seid v6.6.3; EVM RPC after a restart needs v6.6.4")
        .doesNotContain("seid v6.6.2");
    assertThat(Files.readString(Path.of("docs", "running-nodes.md"))).doesNotContain("seid v6.6.2");
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyFieldOfAnExampleExists(Page page) throws IOException {
    List<String> unknown = new ArrayList<>();
    for (Page.Block block : page.code()) {
      if (block.language().equals("yaml") && block.text().startsWith("spec:")) {
        unknown.addAll(unknownInEvery(YAML.readTree(block.text())));
      }
    }
    for (String text : code(page)) {
      Matcher patch = PATCH.matcher(text.replace("\\\n", " "));
      while (patch.find()) {
        JsonNode schema = KINDS.get(SHORT.get(patch.group(1)));
        addUnknown(JSON.readTree(patch.group(2)), schema, "", unknown);
      }
    }
    assertThat(unknown).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyFlagOfThePluginExists(Page page) {
    List<String> flags =
        code(page).stream()
            .flatMap(text -> SEI.matcher(text).results())
            .flatMap(command -> FLAG.matcher(command.group(1).replaceFirst("#.*", "")).results())
            .map(flag -> flag.group())
            .toList();

    assertThat(flags).allSatisfy(flag -> assertThat(plugin).containsPattern(flag + "\\b"));
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyValueOfTheChartExists(Page page) throws IOException {
    JsonNode values = values();

    assertThat(page.spans().stream().map(VALUE::matcher).filter(Matcher::matches))
        .extracting(match -> match.group(1))
        .filteredOn(path -> values.has(path.split("\\.")[0]))
        .filteredOn(path -> !page.path().endsWith("configuration.md"))
        .allSatisfy(path -> assertThat(value(values, path).isMissingNode()).as(path).isFalse());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void whatHoldsByDefaultIsWhatThePageSays(Page page) throws IOException {
    String text = Files.readString(page.path());
    JsonNode values = values();

    SWITCH
        .matcher(text)
        .results()
        .forEach(
            match ->
                assertThat(value(values, match.group(1)).asText())
                    .as(match.group())
                    .isEqualTo(String.valueOf(match.group(2).equals("on"))));
    UNSET
        .matcher(text)
        .results()
        .forEach(match -> assertDefault(match.group(1), match.group(2).replaceAll("\\s+", " ")));
    for (Page.Block block : page.code()) {
      if (block.language().equals("yaml") && block.text().startsWith("spec:")) {
        assertDefaultsInComments(block.text());
      }
    }
  }

  /** The comment of a field says what is done where the field is left out. */
  private static void assertDefaultsInComments(String manifest) {
    Deque<String> path = new ArrayDeque<>();
    Deque<Integer> indents = new ArrayDeque<>();
    for (String line : manifest.lines().toList()) {
      Matcher key = KEY.matcher(line);
      if (key.matches()) {
        while (!indents.isEmpty() && indents.peekLast() >= key.group(1).length()) {
          indents.removeLast();
          path.removeLast();
        }
        indents.addLast(key.group(1).length());
        path.addLast(key.group(2));
        Matcher comment = COMMENT.matcher(line.substring(Math.max(0, line.indexOf("# "))));
        if (comment.matches()) {
          assertDefault(String.join(".", path), comment.group(1));
        }
      }
    }
  }

  /** Compares with the default of whichever kind has the field: the reference describes it. */
  private static void assertDefault(String path, String value) {
    List<String> descriptions =
        KINDS.values().stream()
            .map(schema -> schema.at("/properties/" + path.replace(".", "/properties/")))
            .filter(field -> !field.isMissingNode())
            .map(field -> field.path("description").asText())
            .toList();

    assertThat(descriptions).as(path).isNotEmpty();
    assertThat(descriptions)
        .as(path + ": " + value)
        .anyMatch(text -> text.matches("(?s).*\\b" + Pattern.quote(value) + "\\)? \\(?if unset.*"));
  }

  /** A manifest without a kind is of a node or of a fleet. */
  private static List<String> unknownInEvery(JsonNode manifest) {
    List<String> least = null;
    for (JsonNode schema : KINDS.values()) {
      List<String> unknown = new ArrayList<>();
      addUnknown(manifest, schema, "", unknown);
      if (least == null || unknown.size() < least.size()) {
        least = unknown;
      }
    }
    return least;
  }

  private static void addUnknown(JsonNode value, JsonNode schema, String at, List<String> unknown) {
    if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
      return;
    }
    if (value.isArray()) {
      value.forEach(json -> addUnknown(json, schema.path("items"), at + "[]", unknown));
      return;
    }
    value
        .properties()
        .forEach(
            entry -> {
              String path = at + "." + entry.getKey();
              JsonNode field = schema.path("properties").path(entry.getKey());
              if (field.isMissingNode()) {
                field = schema.path("additionalProperties");
              }
              if (!field.isMissingNode()) {
                addUnknown(entry.getValue(), field, path, unknown);
              } else if (!path.equals(".metadata")) {
                unknown.add(path);
              }
            });
  }

  /** Returns a value of the chart; users fill the empty ones. */
  private static JsonNode value(JsonNode values, String path) {
    JsonNode value = values;
    for (String key : path.split("\\.")) {
      if (value.isObject() && value.isEmpty()) {
        return value;
      }
      value = value.path(key);
    }
    return value;
  }

  private static JsonNode values() throws IOException {
    return YAML.readTree(CHART.resolve("values.yaml").toFile());
  }

  private static List<String> code(Page page) {
    return Stream.concat(page.spans().stream(), page.code().stream().map(Page.Block::text))
        .toList();
  }
}
