package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Server-side apply takes away what is no longer rendered, but not what the API server put beside
 * it by default. Of a volume that is left out, or given another source, a stub stays in the
 * StatefulSet, and no pod can be made with it. (Probes are taken away before: {@code StaleProbes}.)
 */
class RenderedVolumesTest {

  private static final Path RELEASES = Path.of("src", "test", "resources", "rendered-volumes");
  private static final Path RECORDED = Path.of("target", "rendered-volumes.txt");
  private static final YAMLMapper YAML = new YAMLMapper();

  static List<Path> releases() throws IOException {
    try (Stream<Path> files = Files.list(RELEASES)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void noneThatAReleaseRenderedIsLeftOutOrOfAnotherKind(Path release) throws IOException {
    Map<String, Set<String>> now = rendered();
    List<String> lines = lines(now);
    Files.write(RECORDED, lines);

    assertThat(Files.readAllLines(release))
        .isNotEmpty()
        .filteredOn(line -> now.containsKey(line.split(": ")[0]))
        .isSubsetOf(lines);
  }

  private static List<String> lines(Map<String, Set<String>> rendered) {
    return rendered.entrySet().stream()
        .flatMap(place -> place.getValue().stream().map(kind -> place.getKey() + ": " + kind))
        .toList();
  }

  /** By example and volume; one that goes as a whole leaves nothing behind. */
  private static Map<String, Set<String>> rendered() throws IOException {
    var rendered = new TreeMap<String, Set<String>>();
    for (Rendering example : Rendering.examples()) {
      JsonNode pod = podOf(example);
      elements(pod.path("volumes"))
          .forEach(
              volume -> rendered.put(place(example, "volume", volume), kinds("source", volume)));
    }
    return rendered;
  }

  private static JsonNode podOf(Rendering example) throws IOException {
    try (MappingIterator<JsonNode> objects =
        YAML.readerFor(JsonNode.class).readValues(example.yaml())) {
      return objects.next().at("/spec/template/spec");
    }
  }

  private static String place(Rendering example, String what, JsonNode element) {
    return "%s, %s %s".formatted(example.name(), what, element.path("name").asText());
  }

  /** Its fields that are objects say what kind it is: configMap, secret. */
  private static Set<String> kinds(String what, JsonNode node) {
    Set<String> kinds = new TreeSet<>();
    node.fields()
        .forEachRemaining(
            field -> {
              if (field.getValue().isObject()) {
                kinds.add(what + " " + field.getKey());
              }
            });
    return kinds;
  }

  private static Stream<JsonNode> elements(JsonNode list) {
    return Stream.iterate(0, i -> i < list.size(), i -> i + 1).map(list::get);
  }
}
