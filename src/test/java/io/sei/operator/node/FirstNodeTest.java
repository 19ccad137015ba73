package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import org.junit.jupiter.api.Test;

class FirstNodeTest extends NodeTestCase {

  @Test
  void firstNodeRuns() {
    SeiNode node = createRunning();

    StatefulSet statefulSet = statefulSet();
    assertThat(statefulSet.getSpec().getUpdateStrategy().getType()).isEqualTo("OnDelete");
    assertThat(statefulSet.getSpec().getReplicas()).isEqualTo(1);
    OwnerReference owner = statefulSet.getMetadata().getOwnerReferences().get(0);
    assertThat(owner.getUid()).isEqualTo(node.getMetadata().getUid());
    assertThat(owner.getController()).isTrue();
    assertThat(node.getStatus().statefulSet().name()).isEqualTo(NODE);
    assertThat(node.getStatus().statefulSet().uid()).isEqualTo(statefulSet.getMetadata().getUid());
    assertThat(client.raw("/apis/apps/v1/namespaces/" + namespace + "/statefulsets/" + NODE))
        .contains("\"manager\":\"seinode-controller\",\"operation\":\"Apply\"");
    assertThat(client.services().inNamespace(namespace).withName(NODE).get()).isNotNull();
    assertThat(
            client.persistentVolumeClaims().inNamespace(namespace).withName("data-" + NODE).get())
        .isNotNull();
    assertCondition(NodeConditionType.STATEFUL_SET_READY, ConditionStatus.TRUE);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    assertThat(node.getStatus().planHistory()).hasSize(1);
  }
}
