package io.sei.operator.node;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.samples.Samples;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ForeignObjectsTest extends IdentityTestCase {

  @Test
  void objectsOfOthersAreNamedAndNotSeized() {
    String config = NODE + "-rbac-proxy-config";
    StatefulSet foreign = foreignStatefulSet(ownedByAnother(NODE), Labels.selector(NODE));
    HasMetadata configMap =
        client
            .resource(
                new ConfigMapBuilder()
                    .withMetadata(ownedByAnother(config))
                    .addToData("a", "b")
                    .build())
            .create();
    HasMetadata service = client.resource(service(metadata(NODE).build())).create();
    create(spec(A));

    awaitConflict("ConfigMap/another");
    assertUntouched(foreign);
    assertThat(pod()).isNull();
    client.resource(foreign).delete();
    assertObstacle(configMap, "ConfigMap " + config + " belongs to ConfigMap");
    assertObstacle(service, "Service " + NODE + " belongs to no owner");
    awaitUpToDate(A);
    awaitTracked();
    assertThat(events("StatefulSetConflict")).isNotEmpty();
    assertServiceOfAnotherIsNamedUnderARunningNode();
  }

  private void assertServiceOfAnotherIsNamedUnderARunningNode() {
    operator.stop();
    operator.requests().clear();
    client.services().inNamespace(namespace).withName(NODE).delete();
    HasMetadata foreign = client.resource(service(ownedByAnother(NODE))).create();
    operator.start();

    eventually(
        () -> {
          assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, NodeReason.CONFLICT);
          assertThat(condition(NodeConditionType.UP_TO_DATE).message())
              .contains("Service node belongs to ConfigMap/another");
        });
    assertUntouched(foreign);

    client.resource(foreign).delete();
    lookNow();
    eventually(() -> assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE));
  }

  private static Service service(ObjectMeta metadata) {
    return new ServiceBuilder(yaml(Service.class, "spec: {ports: [{port: 80}]}"))
        .withMetadata(metadata)
        .build();
  }

  private void assertObstacle(HasMetadata foreign, String named) {
    eventually(
        () ->
            assertThat(node().getStatus().plan().currentTask().orElseThrow().message())
                .contains(named));
    assertUntouched(foreign);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE);

    client.resource(foreign).delete();
    lookNow();
  }

  /** The operator would look again by itself, but only every half minute. */
  private void lookNow() {
    annotate(Annotations.EXPLAIN, "now");
  }

  private void awaitConflict(String owner) {
    eventually(
        () -> {
          assertCondition(
              NodeConditionType.STATEFUL_SET_READY, ConditionStatus.FALSE, NodeReason.CONFLICT);
          assertThat(condition(NodeConditionType.STATEFUL_SET_READY).message())
              .contains("StatefulSet " + NODE + " belongs to " + owner);
        });
  }

  /** Asserts it by the operator's requests: Kubernetes' own controller may write a status. */
  private void assertUntouched(HasMetadata foreign) {
    ObjectMeta before = foreign.getMetadata();
    stays(
        () -> {
          ObjectMeta now = client.resource(foreign).get().getMetadata();
          assertThat(now.getUid()).isEqualTo(before.getUid());
          assertThat(now.getGeneration()).isEqualTo(before.getGeneration());
          assertThat(now.getOwnerReferences()).isEqualTo(before.getOwnerReferences());
          assertThat(now.getLabels()).isEqualTo(before.getLabels());
        });
    assertThat(operator.requests().matching(Request::isWrite))
        .noneMatch(
            request -> request.path().endsWith(foreign.getPlural() + "/" + before.getName()));
  }

  /** Without replicas, and settled: its controller has nothing to do. */
  private StatefulSet foreignStatefulSet(ObjectMeta metadata, Map<String, String> selector) {
    StatefulSet created = client.resource(Samples.database(metadata, selector)).create();
    eventually(
        () ->
            assertThat(client.resource(created).get().getStatus().getUpdateRevision()).isNotNull());
    return client.resource(created).get();
  }

  private ObjectMeta ownedByAnother(String name) {
    ConfigMap another =
        client
            .resource(new ConfigMapBuilder().withMetadata(metadata("another").build()).build())
            .createOr(NonDeletingOperation::update);
    return metadata(name)
        .addToLabels(Labels.NODE, NODE)
        .withOwnerReferences(
            yaml(
                OwnerReference.class,
                """
                {apiVersion: v1, kind: ConfigMap, name: another, uid: %s, controller: true}
                """,
                another.getMetadata().getUid()))
        .build();
  }

  private ObjectMetaBuilder metadata(String name) {
    return new ObjectMetaBuilder().withName(name).withNamespace(namespace);
  }
}
