package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * An earlier chart, with the CRDs and the image of its time, is upgraded as docs/install.md says.
 */
@Isolated
@Tag("long")
class ChartUpgradeTest extends MachineTestCase {

  @BeforeEach
  void installTheEarlierChart() {
    machine.helm("uninstall", Machine.OPERATOR, "--namespace", Machine.OPERATOR, "--wait");
    shell("kubectl replace -f target/earlier/crds/");
    shell(
        "helm install sei-operator target/earlier/chart --namespace sei-operator --wait"
            + " --set image.tag=earlier,replicas=2");
  }

  @AfterEach
  void installAgain() {
    shell("kubectl apply --server-side --force-conflicts -f crds/");
    machine.installOperator(List.of());
  }

  @Test
  void restartsNoNodeAndKeepsTheValues() {
    createNode(Chain.V1.image());
    awaitBlocks(Chain.V1.image());
    String pod = podUid();

    shell("kubectl apply --server-side --force-conflicts -f crds/");
    shell(
        "helm upgrade sei-operator deploy/helm/sei-operator --namespace sei-operator"
            + " --reset-then-reuse-values --set image.tag= --wait");

    assertThat(
            shell("kubectl -n sei-operator get deploy sei-operator -o jsonpath={.spec.replicas}"))
        .isEqualTo("2");
    patch("{\"metadata\":{\"annotations\":{\"sei.io/explain\":\"1\"}}}");
    eventually(() -> assertThat(status("status.explain")).isNotEmpty());
    assertThat(podUid()).isEqualTo(pod);
    assertThat(condition("UpToDate")).startsWith("True/");

    editImage(Chain.V2.image());
    awaitBlocks(Chain.V2.image());
  }

  private String shell(String command) {
    KubectlResult result = machine.shell(command);
    assertThat(result.exitCode()).as(command + ": " + result.stderr()).isZero();
    return result.stdout();
  }
}
