package io.sei.operator.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DeploymentConditionType;
import io.sei.operator.api.v1alpha1.DeploymentPhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.PodRecord;
import java.util.List;

/** A deployment named {@code fleet} on a real control plane. */
abstract class FleetTestCase extends OperatorTestCase {

  static final String FLEET = "fleet";

  static SeiNodeDeploymentSpec fleetSpec(int replicas, String image) {
    return SeiNodeDeploymentSpecBuilder.builder()
        .replicas(replicas)
        .template(new NodeTemplate(null, spec(image)))
        .build();
  }

  SeiNodeDeployment create(SeiNodeDeploymentSpec spec) {
    var fleet = new SeiNodeDeployment();
    fleet.getMetadata().setName(FLEET);
    fleet.getMetadata().setNamespace(namespace);
    fleet.setSpec(spec);
    return client.resource(fleet).create();
  }

  /** Creates a fleet with image A and waits until it runs, undisturbed. */
  void createReady(int replicas) {
    create(fleetSpec(replicas, A));
    awaitUpToDate(replicas, A);
  }

  void awaitUpToDate(int replicas, String image) {
    eventually(
        () -> {
          assertThat(status().phase()).isEqualTo(DeploymentPhase.READY);
          assertThat(status().readyReplicas()).isEqualTo(replicas);
          assertCondition(DeploymentConditionType.UP_TO_DATE, ConditionStatus.TRUE);
          assertCondition(DeploymentConditionType.READY, ConditionStatus.TRUE);
          assertThat(currentImages()).hasSize(replicas).containsOnly(image);
        });
  }

  SeiNodeDeployment fleet() {
    return client.resources(SeiNodeDeployment.class).inNamespace(namespace).withName(FLEET).get();
  }

  SeiNodeDeploymentStatus status() {
    return fleet().getStatus();
  }

  SeiNode node(int ordinal) {
    return client
        .resources(SeiNode.class)
        .inNamespace(namespace)
        .withName(FLEET + "-" + ordinal)
        .get();
  }

  List<SeiNode> nodes() {
    return client.resources(SeiNode.class).inNamespace(namespace).list().getItems();
  }

  List<String> currentImages() {
    return nodes().stream().map(node -> node.getStatus().currentImage()).toList();
  }

  List<String> specImages() {
    return nodes().stream().map(node -> node.getSpec().image()).toList();
  }

  List<PodRecord> pods(int ordinal) {
    return kubelet.history(namespace, FLEET + "-" + ordinal + "-0");
  }

  void patch(String patch) {
    patch(fleet(), patch);
  }

  void setImage(String image) {
    patch("{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(image));
  }

  Condition condition(DeploymentConditionType type) {
    return Conditions.find(status().conditions(), type.toString()).orElse(null);
  }

  void assertCondition(DeploymentConditionType type, ConditionStatus expected) {
    Condition condition = condition(type);
    assertThat(condition).as("%s", type).isNotNull();
    assertThat(condition.status()).as("%s", condition).isEqualTo(expected);
    assertThat(condition.observedGeneration())
        .as("%s", condition)
        .isEqualTo(fleet().getMetadata().getGeneration());
  }

  void assertCondition(DeploymentConditionType type, ConditionStatus expected, Object reason) {
    assertCondition(type, expected);
    assertThat(condition(type).reason()).isEqualTo(reason.toString());
  }
}
