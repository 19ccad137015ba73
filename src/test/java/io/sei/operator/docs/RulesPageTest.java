package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of rules names tests that exist, and each break with the test that it turns red. */
class RulesPageTest {

  private static final Path PAGE = Path.of("docs", "dev", "rules.md");
  private static final Path BREAKS = Path.of("hack", "breaks");
  private static final Pattern ROW = Pattern.compile("\\| .+ \\| (`.+`) \\| (?:`(.+)` )?\\|");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");
  private static final Pattern RED = Pattern.compile("(?m)^Red: ([^#\\n]+)(?:#.+)?$");

  private static final Pattern SOURCE = Pattern.compile("(?m)^--- a/(.+)$");
  private static final Pattern HUNK = Pattern.compile("(?m)^@@.*\\n");

  @Test
  void everyTestExists() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src", "test", "java"));
        Stream<Path> ofTheKit = Files.walk(Path.of("src", "testkit"))) {
      Set<String> known =
          Stream.concat(files, ofTheKit)
              .map(file -> file.getFileName().toString().replace(".java", ""))
              .collect(Collectors.toSet());

      assertThat(rows().flatMap(row -> tests(row).stream())).isNotEmpty().isSubsetOf(known);
    }
  }

  @Test
  void everyBreakIsListedWithItsTest() throws IOException {
    Map<String, List<String>> listed = new TreeMap<>();
    rows().filter(row -> row.group(2) != null).forEach(row -> listed.put(row.group(2), tests(row)));

    assertThat(listed).isEqualTo(breaks());
  }

  /** A change of a guarded line is noticed here, not only by the next run of the breaks. */
  @Test
  void everyBreakFitsTheCode() throws IOException {
    try (Stream<Path> files = Files.list(BREAKS)) {
      for (Path file : files.toList()) {
        String patch = Files.readString(file);
        Matcher source = SOURCE.matcher(patch);
        assertThat(source.find()).as("%s changes a file", file).isTrue();
        assertThat(Files.readString(Path.of(source.group(1))))
            .as("%s is out of date: write the change to this code again", file)
            .contains(HUNK.splitAsStream(patch).skip(1).map(RulesPageTest::before).toList());
      }
    }
  }

  /** Returns the lines of a hunk that are there before it is applied. */
  private static String before(String hunk) {
    return hunk.lines()
        .filter(line -> line.startsWith(" ") || line.startsWith("-"))
        .map(line -> line.substring(1))
        .collect(Collectors.joining("\n"));
  }

  private static Map<String, List<String>> breaks() throws IOException {
    Map<String, List<String>> breaks = new TreeMap<>();
    try (Stream<Path> files = Files.list(BREAKS)) {
      for (Path file : files.toList()) {
        Matcher red = RED.matcher(Files.readString(file));
        assertThat(red.find()).as("%s has a line 'Red: Name'", file).isTrue();
        breaks.put(file.getFileName().toString().replace(".patch", ""), List.of(red.group(1)));
      }
    }
    return breaks;
  }

  private static Stream<Matcher> rows() throws IOException {
    return Files.readAllLines(PAGE).stream().map(ROW::matcher).filter(Matcher::matches);
  }

  private static List<String> tests(Matcher row) {
    return NAME.matcher(row.group(1)).results().map(name -> name.group(1)).toList();
  }
}
