package io.sei.operator;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.Samples;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs on a control plane of its own, since CRDs belong to the whole cluster. */
@ExclusiveControlPlane
class CrdGateTest {

  private static final String OBSTACLE =
      "the installed CRD seinodes.sei.io is of another version and lacks"
          + " spec.dataVolume.import, status.plan.target.image, status.signingPublicKey;"
          + " apply the CRDs of this version:"
          + " kubectl apply --server-side --force-conflicts -f crds/";

  private ControlPlane controlPlane;
  private KubernetesClient client;

  private String namespace;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.namespace = namespace.name();
    client = controlPlane.client();
  }

  @AfterEach
  void installOurs() {
    CrdFile.installAll(client);
  }

  @Test
  void operatorWaitsForTheFieldsOfItsCrdsAndGoesOnByItself() {
    CrdFile.install(client, CrdGateTest::makeOlder);
    SeiNode node = createNode();
    try (OperatorProcess operator =
        OperatorProcess.start(controlPlane.kubeconfigYaml(ControlPlane.OPERATOR), settings())) {
      eventually(
          () -> {
            var ready = operator.health("/readyz");
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body().lines()).contains("- " + OBSTACLE);
          });
      assertThat(operator.health("/healthz").statusCode()).isEqualTo(200);
      assertThat(operator.metrics("/metrics").body())
          .as("SeiOperatorDown fires")
          .contains("sei_build_info")
          .doesNotContain("sei_last_reconcile_seconds");
      assertThat(operator.log())
          .anySatisfy(line -> assertThat(line).contains("WARN", "Not started: " + OBSTACLE));
      assertThat(client.resource(node).get().getStatus()).isNull();

      CrdFile.installAll(client);

      operator.awaitReady();
      eventually(
          () ->
              assertThat(operator.metrics("/metrics").body())
                  .contains("sei_last_reconcile_seconds"));
      eventually(() -> assertThat(client.resource(node).get().getStatus().phase()).isNotNull());
    }
    assertReplacedUnderARunningOperatorTheyAreNoticed();
  }

  private void assertReplacedUnderARunningOperatorTheyAreNoticed() {
    var gate = new CrdGate(client);
    var stopped = new AtomicInteger();
    gate.await();
    gate.lookAgain(stopped::incrementAndGet);
    assertThat(stopped).hasValue(0);

    CrdFile.install(client, CrdGateTest::makeOlder);

    gate.lookAgain(stopped::incrementAndGet);
    assertThat(stopped).hasValue(1);

    try (var door = new FaultyApiServer(controlPlane.config(ControlPlane.ADMIN));
        var without = KubernetesClients.create(door.config())) {
      door.inject(
          request -> request.path().contains("/customresourcedefinitions/"),
          ApiFault.error(404, "NotFound"));
      new CrdGate(without).lookAgain(stopped::incrementAndGet);
    }
    assertThat(stopped).hasValue(1);
  }

  private Map<String, String> settings() {
    return Map.of(
        "SEI_LEADER_ELECTION",
        "false",
        "SEI_STORAGE_SIZE_DEFAULT",
        "10Gi",
        "SEI_WATCH_NAMESPACES",
        namespace);
  }

  private SeiNode createNode() {
    return client.resource(Samples.node(namespace, "first", Samples.fullNode("sei:a"))).create();
  }

  /** Removes fields, as in an earlier version of the CRD. */
  private static void makeOlder(CustomResourceDefinition crd) {
    if (!crd.getMetadata().getName().equals("seinodes.sei.io")) {
      return;
    }
    JSONSchemaProps schema = crd.getSpec().getVersions().get(0).getSchema().getOpenAPIV3Schema();
    Consumer<JSONSchemaProps> withoutRules = props -> props.setXKubernetesValidations(null);
    JSONSchemaProps spec = schema.getProperties().get("spec");
    JSONSchemaProps status = schema.getProperties().get("status");
    JSONSchemaProps volume = spec.getProperties().get("dataVolume");
    withoutRules.accept(spec);
    withoutRules.accept(volume);
    volume.getProperties().remove("import");
    status.getProperties().remove("signingPublicKey");
    status
        .getProperties()
        .get("plan")
        .getProperties()
        .get("target")
        .getProperties()
        .remove("image");
  }
}
