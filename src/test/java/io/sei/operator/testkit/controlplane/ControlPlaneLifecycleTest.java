package io.sei.operator.testkit.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

@ExclusiveControlPlane
class ControlPlaneLifecycleTest {

  private static final TestNamespace DEFAULT = new TestNamespace("default");

  private static ControlPlane controlPlane;

  @BeforeAll
  static void start(ControlPlane exclusive) {
    controlPlane = exclusive;
  }

  @Test
  void noControllerActsWhileTheControllerManagerIsStopped() {
    KubernetesClient client = controlPlane.client();
    controlPlane.stopControllerManager();
    StatefulSet set = client.resource(ControlPlaneTest.statefulSet(DEFAULT, "seid:1")).create();

    await()
        .during(Duration.ofSeconds(2))
        .until(() -> client.resource(set).get().getStatus().getObservedGeneration() == null);
    assertThat(client.pods().inNamespace("default").list().getItems()).isEmpty();

    controlPlane.startControllerManager();
    assertThat(ControlPlaneTest.awaitPod(client, DEFAULT).getMetadata().getName())
        .isEqualTo("node-0");
  }

  @Test
  void restartedApiServerKeepsItsAddressAndItsData() {
    KubernetesClient client = controlPlane.client();
    String url = controlPlane.url();
    String uid = client.namespaces().withName("default").get().getMetadata().getUid();

    controlPlane.restartApiServer();

    assertThat(controlPlane.url()).isEqualTo(url);
    assertThat(client.namespaces().withName("default").get().getMetadata().getUid()).isEqualTo(uid);
  }

  @Test
  void auditLogTellsTheUsersApart() throws IOException {
    try (KubernetesClient operator = controlPlane.newClient(ControlPlane.OPERATOR)) {
      operator.configMaps().inNamespace("default").withName("asked-by-operator").get();
    }
    controlPlane.client().configMaps().inNamespace("default").withName("asked-by-admin").get();

    assertThat(usersWhoAskedFor("asked-by-operator")).containsExactly(ControlPlane.OPERATOR);
    assertThat(usersWhoAskedFor("asked-by-admin")).containsExactly(ControlPlane.ADMIN);
  }

  @Test
  void failsWithTheComponentsOwnWordsWhenItRefusesToStart() {
    var options = ControlPlane.Options.defaults().withApiServerFlags("--no-such-flag");

    assertThatThrownBy(() -> ControlPlane.start(options))
        .isInstanceOf(ComponentFailedException.class)
        .hasMessageContaining("kube-apiserver ended")
        .hasMessageContaining("no-such-flag");
  }

  @Test
  void componentDiesWithAKilledJvm() throws IOException {
    Path target = ControlPlaneBinaries.projectDirectory().resolve("target");
    Path directory = Files.createTempDirectory(target, "orphan-");
    Path scratch = Files.createDirectory(directory.resolve("scratch"));
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                target.resolve("test-classes").toString(),
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

  private static List<String> usersWhoAskedFor(String name) throws IOException {
    return Files.readAllLines(controlPlane.auditLog()).stream()
        .filter(line -> line.contains("\"" + name + "\""))
        .map(line -> Serialization.unmarshal(line, Map.class))
        .map(event -> (String) ((Map<?, ?>) event.get("user")).get("username"))
        .toList();
  }
}
