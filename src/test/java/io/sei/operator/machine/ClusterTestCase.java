package io.sei.operator.machine;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.MachineExtension;
import io.sei.operator.testkit.machine.Manifests;
import io.sei.operator.testkit.machine.Worker;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A cluster with three Kubernetes nodes, whose volumes are disks of a network. What a test did to a
 * machine is undone after it.
 */
@Isolated
@Tag(MachineExtension.THREE)
abstract class ClusterTestCase extends RealNodeTestCase {

  protected static final String FLEET = "fleet";

  private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

  private Worker lost;
  private boolean isOff;

  @BeforeEach
  void awaitMachines() {
    machine.workers().forEach(machine::awaitReady);
  }

  @AfterEach
  void restoreMachines() {
    machine.client().nodes().list().getItems().stream()
        .filter(
            node ->
                node.getSpec().getTaints().stream()
                    .anyMatch(taint -> OUT_OF_SERVICE.equals(taint.getKey())))
        .forEach(
            node ->
                machine.kubectl(
                    "taint", "node", node.getMetadata().getName(), OUT_OF_SERVICE + "-"));
    if (lost != null) {
      restore();
    }
    machine.workers().forEach(worker -> machine.kubectl("uncordon", worker.name()));
  }

  /** Cuts the network of the machine that a pod is on, and returns that machine. */
  protected Worker cutOffMachineOf(String pod) {
    lost = machine.worker(machinesOfPods().get(pod));
    lost.cutOff();
    return lost;
  }

  /** Switches a machine off. */
  protected void powerOff(Worker worker) {
    lost = worker;
    isOff = true;
    lost.powerOff();
  }

  /** Tells Kubernetes that a machine is off: docs/machines.md, "Lose a machine". */
  protected void taintOutOfService(Worker worker) {
    machine.kubectl("taint", "node", worker.name(), OUT_OF_SERVICE + "=nodeshutdown:NoExecute");
  }

  /** Brings the lost machine back, and waits until its Node is Ready. */
  protected void restore() {
    if (isOff) {
      isOff = false;
      machine.powerOn(lost);
    } else {
      lost.reconnect();
    }
    machine.awaitReady(lost);
    lost = null;
  }

  protected void awaitSilent(Worker worker) {
    eventually(() -> assertThat(machine.isReady(worker)).isFalse());
  }

  /** Creates a fleet, whose spec may have more lines, and waits until all its nodes make blocks. */
  protected void createFleet(int replicas, String image, String more) {
    apply(
        Manifests.fleet(FLEET, image).replace("replicas: 2", "replicas: " + replicas)
            + more.indent(6));
    for (int ordinal = 0; ordinal < replicas; ordinal++) {
      awaitHeight(pod(ordinal), 2);
    }
  }

  /** Sets the image in the template of the fleet. */
  protected void setImage(String image) {
    kubectl(
        "patch",
        "snd",
        FLEET,
        "--type=merge",
        "-p",
        "{\"spec\":{\"template\":{\"spec\":{\"image\":\"%s\"}}}}".formatted(image));
  }

  protected static String pod(int ordinal) {
    return node(ordinal) + "-0";
  }

  protected static String node(int ordinal) {
    return FLEET + "-" + ordinal;
  }

  protected String uid(String pod) {
    return field("pods", pod, "metadata.uid");
  }

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

  /** The attachments of the volume of a claim, one for each machine. */
  protected List<VolumeAttachment> attachments(String claim) {
    String volume = field("persistentvolumeclaims", claim, "spec.volumeName");
    return machine.client().storage().v1().volumeAttachments().list().getItems().stream()
        .filter(
            attachment -> volume.equals(attachment.getSpec().getSource().getPersistentVolumeName()))
        .toList();
  }

  /** The machine of the operator's one pod. */
  protected String machineOfOperator() {
    return machine
        .kubectl("-n", Machine.OPERATOR, "get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}")
        .strip();
  }
}
