package io.sei.operator.fleet;

import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The kubectl plugin, run in one namespace by one shell with a real kubectl. */
record KubectlSei(ControlPlane controlPlane, String namespace, List<String> shell) {

  static final Path PLUGIN = Path.of("deploy", "kubectl-sei").toAbsolutePath();

  /** Runs it to its end. */
  KubectlResult run(String... arguments) {
    return controlPlane.callingKubectl("", command(arguments));
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
