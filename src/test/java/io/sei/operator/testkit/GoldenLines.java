package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A text that a test makes and a file of the repository has, line by line. */
public final class GoldenLines {

  private GoldenLines() {}

  /** Compares; with {@code -Dgolden.update=true} writes the file first. */
  public static void check(Path file, Stream<String> made) {
    List<String> lines = made.toList();
    try {
      if (Boolean.getBoolean("golden.update")) {
        Files.write(file, lines);
      }
      assertThat(lines)
          .as("%s; if the change is meant, run this test with -Dgolden.update=true", file)
          .isEqualTo(Files.readAllLines(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
