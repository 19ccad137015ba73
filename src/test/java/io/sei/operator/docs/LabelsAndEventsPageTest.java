package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.LabelKeys;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page of labels, annotations and Events lists those of the code. */
class LabelsAndEventsPageTest {

  private static final Pattern KEY =
      Pattern.compile("(sei\\.io|[a-z.]+\\.(io|sh))/[a-z-]+[a-zA-Z]");

  /** An Event whose reason is written where it is recorded. */
  private static final Pattern EVENT =
      Pattern.compile("\\b(?:normal|warning|EventRule\\.one)\\(\\s*\"([A-Z][A-Za-z]+)\"");

  /** The first part of a reason that a condition completes. */
  private static final String OF_VOLUMES = "DataVolume";

  /** Keys of webhooks of clouds, and one that is read for a hint only. */
  private static final List<String> OF_OTHERS =
      List.of(
          "eks.amazonaws.com/skip-containers",
          "azure.workload.identity/skip-containers",
          "kubectl.kubernetes.io/restartedAt");

  private static String page;

  @BeforeAll
  static void read() throws IOException {
    page = Files.readString(Path.of("docs", "labels-and-events.md"));
  }

  @Test
  void everyKeyOfTheCodeIsListed() {
    assertThat(
            Stream.of(Labels.class, LabelKeys.class, Annotations.class)
                .flatMap(LabelsAndEventsPageTest::keys))
        .filteredOn(key -> !OF_OTHERS.contains(key) && !isListed(key))
        .isEmpty();
  }

  @Test
  void everyEventOfTheCodeIsListed() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
      assertThat(
              files
                  .filter(file -> file.toString().endsWith(".java"))
                  .flatMap(LabelsAndEventsPageTest::events))
          .hasSizeGreaterThan(40)
          .filteredOn(reason -> !reason.equals(OF_VOLUMES) && !isListed(reason))
          .isEmpty();
    }
  }

  private static boolean isListed(String name) {
    return page.contains("`" + name + "`");
  }

  private static Stream<String> keys(Class<?> holder) {
    return Stream.of(holder.getDeclaredFields())
        .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == String.class)
        .map(LabelsAndEventsPageTest::value)
        .filter(value -> KEY.matcher(value).matches());
  }

  private static String value(Field field) {
    try {
      field.setAccessible(true);
      return (String) field.get(null);
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  private static Stream<String> events(Path file) {
    try {
      return EVENT
          .matcher(Files.readString(file))
          .results()
          .map(match -> match.group(1))
          .toList()
          .stream();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
