package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The rows of docs/dev/changes-of-the-house.md have the form that hack/diff-transcripts reads. */
class ChangesPageTest {

  private static final Path PAGE = Path.of("docs", "dev", "changes-of-the-house.md");

  private static final Pattern CODE = Pattern.compile("`([^`]*)`");

  @Test
  void everyRowNamesPatternsFilesAndReason() throws IOException {
    List<String> table =
        Files.readAllLines(PAGE).stream().filter(line -> line.startsWith("|")).toList();

    assertThat(table).startsWith("| What differs | Files | Why |", "|---|---|---|");
    assertThat(table.stream().skip(2)).allSatisfy(ChangesPageTest::assertReadable);
  }

  private static void assertReadable(String row) {
    List<String> cells = List.of(row.split("(?<!\\\\)\\|", -1));
    assertThat(cells).as("the columns, and the ends").hasSize(5);
    assertThat(code(cells.get(1)))
        .isNotEmpty()
        .allSatisfy(
            pattern -> {
              assertThat(pattern).matches("[-+±]\\S.*");
              assertThatCode(() -> Pattern.compile(pattern.substring(1)))
                  .doesNotThrowAnyException();
            });
    assertThat(code(cells.get(2)))
        .isNotEmpty()
        .allSatisfy(
            file ->
                assertThat(file)
                    .matches(
                        "messages\\.txt|(fleets|nodes|\\*)-decisions\\.txt|an?-\\S+|the-\\S+"));
    assertThat(cells.get(3)).isNotBlank();
  }

  private static List<String> code(String cell) {
    return CODE.matcher(cell.replace("\\|", "|")).results().map(ChangesPageTest::first).toList();
  }

  private static String first(MatchResult found) {
    return found.group(1);
  }
}
