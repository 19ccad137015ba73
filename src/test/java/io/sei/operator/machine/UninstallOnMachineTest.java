package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What docs/uninstall.md says of taking it all down. The last test, since no operator is left. */
@Isolated
@Order(Integer.MAX_VALUE)
class UninstallOnMachineTest extends MachineTestCase {

  @Test
  void leavesNothingButTheNamespaceAndItsLease() {
    createNode(Chain.V1.image());
    awaitBlocks(Chain.V1.image());

    machine.kubectl("delete", "snd,seinodes", "--all", "--all-namespaces");
    eventually(
        () ->
            assertThat(
                    machine.kubectl(
                        "get",
                        "seinodes,statefulsets,pods,services,configmaps,persistentvolumeclaims",
                        "--all-namespaces",
                        "--selector=sei.io/node",
                        "-o",
                        "name"))
                .isEmpty());
    eventually(() -> assertThat(machine.kubectl("get", "pv", "-o", "name")).isEmpty());
    machine.helm("uninstall", Machine.OPERATOR, "--namespace", Machine.OPERATOR, "--wait");

    eventually(
        () ->
            assertThat(left().lines())
                .containsExactlyInAnyOrder(
                    "configmap/kube-root-ca.crt",
                    "serviceaccount/default",
                    "lease.coordination.k8s.io/bc1f5b0a.sei.io"));
    machine.kubectl("delete", "-f", "crds/");
    assertThat(machine.kubectl("api-resources", "--api-group=sei.io", "-o", "name")).isEmpty();
  }

  private static final String KINDS =
      "deployments,replicasets,pods,services,configmaps,secrets,serviceaccounts,roles,rolebindings,"
          + "networkpolicies,poddisruptionbudgets,leases";

  private String left() {
    return machine.kubectl("get", KINDS, "--namespace", Machine.OPERATOR, "-o", "name");
  }
}
