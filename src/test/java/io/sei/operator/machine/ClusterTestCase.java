package io.sei.operator.machine;

import static java.util.stream.Collectors.toMap;

import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.MachineExtension;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** A cluster with three Kubernetes nodes, whose volumes are disks of a network. */
@Tag(MachineExtension.THREE)
abstract class ClusterTestCase extends RealNodeTestCase {

  /** The machine of each pod of SeiNodes that has one. */
  protected Map<String, String> machinesOfPods() {
    return machine
        .client()
        .pods()
        .inNamespace(namespace)
        .withLabel("sei.io/node")
        .list()
        .getItems()
        .stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .collect(toMap(pod -> pod.getMetadata().getName(), pod -> pod.getSpec().getNodeName()));
  }

  /** The machine of the operator's pod. */
  protected String machineOfOperator() {
    return machine
        .kubectl("-n", Machine.OPERATOR, "get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}")
        .strip();
  }
}
