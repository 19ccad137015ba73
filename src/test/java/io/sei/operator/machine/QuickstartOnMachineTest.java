package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.docs.Walkthrough;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.machine.Machine;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Types the commands of the quickstart on a cluster, in their order, from the installation to the
 * removal, and compares what is left with docs/uninstall.md. The last test, since no operator is
 * left.
 */
@Isolated
@Order(Integer.MAX_VALUE)
class QuickstartOnMachineTest extends MachineTestCase {

  private static final String WITH_PLUGIN =
      "export PATH=\"$PATH:%s\"; ".formatted(KubectlSei.program().getParent());

  private static final String OF_NODES =
      "seinodes,statefulsets,pods,services,configmaps,persistentvolumeclaims";
  private static final String OF_THE_CHART =
      "deployments,replicasets,pods,services,configmaps,secrets,serviceaccounts,roles,rolebindings,"
          + "networkpolicies,poddisruptionbudgets,leases";

  @BeforeEach
  void startWithoutAnOperator() {
    machine.helm("uninstall", Machine.OPERATOR, "--namespace", Machine.OPERATOR, "--wait");
    machine.kubectl("-n", Machine.OPERATOR, "delete", "configmap", Machine.RELEASES);
  }

  @Test
  void everyCommandDoesWhatThePageShowsAndNothingIsLeftButTheNamespaceAndItsLease() {
    List<Walkthrough.Step> steps = Walkthrough.of("On a cluster");
    assertThat(steps).hasSizeGreaterThan(20);

    for (Walkthrough.Step step : steps) {
      KubectlResult result = machine.shell(WITH_PLUGIN + step.command());
      assertThat(result.exitCode()).as(step.command() + ": " + result.stderr()).isZero();
      if (!step.output().isEmpty()) {
        assertThat(Walkthrough.comparable(result.stdout().lines().toList()))
            .as(step.command())
            .isEqualTo(Walkthrough.comparable(step.output()));
      }
    }

    eventually(
        () -> assertThat(names(OF_NODES, "--all-namespaces", "--selector=sei.io/node")).isEmpty());
    eventually(() -> assertThat(names("pv")).isEmpty());
    eventually(
        () ->
            assertThat(names(OF_THE_CHART, "--namespace", Machine.OPERATOR).lines())
                .containsExactlyInAnyOrder(
                    "configmap/kube-root-ca.crt",
                    "serviceaccount/default",
                    "lease.coordination.k8s.io/bc1f5b0a.sei.io"));
    // Validators of other tests have left records of their keys, which wait for their finalizer.
    machine.shell(
        "kubectl get seisigningkeys -o name | xargs -r -I{} kubectl patch {} --type=merge"
            + " -p '{\"metadata\":{\"finalizers\":null}}'");
    machine.kubectl("delete", "-f", "crds/");
    assertThat(machine.kubectl("api-resources", "--api-group=sei.io", "-o", "name")).isEmpty();
  }

  private String names(String kinds, String... options) {
    return machine.kubectl(
        Stream.concat(Stream.of("get", kinds, "-o", "name"), Stream.of(options))
            .toArray(String[]::new));
  }
}
