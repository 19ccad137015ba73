package io.sei.operator.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.chain.Releases;
import io.sei.operator.config.ConfigKey;
import io.sei.operator.render.SpecFields;
import io.sei.operator.render.SpecFields.Effect;
import io.sei.operator.render.SpecFields.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Facts of the operator that {@code kubectl sei} is built with. */
record PluginFacts(
    String version,
    List<Field> nodeFields,
    List<String> fleetFields,
    List<String> runbooks,
    List<String> settings,
    Releases releases) {

  /** Generated file that the plugin embeds. */
  static final Path FILE = Path.of("src", "kubectl-sei", "facts.json");

  /** Generated file with the runbooks, which {@code kubectl sei runbook} prints. */
  static final Path RUNBOOKS = Path.of("src", "kubectl-sei", "runbooks.json");

  private static final Path PAGES = Path.of("docs", "runbooks");

  private static final Pattern VERSION =
      Pattern.compile("<artifactId>sei-operator</artifactId>\\s*<version>([^<]+)");

  /** Row of {@link SpecFields}. */
  record Field(String path, Effect effect, Scope scope) {}

  static String text() {
    PluginFacts facts =
        new PluginFacts(
            releaseVersion(),
            fieldsOfNodes(),
            fieldsOfFleets(),
            reasonsWithRunbook(),
            settingNames(),
            ReleaseReader.builtIn());
    return json(facts);
  }

  /** Returns each page by its name. */
  static String pages() {
    SortedMap<String, String> pages = new TreeMap<>();
    try (Stream<Path> files = Files.list(PAGES)) {
      for (Path file : files.toList()) {
        pages.put(file.getFileName().toString().replace(".md", ""), Files.readString(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return json(pages);
  }

  private static String json(Object value) {
    try {
      return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(value) + "\n";
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The one place with the version is the build's file. */
  private static String releaseVersion() {
    try {
      Matcher version = VERSION.matcher(Files.readString(Path.of("pom.xml")));
      if (!version.find()) {
        throw new IllegalStateException("pom.xml has no version of sei-operator");
      }
      return version.group(1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The mode is immutable: the API server refuses another one. */
  private static List<Field> fieldsOfNodes() {
    return SpecFields.ALL.stream()
        .filter(field -> field.effect() != Effect.MODE)
        .map(field -> new Field(field.path(), field.effect(), field.scope()))
        .toList();
  }

  private static List<String> fieldsOfFleets() {
    return Stream.of(SeiNodeDeploymentSpec.class.getRecordComponents())
        .map(RecordComponent::getName)
        .filter(name -> !name.equals("template"))
        .toList();
  }

  private static List<String> reasonsWithRunbook() {
    return Stream.concat(
            Stream.of(StallReason.values()),
            Stream.of(NodeReason.TAKEOVER_NOT_ENABLED, NodeReason.RESTART_BACK_OFF))
        .map(Object::toString)
        .toList();
  }

  private static List<String> settingNames() {
    return ConfigKey.all().stream().map(ConfigKey::name).toList();
  }
}
