package io.sei.operator.testkit.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.Executable;
import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code hack/as-machine.sh} where it cannot work: it prints one line with the reason, and
 * changes nothing.
 */
class AsMachineScriptTest {

  /** Programs that the script runs before it has made sure of its place. */
  private static final List<String> TOOLS =
      List.of("bash", "dirname", "grep", "sh", "mount", "flock", "find", "setpriv", "nsenter");

  @TempDir Path temp;

  private final Map<String, String> fakes =
      new LinkedHashMap<>(
          Map.of("uname", "echo Linux", "id", "echo 0", "unshare", "exit 0", "ip", "exit 0"));

  @Test
  void fitsAMachineThatHasEverything() throws Exception {
    assertThat(check()).isEmpty();
  }

  @Test
  void saysThatItNeedsLinux() throws Exception {
    fakes.put("uname", "echo Darwin");

    assertThat(check())
        .contains("as-machine: error: a node of Kubernetes needs Linux, and this is Darwin");
  }

  @Test
  void saysThatItNeedsRoot() throws Exception {
    fakes.put("id", "echo 1000");

    assertThat(check())
        .contains("as-machine: error: a node of Kubernetes needs root: run 'sudo make test-node'");
  }

  @Test
  void namesTheToolThatIsMissing() throws Exception {
    fakes.remove("ip");

    assertThat(check())
        .contains(
            "as-machine: error: no ip here. Install the packages util-linux, iproute2 and"
                + " findutils.");
  }

  @Test
  void saysThatAContainerWithoutRightsWillNotDo() throws Exception {
    fakes.put("unshare", "echo 'unshare failed: Operation not permitted' >&2; exit 1");

    assertThat(check().orElseThrow())
        .startsWith("as-machine: error: this kernel, or the container this runs in")
        .endsWith("Run it on a machine, or in a privileged container.");
  }

  /** The one line it says, if it refuses. */
  private Optional<String> check() throws IOException, InterruptedException {
    Path tools = Files.createDirectories(temp.resolve("tools"));
    for (String tool : TOOLS) {
      fakes.put(tool, "exec %s \"$@\"".formatted(installed(tool)));
    }
    for (var fake : fakes.entrySet()) {
      Path file = Files.writeString(tools.resolve(fake.getKey()), "#!/bin/sh\n" + fake.getValue());
      Executable.make(file);
    }
    Path script = ControlPlaneBinaries.projectDirectory().resolve("hack/as-machine.sh");
    var builder =
        new ProcessBuilder("/bin/bash", script.toString(), "--check").redirectErrorStream(true);
    builder.environment().put("PATH", tools.toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes()).strip();
    assertThat(said.lines().count()).as(said).isLessThanOrEqualTo(1);
    assertThat(process.waitFor()).as(said).isEqualTo(said.isEmpty() ? 0 : 1);
    return Optional.of(said).filter(text -> !text.isEmpty());
  }

  private static Path installed(String tool) {
    return List.of(System.getenv("PATH").split(":")).stream()
        .map(directory -> Path.of(directory, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no " + tool + " on the PATH"));
  }
}
