package io.sei.operator.testkit.controlplane;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.sei.operator.api.CrdFile;
import io.sei.operator.kube.KubernetesClients;

/** Adds the chart's admission policies to each control plane, and the CRDs to that of the tests. */
public final class OperatorSetup implements ControlPlaneSetup {

  /** Reads what the operator can read, and shares with it what Jackson knows of the classes. */
  @Override
  public KubernetesSerialization serialization() {
    return KubernetesClients.serialization();
  }

  @Override
  public void installOnStart(KubernetesClient client) {
    AdmissionPolicies.install(client);
  }

  @Override
  public AutoCloseable installForTests(KubernetesClient client) {
    CrdFile.installAll(client);
    SnapshotCrds.install(client);
    return Boolean.getBoolean("corpus.record") ? new StatusRecorder(client) : () -> {};
  }
}
