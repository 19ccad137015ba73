package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two versions run at once, as in an upgrade, and the newer makes pods in another way. */
class HandoverTest extends OperatorTestCase {

  private static final String FLEET = "fleet";
  private static final String MARK_READY = "mark-ready";
  private static final Map<String, String> OTHER_DEFAULT =
      Map.of("SEI_KUBE_RBAC_PROXY_IMAGE", "proxy:newer");

  private final List<OperatorProcess> processes = new ArrayList<>();

  @BeforeEach
  void processesActInstead() {
    operator.stop();
  }

  @AfterEach
  void end() {
    // Somebody has to clean up.
    processes.forEach(OperatorProcess::close);
    operator.start();
  }

  @Tag("long")
  @Test
  void newerVersionFinishesTheRolloutOfTheOlderAndReplacesNoPodTwice() {
    OperatorProcess older = start(Map.of()).awaitLeading();
    createFleet();
    awaitUpToDate(A);
    OperatorProcess newer = start(OTHER_DEFAULT).awaitReady();
    sidecar.faults(namespace, "fleet-1").hold(MARK_READY);
    int released = sidecar.executions(namespace, "fleet-1", MARK_READY);
    patch(fleet(), "{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(B));
    eventually(
        () ->
            assertThat(sidecar.executions(namespace, "fleet-1", MARK_READY))
                .isEqualTo(released + 1));
    Rollout rollout = fleet().getStatus().rollout();
    TaskPlan plan = node(1).getStatus().plan();
    assertThat(newer.isLeading()).isFalse();

    older.terminate();

    assertThat(older.awaitExit()).isZero();
    newer.awaitLeading();
    assertThat(fleet().getStatus().rollout()).isEqualTo(rollout);
    assertThat(node(1).getStatus().plan().id()).isEqualTo(plan.id());
    sidecar.faults(namespace, "fleet-1").release(MARK_READY);
    awaitUpToDate(B);
    assertThat(images(0)).containsExactly(A, B);
    assertThat(images(1)).containsExactly(A, B);
    assertThat(sidecar.executions(namespace, "fleet-1", MARK_READY)).isEqualTo(released + 1);
    eventually(() -> assertThat(events(FLEET, "RolloutComplete")).hasSize(1));
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    // The older one rolled it, so that its pod is of the older one's template.
    eventually(
        () -> {
          assertThat(restartPending(1).isTrue()).isTrue();
          assertThat(restartPending(1).message()).contains("image of container kube-rbac-proxy");
          assertThat(restartPending(0).isTrue()).isFalse();
        });
    assertThat(images(1)).hasSize(2);
  }

  private OperatorProcess start(Map<String, String> more) {
    var environment =
        new HashMap<>(
            Map.of(
                "SEI_WATCH_NAMESPACES",
                namespace,
                "POD_NAMESPACE",
                namespace,
                "SEI_SIDECAR_URL_TEMPLATE",
                sidecar.urlTemplate(),
                "SEI_NODE_RPC_URL_TEMPLATE",
                chain.urlTemplate(),
                "SEI_CONFIRM_READY_AFTER_BLOCK",
                "0s",
                "SEI_STORAGE_SIZE_DEFAULT",
                "10Gi"));
    environment.putAll(more);
    OperatorProcess process =
        OperatorProcess.start(controlPlane.kubeconfigYaml(ControlPlane.OPERATOR), environment);
    processes.add(process);
    return process;
  }

  private void createFleet() {
    client.resource(Samples.fleet(namespace, FLEET, Samples.fullNodes(2, A))).create();
  }

  private void awaitUpToDate(String image) {
    eventually(
        () -> {
          SeiNodeDeploymentStatus status = fleet().getStatus();
          assertThat(status.readyReplicas()).isEqualTo(2);
          assertThat(status.updated()).isEqualTo("2/2");
          assertThat(status.rollout()).isNull();
          assertThat(node(0).getStatus().currentImage()).isEqualTo(image);
          assertThat(node(1).getStatus().currentImage()).isEqualTo(image);
        });
  }

  private SeiNodeDeployment fleet() {
    return client.resources(SeiNodeDeployment.class).inNamespace(namespace).withName(FLEET).get();
  }

  private SeiNode node(int ordinal) {
    return client
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(FLEET + "-" + ordinal)
        .get();
  }

  private List<String> images(int ordinal) {
    return kubelet.history(namespace, FLEET + "-" + ordinal + "-0").stream()
        .map(PodRecord::image)
        .toList();
  }

  private Condition restartPending(int ordinal) {
    return Conditions.find(
            node(ordinal).getStatus().conditions(), NodeConditionType.RESTART_PENDING)
        .orElseThrow();
  }
}
