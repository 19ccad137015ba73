package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.fleet.Fleets;
import io.sei.operator.node.OfflineNode;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page on the architecture has which feature implements which hook. */
class FeatureTableTest {

  private static final Path PAGE = Path.of("docs/dev/architecture.md");

  private static final String END = "\n\n";

  @Test
  void tableOfFeaturesIsThatOfTheCode() throws IOException {
    var ofNodes = new LinkedHashMap<String, Set<String>>();
    ofNodes.put("effective", Set.of("effective", "setAside"));
    ofNodes.put("pod", Set.of("pod", "recreateReason"));
    ofNodes.put("tasks", Set.of("tasks", "sidecarWork", "steps"));
    ofNodes.put("config", Set.of("config"));
    ofNodes.put("planTriggers", Set.of("planTriggers"));
    ofNodes.put("veto", Set.of("veto"));
    ofNodes.put("observe", Set.of("protect", "observe"));
    ofNodes.put("sync", Set.of("sync", "keep"));
    ofNodes.put("record", Set.of("record"));
    ofNodes.put("offer", Set.of("offer", "suspendsDeadline"));
    ofNodes.put("report", Set.of("report"));
    ofNodes.put("events", Set.of("events"));
    ofNodes.put("gauges", Set.of("gauges"));
    var ofFleets = new LinkedHashMap<String, Set<String>>();
    ofFleets.put("seen", Set.of("seen"));
    ofFleets.put("given", Set.of("given"));
    ofFleets.put("advance", Set.of("advance"));
    ofFleets.put("keep", Set.of("keep"));
    ofFleets.put("leave", Set.of("leave", "release"));
    ofFleets.put("report", Set.of("report"));
    ofFleets.put("events", Set.of("events"));
    ofFleets.put("gauges", Set.of("gauges"));

    holds(table("Of a node", OfflineNode.FEATURES, ofNodes));
    holds(table("Of a fleet", Fleets.FEATURES, ofFleets));
  }

  private static void holds(String table) throws IOException {
    String page = Files.readString(PAGE);
    if (Boolean.getBoolean("golden.update")) {
      int start = page.indexOf(table.substring(0, table.indexOf('\n')));
      page = page.substring(0, start) + table + page.substring(page.indexOf(END, start));
      Files.writeString(PAGE, page);
    }

    assertThat(page)
        .as("%s; if the change is meant, run this test with -Dgolden.update=true", PAGE)
        .contains(table + END);
  }

  /** Without blanks, since each would count as a word of the page. */
  private static String table(String of, List<?> features, Map<String, Set<String>> columns) {
    String head = "|" + of + "|" + String.join("|", columns.keySet()) + "|\n";
    return head
        + head.replaceAll("[^|\n]+", "---")
        + features.stream().map(it -> row(it, columns)).collect(Collectors.joining("\n"));
  }

  private static String row(Object feature, Map<String, Set<String>> columns) {
    Class<?> type = feature.getClass();
    Set<String> hooks =
        Arrays.stream(type.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .map(Method::getName)
            .collect(Collectors.toSet());
    String room = type.getPackageName().replace("io.sei.operator.", "");
    return columns.values().stream()
        .map(of -> of.stream().anyMatch(hooks::contains) ? "✓" : "")
        .collect(Collectors.joining("|", "|`%s` `%s`|".formatted(room, type.getSimpleName()), "|"));
  }
}
