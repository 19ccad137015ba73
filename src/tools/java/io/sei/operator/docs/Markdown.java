package io.sei.operator.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes the tables of generated pages. */
public final class Markdown {

  private Markdown() {}

  /** A row of a table. */
  public static String row(String... cells) {
    return Stream.of(cells).collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  /** A text that is shown as code. */
  public static String code(String text) {
    return "`" + text + "`";
  }

  /** Texts that are shown as code, separated by commas. */
  public static String codes(Collection<String> texts) {
    return texts.stream().map(Markdown::code).collect(Collectors.joining(", "));
  }

  /** A text in which nothing ends the cell of a table. */
  public static String cell(String text) {
    return text.replace("|", "\\|");
  }

  /** Reads a file that a page is generated from. */
  public static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
