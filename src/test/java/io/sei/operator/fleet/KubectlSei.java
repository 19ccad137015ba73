package io.sei.operator.fleet;

import io.sei.operator.testkit.DebianTool;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The kubectl plugin, run in one namespace by one shell with a real kubectl. */
public record KubectlSei(ControlPlane controlPlane, String namespace, List<String> shell) {

  static final Path PLUGIN = Path.of("deploy", "kubectl-sei").toAbsolutePath();

  /** Runs it to its end. */
  public KubectlResult run(String... arguments) {
    return controlPlane.callingKubectl("", command(arguments));
  }

  /** Runs it with the awk of macOS, of which a link is made in a directory. */
  KubectlResult runAsOnMacos(Path directory, String... arguments) {
    return controlPlane.callingKubectl(awkOfMacos(directory).toString(), command(arguments));
  }

  /** A directory below another, with the awk of macOS as {@code awk}. */
  static Path awkOfMacos(Path directory) {
    Path awk = directory.resolve("macos").resolve("awk");
    if (Files.notExists(awk)) {
      try {
        Files.createDirectory(awk.getParent());
        Files.createSymbolicLink(awk, DebianTool.ORIGINAL_AWK.find());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return awk.getParent();
  }

  /** What runs it. */
  List<String> command(String... arguments) {
    return Stream.of(
            shell.stream(),
            Stream.of(PLUGIN.toString()),
            Stream.of(arguments),
            Stream.of("-n", namespace))
        .flatMap(it -> it)
        .toList();
  }
}
