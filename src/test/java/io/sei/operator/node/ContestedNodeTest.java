package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.Tenant;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Go operator beside this one whose Lease is not seen. */
class ContestedNodeTest extends IdentityTestCase {

  private static final String OTHER = "other";

  @Tag("long")
  @Test
  void applyOfAGoOperatorIsReportedAndNotUndoneAndOtherNodesAreManaged() {
    operator.stop();
    operator.with("SEI_TAKEOVER_NAMESPACES", namespace).start();
    SeiNode node = createRunning();
    String pod = podUid();

    new GoOperator(client, namespace, NODE).apply(node, A, NODE);

    eventually(
        () ->
            assertCondition(
                NodeConditionType.STATEFUL_SET_READY,
                ConditionStatus.FALSE,
                NodeReason.GO_OPERATOR_RUNS));
    assertThat(condition(NodeConditionType.STATEFUL_SET_READY).message())
        .contains("a Go operator", "StatefulSet node", "scale its Deployment to 0");
    assertThat(condition(NodeConditionType.STALLED).isTrue()).isTrue();
    assertThat(condition(NodeConditionType.STALLED).reason())
        .isEqualTo(StallReason.STATEFUL_SET_CONFLICT.toString());
    assertThat(condition(NodeConditionType.READY).isTrue()).isTrue();
    eventually(() -> assertThat(events(NODE, "StatefulSetConflict")).hasSize(1));
    setImage(B);
    client.resource(Samples.node(namespace, OTHER, spec(A))).create();
    eventually(() -> assertThat(read(StatefulSet.class, OTHER)).isNotNull());
    stays(
        () -> {
          assertThat(statefulSet().getMetadata().getAnnotations())
              .doesNotContainKey(Annotations.RENDERED_HASH);
          assertThat(podUid()).isEqualTo(pod);
        });
    assertThat(node().getStatus().plan()).isNull();
    assertThat(events(OTHER, "StatefulSetConflict")).isEmpty();

    operator.restart();

    awaitUpToDate(B);
    awaitTracked();
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  /** Each look at the annotations finds them gone, as a Go operator would leave the StatefulSet. */
  @Test
  void annotationsThatATenantRemovesKeepNoOtherNodeFromItsImage() {
    String victim = namespace + "-victim";
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(victim).endMetadata().build())
        .create();
    operator.stop();
    operator.with("SEI_WATCH_NAMESPACES", namespace + "," + victim).start();
    createRunning();
    SeiNode other = client.resource(Samples.node(victim, OTHER, spec(A))).create();
    eventually(() -> assertThat(readIn(victim, StatefulSet.class, OTHER)).isNotNull());
    try (KubernetesClient tenant =
            Tenant.of(client, controlPlane.config(ControlPlane.ADMIN), namespace);
        var loop = Executors.newSingleThreadScheduledExecutor()) {
      loop.scheduleWithFixedDelay(() -> removeAnnotations(tenant), 0, 200, TimeUnit.MILLISECONDS);
      eventually(
          () ->
              assertCondition(
                  NodeConditionType.READY,
                  ConditionStatus.UNKNOWN,
                  NodeReason.TAKEOVER_NOT_ENABLED));

      patch(other, "{'spec':{'image':'%s'}}".formatted(B));

      eventually(
          () ->
              assertThat(
                      image(
                          readIn(victim, StatefulSet.class, OTHER)
                              .getSpec()
                              .getTemplate()
                              .getSpec()))
                  .isEqualTo(B));
    }
    String pod = podUid();

    deleteStatefulSet(DeletionPropagation.ORPHAN);

    awaitUpToDate(A);
    awaitTracked();
    assertNeverRestarted(pod);
  }

  private void removeAnnotations(KubernetesClient tenant) {
    String none = "{\"metadata\":{\"annotations\":{\"%s\":null}}";
    tenant
        .apps()
        .statefulSets()
        .inNamespace(namespace)
        .withName(NODE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            (none + ",\"spec\":{\"template\":" + none + "}}}")
                .formatted(Annotations.RENDERED_HASH, Annotations.SPEC_HASH));
  }
}
