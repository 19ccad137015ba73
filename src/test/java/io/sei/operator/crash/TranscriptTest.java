package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the writes of the operator in each scenario of the crash sweep with a reviewed file: a
 * change of structure changes none of them. Of repeated writes the first counts; the number of
 * status writes depends on the speed of the machine. {@code -Dgolden.update=true} writes the files
 * again.
 */
@RealControlPlane
@Tag("long")
class TranscriptTest {

  private static final Path FILES = Path.of("src/test/resources/transcripts");

  static Stream<ScenarioKind> scenarios() {
    return ScenarioKind.ALL.stream();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void writesAreThoseOfTheTranscript(ScenarioKind kind, ControlPlane plane, TestNamespace namespace)
      throws IOException {
    String written;
    try (var sidecar = new SidecarSimulator().version(SidecarVersion.V0_0_70);
        var world = World.open(plane, namespace.name() + "-0", sidecar)) {
      var scenario = kind.in().apply(world);
      scenario.prepare();
      world.operator().requests().clear();
      scenario.begin();
      World.eventually(scenario::assertDone);
      written = transcript(world);
    }
    Path file = file(kind);
    if (Boolean.getBoolean("golden.update")) {
      Files.createDirectories(FILES);
      Files.writeString(file, written);
    }

    assertThat(written)
        .as("%s; if the change is meant, run this test with -Dgolden.update=true", file)
        .isEqualTo(Files.readString(file));
  }

  /** Returns the transcript of a scenario. */
  static Path file(ScenarioKind kind) {
    return FILES.resolve(kind.name().replace(' ', '-') + ".txt");
  }

  private static String transcript(World world) {
    List<String> lines =
        world.operator().requests().matching(Request::isWrite).stream()
            .map(request -> line(request, world.namespace()))
            .distinct()
            .toList();
    return String.join("\n", lines) + "\n";
  }

  /** A write without what differs from run to run: namespace, hashes and times in names. */
  private static String line(Request request, String namespace) {
    String path =
        request
            .path()
            .replaceFirst(".*/namespaces/" + namespace + "/", "")
            .replaceFirst("(?<=/seisigningkeys/).*", "KEY")
            .replaceAll("-[0-9a-f]{5,}(?=/|-|$)", "-HASH");
    return request.method() + " " + path;
  }
}
