package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A text that is made and that a file of the repository has, line by line. */
public final class GoldenLines {

  private GoldenLines() {}

  /** Compares; with {@code -Dgolden.update=true} writes the file first. */
  public static void check(Path file, Stream<String> made) {
    List<String> lines = made.toList();
    if (Boolean.getBoolean("golden.update")) {
      try {
        Files.write(file, lines);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    compare(file, lines, "if the change is meant, run this test with -Dgolden.update=true");
  }

  /** Compares, and names in a failure the first line that differs, and the remedy. */
  public static void compare(Path file, String made, String remedy) {
    compare(file, made.lines().toList(), remedy);
  }

  private static void compare(Path file, List<String> made, String remedy) {
    assertThat(file).as(remedy).exists();
    try {
      assertThat(firstDifference(Files.readAllLines(file), made))
          .as("%s: %s", file, remedy)
          .isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Two whole files in a failure's message would bury what it has to say. */
  private static String firstDifference(List<String> file, List<String> made) {
    if (file.equals(made)) {
      return "";
    }
    int line = 0;
    while (line < Math.min(file.size(), made.size()) && file.get(line).equals(made.get(line))) {
      line++;
    }
    return "line %d: file '%s', made '%s'".formatted(line + 1, at(file, line), at(made, line));
  }

  private static String at(List<String> lines, int index) {
    return index < lines.size() ? lines.get(index) : "(end of file)";
  }
}
