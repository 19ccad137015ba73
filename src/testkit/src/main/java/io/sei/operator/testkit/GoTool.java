package io.sei.operator.testkit;

import java.nio.file.Path;
import java.util.List;

/**
 * A program that is built from a Go module of the sources. That it cannot be built is an error that
 * says why, never a reason to skip.
 *
 * @param module directory of {@code src}
 * @param mainPackage its last part is the program's name
 */
public record GoTool(String module, String mainPackage) {

  private static final Path DIRECTORY = Path.of("target", "tools").toAbsolutePath();

  /** Builds the program unless its sources have been built before; returns its path. */
  public Path find() {
    String script = Path.of("hack", "go-tool.sh").toString();
    DebianTool.Run found =
        DebianTool.execute(
            Path.of("").toAbsolutePath(),
            List.of(script, DIRECTORY.toString(), module, mainPackage));
    if (found.exitCode() != 0) {
      throw new IllegalStateException(found.output());
    }
    return DIRECTORY.resolve(mainPackage.substring(mainPackage.lastIndexOf('/') + 1));
  }
}
