package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RolloutTest extends RolloutTestCase {

  /** The Go operator leaves it for an hour. */
  @Test
  void podThatABootstrapHasLeftIsNotInTheWay() {
    createRunning();
    var left =
        client
            .resource(
                aPod(NODE + "-bootstrap-x")
                    .namespace(namespace)
                    .container("other", "other")
                    .edit(
                        builder ->
                            builder
                                .editMetadata()
                                .withLabels(Labels.ofBootstrap(NODE))
                                .endMetadata())
                    .edit(builder -> builder.editSpec().withRestartPolicy("Never").endSpec())
                    .build())
            .create();
    eventually(
        () ->
            assertThat(client.resource(left).get().getStatus().getPhase()).isEqualTo("Succeeded"));

    setImage(B);

    awaitUpToDate(B);
    client.resource(left).delete();
  }

  /** Two instances manage one namespace by mistake. */
  @Test
  void twoOperatorsAtOnceReplaceThePodOnce() {
    try (var another = anotherOperator(controlPlane.config(ControlPlane.OPERATOR))) {
      another.start();
      createRunning();

      setImage(B);

      awaitUpToDate(B);
      // Not how often the sidecar is marked ready: the one that heard late of it may repeat that.
      stays(() -> assertThat(images()).containsExactly(A, B));
      assertThat(another.requests().matching(RequestLog.Request::isWrite)).isNotEmpty();
    }
  }

  static Stream<String> podSettings() {
    return Cases.of(
        1,
        "{'spec':{'resources':{'requests':{'cpu':'3'}}}}",
        "{'spec':{'podLabels':{'team':'x'}}}",
        "{'spec':{'terminationGracePeriodSeconds':60}}",
        "{'metadata':{'annotations':{'sei.io/restart-requested-at':'now'}}}");
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("podSettings")
  void podSettingRollsThePodOnce(String change) {
    createRunning();

    patch(change);

    eventually(() -> assertThat(images()).hasSize(2));
    awaitUpToDate(A);
    stays(() -> assertThat(images()).containsExactly(A, A));
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(occurrences("PlanComplete")).isEqualTo(2);
  }

  @Test
  void firstNodeRunsAndAnImageEditReplacesItsPodOnce() {
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

    setImage(B);

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(podDeletes()).isEqualTo(1);
    assertCondition(NodeConditionType.NODE_UPDATE_IN_PROGRESS, ConditionStatus.FALSE);
    assertThat(node().getStatus().planHistory()).hasSize(2);
  }
}
