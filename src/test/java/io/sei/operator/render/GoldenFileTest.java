package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.GoldenLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares rendered objects with reviewed files, so that every change shows in a diff. */
class GoldenFileTest {

  private static final Path FILES = Path.of("src/test/resources/render");
  private static final String UPDATE = "golden.update";
  private static final String HOW_TO_UPDATE =
      "what nodes are made of changed: running pods are not restarted for it, but say that they"
          + " should be (RestartPending). If it is meant, run 'mvn test -Dtest=GoldenFileTest -D"
          + UPDATE
          + "=true' and commit the difference";

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

    GoldenLines.compare(file, example.yaml(), HOW_TO_UPDATE);
  }

  @Test
  void everyFileHasAnExample() throws IOException {
    try (Stream<Path> files = Files.list(FILES)) {
      assertThat(files)
          .containsExactlyInAnyOrderElementsOf(
              examples().stream().map(GoldenFileTest::file).toList());
    }
  }

  private static Path file(Rendering example) {
    return FILES.resolve(example.name() + ".yaml");
  }
}
