package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.Tenant;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Lists the obstacles to an operator of all namespaces: another such operator, and no tenant. */
@ExclusiveControlPlane
class HandsOffTest extends ProcessTestCase {

  private static final String B = "sei:b";

  @Tag("long")
  @Test
  void aLeaseOfATenantKeepsTheOperatorFromNothing() {
    String victim = createNamespace("victim");
    try (KubernetesClient tenant =
            Tenant.of(client, controlPlane.config(ControlPlane.ADMIN), namespace);
        var renewals = Executors.newSingleThreadScheduledExecutor()) {
      tenant
          .resource(
              yaml(
                  Lease.class,
                  "{metadata: {namespace: %s, name: %s}, spec: {holderIdentity: x_y,"
                      + " leaseDurationSeconds: 2147483647, renewTime:"
                      + " '2099-01-01T00:00:00.000000Z'}}",
                  namespace,
                  LEASE))
          .create();
      renewals.scheduleWithFixedDelay(() -> renew(tenant), 1, 1, TimeUnit.SECONDS);

      OperatorProcess operator =
          start(kubeconfig(), Map.of("POD_NAMESPACE", victim)).awaitLeading().awaitReady();
      createNode(victim, "node");
      eventually(() -> assertThat(hasStatefulSet(victim, "node")).isTrue());
      setImage(victim);

      eventually(() -> assertThat(statefulSetImage(victim)).isEqualTo(B));
      assertThat(operator.log()).noneMatch(line -> line.contains("Not started"));
      client.resources(SeiNode.class).inNamespace(victim).delete();
    }
  }

  /**
   * Sets the host names that the pods of the two would have; nothing else tells the processes apart
   * here.
   */
  @Test
  @Tag("long")
  void twoThatManageAllNamespacesDoNotActAtOnce() throws IOException {
    String theirs = createNamespace("theirs");
    String account = "{metadata: {namespace: %s, name: operator}}";
    client.resource(yaml(ServiceAccount.class, account, theirs)).create();
    client
        .resource(
            yaml(
                Pod.class,
                "{metadata: {namespace: %s, name: %s}, spec: {serviceAccountName: operator,"
                    + " containers: [{name: a, image: a}]}}",
                theirs,
                InetAddress.getLocalHost().getHostName()))
        .create();
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(theirs)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", "operator", theirs)
                .build())
        .create();
    OperatorProcess first = start(kubeconfig(), Map.of("POD_NAMESPACE", theirs)).awaitLeading();

    OperatorProcess second = start(kubeconfig(), Map.of("POD_NAMESPACE", namespace));

    eventually(
        () ->
            assertThat(second.health("/readyz").body())
                .contains("another one runs", "renews the Lease " + theirs + "/" + LEASE));
    assertThat(second.metrics("/metrics").body())
        .contains("sei_operator_hands_off{namespace=\"" + theirs + "\"} 1.0");
    first.terminate();
    second.awaitLeading().awaitReady();
  }

  private void renew(KubernetesClient tenant) {
    tenant
        .leases()
        .inNamespace(namespace)
        .withName(LEASE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"leaseTransitions\":%d}}".formatted(System.nanoTime() >>> 40));
  }

  private void setImage(String victim) {
    client
        .resources(SeiNode.class)
        .inNamespace(victim)
        .withName("node")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"image\":\"" + B + "\"}}");
  }

  private String statefulSetImage(String victim) {
    return client
        .apps()
        .statefulSets()
        .inNamespace(victim)
        .withName("node")
        .get()
        .getSpec()
        .getTemplate()
        .getSpec()
        .getContainers()
        .getFirst()
        .getImage();
  }
}
