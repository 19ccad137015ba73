package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every change of what is rendered shows in the diff of a file that somebody reviews. */
class GoldenFileTest {

  private static final Path FILES = Path.of("src/test/resources/render");
  private static final String UPDATE = "golden.update";

  static List<Rendering> examples() {
    return Rendering.examples();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void whatIsRenderedIsInTheFile(Rendering example) throws IOException {
    var file = file(example);
    if (Boolean.getBoolean(UPDATE)) {
      Files.writeString(file, example.yaml());
    }

    assertThat(file).as(howToUpdate()).exists();
    assertThat(firstDifference(Files.readString(file), example.yaml()))
        .as("%s: %s", file, howToUpdate())
        .isEmpty();
  }

  @Test
  void everyFileHasAnExample() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      assertThat(files)
          .containsExactlyInAnyOrderElementsOf(
              examples().stream().map(GoldenFileTest::file).toList());
    }
  }

  /** Two whole files in a failure's message would bury what it has to say. */
  private static String firstDifference(String expected, String actual) {
    if (expected.equals(actual)) {
      return "";
    }
    var wanted = expected.lines().toList();
    var got = actual.lines().toList();
    int line = 0;
    while (line < Math.min(wanted.size(), got.size()) && wanted.get(line).equals(got.get(line))) {
      line++;
    }
    return "line %d: file '%s', rendered '%s'"
        .formatted(line + 1, lineOf(wanted, line), lineOf(got, line));
  }

  private static String lineOf(List<String> lines, int index) {
    return index < lines.size() ? lines.get(index) : "(end of file)";
  }

  private static Path file(Rendering example) {
    return FILES.resolve(example.name() + ".yaml");
  }

  private static String howToUpdate() {
    return "what nodes are made of changed: running pods are not restarted for it, but say that they"
        + " should be (RestartPending). If it is meant, run 'mvn test -Dtest=GoldenFileTest -D"
        + UPDATE
        + "=true' and commit the difference";
  }
}
