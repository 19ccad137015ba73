package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An operator of all namespaces, which would also manage the nodes of tests beside it. */
@ExclusiveControlPlane
class AllNamespacesTest extends ProcessTestCase {

  @Test
  void startsWithoutAnyConfigurationAndManagesAllNamespaces() {
    // Ports aside: the usual ones may be taken on the machine that runs the tests.
    OperatorProcess operator = start(kubeconfig(), Map.of()).awaitReady();
    createNode("first");
    createNode(createNamespace("other"), "second");

    eventually(() -> assertThat(hasStatefulSet("first")).isTrue());
    eventually(
        () ->
            assertThat(client.apps().statefulSets().inNamespace(namespace + "-other").list())
                .satisfies(list -> assertThat(list.getItems()).hasSize(1)));
    assertThat(operator.stderr()).isEmpty();
    client.resources(SeiNode.class).inNamespace(namespace + "-other").delete();
  }
}
