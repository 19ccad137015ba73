package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedRecordsTest {

  private final SharedRecords copies =
      new SharedRecords(
          List.of(SeiNode::new, SeiNodeDeployment::new, SeiNodeTask::new),
          KubernetesClients.serialization());

  @Test
  void copySharesRecordsAndHasMetadataOfItsOwn() {
    SeiNode node =
        KubernetesClients.serialization()
            .unmarshal(
                """
                apiVersion: sei.io/v1alpha1
                kind: SeiNode
                metadata: {name: rpc-0, namespace: sei, annotations: {a: b}}
                spec: {chainId: pacific-1, image: seid:v6.3.0}
                status: {phase: Running}
                """,
                SeiNode.class);

    SeiNode copy = copies.clone(node);
    copy.getMetadata().getAnnotations().put("a", "other");
    copy.getMetadata().getFinalizers().add("sei.io/finalizer");

    assertThat(copy.getSpec()).isSameAs(node.getSpec());
    assertThat(copy.getStatus()).isSameAs(node.getStatus());
    assertThat(node.getMetadata().getAnnotations()).containsEntry("a", "b");
    assertThat(node.getMetadata().getFinalizers()).isEmpty();
  }

  @Test
  void eachKindThatIsReconciledIsCopiedAsItsKind() {
    var metadata = new ObjectMetaBuilder().withName("rpc").build();
    var deployment = new SeiNodeDeployment();
    deployment.setMetadata(metadata);
    var task = new SeiNodeTask();
    task.setMetadata(metadata);

    assertThat(copies.clone(deployment)).isEqualTo(deployment).isNotSameAs(deployment);
    assertThat(copies.clone(task)).isEqualTo(task).isNotSameAs(task);
  }

  @Test
  void otherObjectsAreCopiedAsAWhole() {
    ConfigMap config =
        new ConfigMapBuilder().withNewMetadata().endMetadata().addToData("a", "b").build();

    ConfigMap copy = copies.clone(config);
    copy.getData().put("a", "other");

    assertThat(config.getData()).containsEntry("a", "b");
  }

  @Test
  void watchReadsAnEventOfEachKindAtOnce() {
    for (var kind : new Class<?>[] {SeiNode.class, SeiNodeDeployment.class, SeiNodeTask.class}) {
      assertThat(
              KubernetesClients.serialization()
                  .getRegisteredKubernetesResource("sei.io/v1alpha1", kind.getSimpleName()))
          .isEqualTo(kind);
    }
  }
}
