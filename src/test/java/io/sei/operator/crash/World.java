package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.KillSwitch;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.Looks;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.core.ThrowingRunnable;

/** A namespace with an operator of its own, beside others on the same control plane. */
record World(
    String namespace,
    ControlPlane plane,
    KubeletSimulator kubelet,
    SidecarSimulator sidecar,
    OperatorHarness operator,
    AtomicBoolean hasDied)
    implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  /** Makes the namespace and starts its operator. */
  static World open(ControlPlane plane, String namespace, SidecarSimulator sidecar) {
    KubernetesClient client = plane.client();
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    var operator =
        new OperatorHarness(plane.config(ControlPlane.OPERATOR), namespace, sidecar.urlTemplate());
    var kubelet = KubeletSimulator.inNamespace(client, sidecar, namespace);
    sidecar.countFor(namespace, operator.killSwitch());
    operator.start();
    return new World(namespace, plane, kubelet, sidecar, operator, new AtomicBoolean());
  }

  /** Stops the operator and the kubelet; the namespace stays. */
  @Override
  public void close() {
    operator.close();
    kubelet.close();
  }

  KubernetesClient client() {
    return plane.client();
  }

  KillSwitch killSwitch() {
    return operator.killSwitch();
  }

  /** Starts another operator in place of the dead one. */
  void replaceOperator() {
    operator.stop();
    killSwitch().disarm();
    hasDied.set(true);
    operator.start();
  }

  SeiNode node(String name) {
    return read(SeiNode.class, name);
  }

  /** The object of the namespace, or null. */
  <T extends HasMetadata> T read(Class<T> type, String name) {
    return Looks.get(plane, type, namespace, name);
  }

  /** All objects of the namespace, by name. */
  <T extends HasMetadata> List<T> readAll(Class<T> type) {
    return Looks.list(plane, type, namespace);
  }

  /** Merge-patches an object; ' stands for ". */
  <T extends HasMetadata> void patch(Class<T> type, String name, String patch) {
    client()
        .resources(type)
        .inNamespace(namespace)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"'));
  }

  /** All pods a node has had, oldest first. */
  List<PodRecord> pods(String node) {
    return kubelet.history(namespace, node + "-0");
  }

  int executions(String node, String task) {
    return sidecar.executions(namespace, node, task);
  }

  /** The node runs this image, serves, and nothing is left to do. */
  void assertSettled(String name, String image) {
    SeiNode node = node(name);
    var status = node.getStatus();
    assertThat(status.phase()).isEqualTo(NodePhase.RUNNING);
    Invariants.nodeIsAsDeclared(node, image);
    assertThat(status.replacing()).isNull();
    assertThat(status.observedGeneration()).isEqualTo(node.getMetadata().getGeneration());
    var live = read(StatefulSet.class, name);
    assertThat(status.statefulSet().uid()).isEqualTo(live.getMetadata().getUid());
  }

  /**
   * Asserts that no image is pulled. An operator that died after the outcome was written may have
   * left a Job that has ended, for its TTL; otherwise there is none.
   */
  void assertNothingIsPulled() {
    List<Job> jobs = readAll(Job.class);
    if (hasDied.get()) {
      assertThat(jobs).allMatch(World::hasEnded);
      return;
    }
    assertThat(jobs).isEmpty();
    assertThat(readAll(Pod.class))
        .noneMatch(pod -> pod.getMetadata().getLabels().containsKey(Labels.IMAGE_PULL));
  }

  private static boolean hasEnded(Job job) {
    return job.getStatus().getCompletionTime() != null;
  }

  /** Asserts that no task of the node's sidecar was carried out a second time. */
  void assertNoTaskRanTwice(String node) {
    Invariants.noTaskRunsTwice(node, sidecar.tasks(namespace, node));
  }

  /** {@link Looks#eventually}, for up to two minutes. */
  static void eventually(ThrowingRunnable assertion) {
    Looks.eventually(PATIENCE, assertion);
  }
}
