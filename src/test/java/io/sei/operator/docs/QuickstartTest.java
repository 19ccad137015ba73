package io.sei.operator.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Types the commands of the quickstart, in a shell, in their order. */
class QuickstartTest extends OperatorTestCase {

  private static final Path KUBECTL = ControlPlaneBinaries.locate().kubectl().getParent();

  private static final Path PLUGIN = KubectlSei.program().getParent();

  @TempDir Path directory;

  @Test
  void everyCommandDoesWhatThePageShows() throws Exception {
    useNamespaceOfTheTest();
    // What the demo leaves behind.
    for (String sample : List.of("seinode", "seinodedeployment")) {
      run("kubectl apply -f manifests/samples/" + sample + ".yaml");
    }
    run("kubectl wait --for=condition=Ready snd/atlantic-fleet seinode/atlantic --timeout=2m");

    List<Walkthrough.Step> steps =
        Walkthrough.of("Without a cluster").stream().filter(QuickstartTest::isForKubectl).toList();
    assertThat(steps).hasSizeGreaterThan(15);
    for (Walkthrough.Step step : steps) {
      List<String> output = run(step.command());
      if (step.output().size() == 1 || isOfItsOwnNode(step)) {
        assertThat(Walkthrough.comparable(output))
            .as(step.command())
            .isEqualTo(Walkthrough.comparable(step.output()));
      } else if (step.output().stream().anyMatch(line -> line.startsWith("NAME "))) {
        assertThat(headers(output)).as(step.command()).isEqualTo(headers(step.output()));
      }
    }
    eventually(
        () ->
            assertThat(run("kubectl get snd,seinodes -o name"))
                .containsExactly("seinode.sei.io/atlantic"));
  }

  /** A table whose rows do not depend on what the demo has left behind. */
  private static boolean isOfItsOwnNode(Walkthrough.Step step) {
    return step.output().stream().anyMatch(line -> line.startsWith("NAME "))
        && step.command().matches("kubectl get .*\\bfirst\\b.*");
  }

  /** The columns of tables; their rows depend on what the demo has left behind. */
  private static List<String> headers(List<String> output) {
    return Walkthrough.comparable(output).stream()
        .filter(line -> line.startsWith("NAME "))
        .toList();
  }

  /** The demo itself, and what leads to its kubectl, are not. */
  private static boolean isForKubectl(Walkthrough.Step step) {
    return step.command().contains("kubectl ");
  }

  private void useNamespaceOfTheTest() throws Exception {
    Files.writeString(kubeconfig(), controlPlane.kubeconfigYaml(ControlPlane.ADMIN));
    run("kubectl config set-context --current --namespace=" + namespace);
  }

  private Path kubeconfig() {
    return directory.resolve("kubeconfig.yaml");
  }

  /** Runs a command of a shell that has to succeed; what it says, by line. */
  private List<String> run(String command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(directory, "output", ".txt");
    var builder =
        new ProcessBuilder("sh", "-c", command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("KUBECONFIG", kubeconfig().toString());
    builder.environment().put("HOME", directory.toString());
    builder
        .environment()
        .merge(
            "PATH",
            KUBECTL + File.pathSeparator + PLUGIN,
            (path, first) -> first + File.pathSeparator + path);
    Process process = builder.start();
    assertThat(process.waitFor(3, TimeUnit.MINUTES)).as(command).isTrue();
    List<String> lines = Files.readAllLines(output);
    assertThat(process.exitValue()).as(command + lines).isZero();
    return lines;
  }
}
