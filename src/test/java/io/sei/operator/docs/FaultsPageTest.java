package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every fault in docs/dev/faults.md is open, or names tests that exist. */
class FaultsPageTest {

  private static final Path PAGE = Path.of("docs", "dev", "faults.md");

  /** The number of the fault, what was wrong, and the state: open, or the tests. */
  private static final Pattern ROW = Pattern.compile("- `([A-Za-z0-9-]+)` (.+): (.+)");

  private static final Pattern NAME = Pattern.compile("`([^`]+)`");

  private static Set<String> tests;

  /** One fault. */
  record Row(String number, String state) {}

  static List<Row> rows() throws IOException {
    return Files.readAllLines(PAGE).stream()
        .filter(line -> line.startsWith("- "))
        .map(FaultsPageTest::row)
        .toList();
  }

  @BeforeAll
  static void findTests() throws IOException {
    tests = new HashSet<>();
    for (String root :
        List.of("src/test/java", "src/test/resources", "src/testkit", "src/kubectl-sei")) {
      try (Stream<Path> files = Files.walk(Path.of(root))) {
        files.map(file -> file.getFileName().toString().replace(".java", "")).forEach(tests::add);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void fixedFaultsNameTestsThatExist(Row row) {
    if (row.state().equals("open")) {
      return;
    }
    List<String> named =
        NAME.matcher(row.state())
            .results()
            .map(MatchResult::group)
            .map(FaultsPageTest::bare)
            .toList();

    assertThat(named).as("tests of %s", row.number()).isNotEmpty();
    assertThat(tests).containsAll(named);
  }

  @Test
  void everyFaultIsListedOnce() throws IOException {
    assertThat(rows().stream().map(Row::number)).doesNotHaveDuplicates().hasSizeGreaterThan(100);
  }

  private static Row row(String line) {
    var matcher = ROW.matcher(line);
    assertThat(matcher.matches()).as("a fault: %s", line).isTrue();
    return new Row(matcher.group(1), matcher.group(3));
  }

  private static String bare(String quoted) {
    return quoted.replace("`", "");
  }
}
