package io.sei.operator;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.Samples;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The operator's jar as a process, on a real control plane without a kubelet. */
@RealControlPlane
abstract class ProcessTestCase {

  static final String LEASE = "bc1f5b0a.sei.io";

  ControlPlane controlPlane;
  KubernetesClient client;
  String namespace;

  private final List<AutoCloseable> resources = new ArrayList<>();

  @BeforeEach
  void prepare(ControlPlane controlPlane, KubernetesClient client, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.namespace = namespace.name();
  }

  @AfterEach
  void cleanUp() throws Exception {
    for (AutoCloseable resource : resources) {
      resource.close();
    }
    client.resources(SeiNode.class).inNamespace(namespace).delete();
  }

  /** A process whose lease and whose nodes are in the test's namespace. */
  OperatorProcess startInNamespace(String kubeconfig) {
    return start(kubeconfig, Map.of("SEI_WATCH_NAMESPACES", namespace, "POD_NAMESPACE", namespace));
  }

  OperatorProcess start(String kubeconfig, Map<String, String> environment) {
    var variables = new HashMap<>(environment);
    // Small, for machines that run a control plane and two operators at a time.
    variables.putIfAbsent("SEI_STORAGE_SIZE_DEFAULT", "10Gi");
    return closedLater(OperatorProcess.start(kubeconfig, variables));
  }

  FaultyApiServer door() {
    return closedLater(new FaultyApiServer(controlPlane.config(ControlPlane.OPERATOR)));
  }

  String kubeconfig() {
    return controlPlane.kubeconfigYaml(ControlPlane.OPERATOR);
  }

  private <T extends AutoCloseable> T closedLater(T resource) {
    // Processes before the doors they talk through.
    resources.add(0, resource);
    return resource;
  }

  SeiNode createNode(String name) {
    return createNode(namespace, name);
  }

  SeiNode createNode(String namespace, String name) {
    return client.resource(Samples.node(namespace, name, Samples.fullNode("sei:a"))).create();
  }

  String createNamespace(String suffix) {
    String name = namespace + "-" + suffix;
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    resources.add(() -> client.namespaces().withName(name).delete());
    return name;
  }

  boolean hasStatefulSet(String name) {
    return hasStatefulSet(namespace, name);
  }

  boolean hasStatefulSet(String namespace, String name) {
    return client.apps().statefulSets().inNamespace(namespace).withName(name).get() != null;
  }

  Lease lease() {
    return client.leases().inNamespace(namespace).withName(LEASE).get();
  }
}
