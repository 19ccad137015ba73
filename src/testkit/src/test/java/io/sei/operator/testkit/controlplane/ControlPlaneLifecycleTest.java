package io.sei.operator.testkit.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlPlaneLifecycleTest {

  @Test
  void failsWithTheComponentsOwnWordsWhenItRefusesToStart() {
    var options = ControlPlane.Options.defaults().withApiServerFlags("--no-such-flag");

    assertThatThrownBy(() -> ControlPlane.start(options))
        .isInstanceOf(ComponentFailedException.class)
        .hasMessageContaining("kube-apiserver ended")
        .hasMessageContaining("no-such-flag");
  }

  /** As timeout(1) does, the second case also terminates all that is in the group of the JVM. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void componentDiesWithAKilledJvm(boolean withItsGroup) throws IOException {
    Path target = ControlPlaneBinaries.projectDirectory().resolve("target");
    Path directory = Files.createTempDirectory(target, "orphan-");
    Path scratch = Files.createDirectory(directory.resolve("scratch"));
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ShortLivedParent.class.getName(),
                directory.toString())
            .inheritIO()
            .start();
    Path pidFile = directory.resolve("pid");
    // A Java that has to start among others takes its time.
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> Files.exists(pidFile) && Files.readString(pidFile).endsWith("\n"));
    long pid = Long.parseLong(Files.readString(pidFile).trim());
    assertThat(ProcessHandle.of(pid)).isPresent();

    if (withItsGroup) {
      jvm.descendants().filter(process -> process.pid() != pid).forEach(ProcessHandle::destroy);
    }
    jvm.destroyForcibly();

    await().until(() -> ProcessHandle.of(pid).isEmpty());
    await().until(() -> Files.notExists(scratch));
  }

  /** A JVM that starts one component, has its process id written to a file, and never ends. */
  static final class ShortLivedParent {
    public static void main(String[] arguments) throws InterruptedException {
      Path directory = Path.of(arguments[0]);
      String command = "echo $$ >'" + directory.resolve("pid") + "'; exec sleep 600";
      ComponentProcess.startWithScratch(
          "sleep",
          directory.resolve("log"),
          directory.resolve("scratch"),
          List.of("/bin/sh", "-c", command));
      Thread.currentThread().join();
    }
  }
}
