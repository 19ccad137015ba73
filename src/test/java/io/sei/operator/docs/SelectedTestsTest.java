package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A run of tests that runs none fails, and no command of ours is such a run. */
class SelectedTestsTest {

  private static final List<Path> TESTS =
      List.of(Path.of("src", "test", "java"), Path.of("src", "testkit", "src", "test", "java"));

  /** Names of tests, but no variable that stands for them. */
  private static final Pattern SELECTION = Pattern.compile("-Dtest=(?:'([^'$]+)'|([^\\s\"`'$]+))");

  private static final Pattern GROUPS = Pattern.compile("-Dtest\\.groups=([\\w,-]+)");
  private static final Pattern EXCLUDED = Pattern.compile("-Dtest\\.excludedGroups=([\\w,.-]+)");
  private static final Pattern PROPERTY =
      Pattern.compile("<test\\.excludedGroups>([^<]*)</test\\.excludedGroups>");

  /** The commands of the Makefile, of scripts and of pages that name tests. */
  static Stream<String> commands() throws IOException {
    try (Stream<Path> hack = Files.list(Path.of("hack"))) {
      List<Path> files =
          Stream.of(
                  Stream.of(Path.of("Makefile"), Path.of(".ci", "run")),
                  hack.filter(Files::isRegularFile),
                  Page.all().stream().map(Page::path))
              .flatMap(paths -> paths)
              .toList();
      return files.stream()
          .flatMap(SelectedTestsTest::lines)
          .filter(line -> SELECTION.matcher(line).find());
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readString(file).replace("\\\n", " ").lines();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aRunWithoutTestsFails() throws IOException {
    assertThat(Files.readString(Path.of("pom.xml")))
        .contains("<failIfNoTests>true</failIfNoTests>");
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aCommandThatNamesTestsRunsOne(String command) throws IOException {
    Set<String> groups = words(GROUPS, command, "");
    Set<String> excluded = words(EXCLUDED, command, excludedByDefault());
    Matcher selection = SELECTION.matcher(command);
    while (selection.find()) {
      String named = selection.group(1) == null ? selection.group(2) : selection.group(1);
      if (named.equals("none")) {
        assertThat(command)
            .contains("-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false");
        continue;
      }
      for (String pattern : named.split(",")) {
        if (!pattern.startsWith("!")) {
          assertThat(classes(pattern))
              .as("tests %s of: %s", pattern, command)
              .anyMatch(test -> isRun(tags(test), groups, excluded));
        }
      }
    }
  }

  private static boolean isRun(Set<String> tags, Set<String> groups, Set<String> excluded) {
    return (groups.isEmpty() || tags.stream().anyMatch(groups::contains))
        && tags.stream().noneMatch(excluded::contains);
  }

  private static String excludedByDefault() throws IOException {
    Matcher property = PROPERTY.matcher(Files.readString(Path.of("pom.xml")));
    assertThat(property.find()).isTrue();
    return property.group(1);
  }

  private static Set<String> words(Pattern option, String command, String unset) {
    Matcher given = option.matcher(command);
    String words = given.find() ? given.group(1) : unset;
    return Arrays.stream(words.split(","))
        .filter(word -> !word.isEmpty())
        .collect(Collectors.toSet());
  }

  private static List<Class<?>> classes(String pattern) throws IOException {
    Pattern name = Pattern.compile(pattern.split("#")[0].replace("*", ".*") + "\\.java");
    var classes = new ArrayList<Class<?>>();
    for (Path root : TESTS) {
      try (Stream<Path> files = Files.walk(root)) {
        files
            .filter(file -> name.matcher(file.getFileName().toString()).matches())
            .map(file -> load(root.relativize(file).toString()))
            .filter(test -> !Modifier.isAbstract(test.getModifiers()))
            .forEach(classes::add);
      }
    }
    return classes;
  }

  private static Class<?> load(String path) {
    String name = path.substring(0, path.length() - ".java".length()).replace('/', '.');
    try {
      return Class.forName(name, false, SelectedTestsTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Set<String> tags(Class<?> test) {
    return Stream.<Class<?>>iterate(test, type -> type != null, Class::getSuperclass)
        .flatMap(type -> Arrays.stream(type.getDeclaredAnnotationsByType(Tag.class)))
        .map(Tag::value)
        .collect(Collectors.toSet());
  }
}
