package io.sei.operator.takeover;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.Tenant;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.time.Clock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose Lease of another namespace an operator of all namespaces waits for. */
@RealControlPlane
class OtherInstallationTest {

  private KubernetesClient client;
  private KubernetesClient tenant;
  private KubernetesClient operators;
  private String namespace;
  private OtherInstallation other;

  @BeforeEach
  void prepare(ControlPlane controlPlane, KubernetesClient client, TestNamespace namespace) {
    this.client = client;
    this.namespace = namespace.name();
    tenant = Tenant.of(client, controlPlane.config(ControlPlane.ADMIN), this.namespace);
    operators = KubernetesClients.create(controlPlane.config(ControlPlane.OPERATOR));
    other =
        new OtherInstallation(
            operators, new OperatorLeases(operators), "elsewhere", Clock.systemUTC());
  }

  @AfterEach
  void close() {
    tenant.close();
    operators.close();
  }

  /**
   * All that {@code edit} allows: the Lease, a pod of its holder's name, and its ServiceAccount.
   */
  @ParameterizedTest
  @CsvSource({"operator_uuid", "one-of-3-shards"})
  void aTenantsLeaseIsNoReasonToWait(String holder) {
    create(tenant, holder);

    assertThat(other.isFound()).isFalse();
    assertThat(other.waitsFor()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "operator_uuid,   seinodes/status, patch",
    "one-of-3-shards, seinodes/status, patch",
    "operator_uuid,   seisigningkeys,  update",
  })
  void theLeaseOfAnOperatorIsWaitedForUntilItIsReleased(String holder, String right, String verb) {
    create(tenant, holder);
    grant(right, verb);

    assertThat(other.isFound()).isTrue();
    assertThat(other.waitsFor().get(namespace).message())
        .contains("another one runs", "Lease " + namespace + "/bc1f5b0a.sei.io");

    client
        .leases()
        .inNamespace(namespace)
        .withName(OperatorLeases.NAME)
        .edit(
            lease -> {
              lease.getSpec().setHolderIdentity("");
              return lease;
            });

    assertThat(other.isFound()).isFalse();
    assertThat(other.waitsFor()).isEmpty();
  }

  @Test
  void aLeaseWhoseHolderIsGoneIsNoReasonToWait() {
    create(tenant, "operator_uuid");
    grant("seinodes/status", "patch");
    client.pods().inNamespace(namespace).withName("operator").withGracePeriod(0).delete();

    assertThat(other.isFound()).isFalse();
  }

  private void create(KubernetesClient user, String holder) {
    user.resource(object(ServiceAccount.class, "metadata: {name: operator}")).create();
    user.resource(
            object(
                Pod.class,
                "{metadata: {name: operator, labels: {sei.io/shard: '0'}}, spec:"
                    + " {serviceAccountName: operator, containers: [{name: a, image: a}]}}"))
        .create();
    user.resource(
            object(
                Lease.class,
                "{metadata: {name: %s}, spec: {holderIdentity: %s}}"
                    .formatted(OperatorLeases.NAME, holder)))
        .create();
  }

  private <T extends HasMetadata> T object(Class<T> type, String text) {
    T object = yaml(type, text);
    object.getMetadata().setNamespace(namespace);
    return object;
  }

  private void grant(String resource, String verb) {
    client
        .resource(
            yaml(
                ClusterRole.class,
                "{metadata: {name: %s}, rules: [{apiGroups: [sei.io], resources: [%s], verbs:"
                    + " [%s]}]}",
                namespace,
                resource,
                verb))
        .create();
    ClusterRoleBinding binding =
        new ClusterRoleBindingBuilder()
            .withNewMetadata()
            .withName(namespace)
            .endMetadata()
            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", namespace)
            .addNewSubject("", "ServiceAccount", "operator", namespace)
            .build();
    client.resource(binding).create();
  }
}
