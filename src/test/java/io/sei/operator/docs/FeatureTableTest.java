package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.fleet.OfflineFleet;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodeFeature;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page on the architecture has which feature implements which hook. */
class FeatureTableTest {

  private static final Path PAGE = Path.of("docs/dev/architecture.md");

  private static final String END = "\n\n";

  /** Hooks in the order of the interfaces. */
  private static final List<String> OF_NODES =
      List.of(
          "protect",
          "observe",
          "overlay",
          "pod",
          "config",
          "operations",
          "veto",
          "keep",
          "conditions");

  private static final List<String> OF_FLEETS =
      List.of("prepare", "child", "operations", "keep", "conditions", "release");

  @Test
  void tableOfFeaturesIsThatOfTheCode() throws IOException {
    holds(table("Of a node", OfflineNode.FEATURES, OF_NODES));
    holds(table("Of a fleet", OfflineFleet.FEATURES, OF_FLEETS));
  }

  @Test
  void everyHookHasAColumn() {
    assertThat(OF_NODES).containsExactlyInAnyOrderElementsOf(hooks(NodeFeature.class));
    assertThat(OF_FLEETS).containsExactlyInAnyOrderElementsOf(hooks(FleetFeature.class));
  }

  private static Set<String> hooks(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> !Modifier.isStatic(method.getModifiers()))
        .map(Method::getName)
        .collect(Collectors.toSet());
  }

  private static void holds(String table) throws IOException {
    String page = Files.readString(PAGE);
    if (Boolean.getBoolean("golden.update")) {
      int start = page.indexOf(table.substring(0, table.indexOf('|', 1)));
      page = page.substring(0, start) + table + page.substring(page.indexOf(END, start));
      Files.writeString(PAGE, page);
    }

    assertThat(page)
        .as("%s; if the change is meant, run this test with -Dgolden.update=true", PAGE)
        .contains(table + END);
  }

  /** Without blanks, since each would count as a word of the page. */
  private static String table(String of, List<?> features, List<String> columns) {
    String head = "|" + of + "|" + String.join("|", columns) + "|\n";
    return head
        + head.replaceAll("[^|\n]+", "---")
        + features.stream().map(feature -> row(feature, columns)).collect(Collectors.joining("\n"));
  }

  private static String row(Object feature, List<String> columns) {
    Class<?> type = feature.getClass();
    Set<String> hooks =
        Arrays.stream(type.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .map(Method::getName)
            .collect(Collectors.toSet());
    String room = type.getPackageName().replace("io.sei.operator.", "");
    return columns.stream()
        .map(hook -> hooks.contains(hook) ? "✓" : "")
        .collect(Collectors.joining("|", "|`%s` `%s`|".formatted(room, type.getSimpleName()), "|"));
  }
}
