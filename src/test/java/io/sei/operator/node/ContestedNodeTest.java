package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
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
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.samples.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Go operator that takes a node back, or acts beside this one while its Lease is not seen. */
class ContestedNodeTest extends IdentityTestCase {

  private static final String OTHER = "other";

  private static final String ROLLING_UPDATE =
      "{\"spec\":{\"updateStrategy\":{\"type\":\"RollingUpdate\"}}}";
  private static final String KEEP_CLAIM = "{\"spec\":{\"dataVolume\":{\"onDelete\":\"Retain\"}}}";
  private static final String NO_FINALIZERS = "{\"metadata\":{\"finalizers\":null}}";

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

  /**
   * The way back: to the Go operator, and to no operator at all, as docs/from-the-go-operator.md
   * says.
   */
  @Test
  void goOperatorTakesItsObjectsBackAndForthWithoutARestart() {
    create(spec(A));
    SeiNode node = awaitUpToDate(A);
    String pod = podUid();
    String statefulSet = statefulSetUid();
    operator.stop();
    var goOperator = new GoOperator(client, namespace, NODE);

    goOperator.apply(node, A, NODE);

    awaitControllerCaughtUp();
    assertNeverRestarted(pod);
    assertThat(statefulSetUid()).isEqualTo(statefulSet);
    StatefulSet theirs = statefulSet();
    assertThat(theirs.getMetadata().getAnnotations()).doesNotContainKey(Annotations.RENDERED_HASH);
    assertThat(theirs.getSpec().getTemplate().getMetadata().getAnnotations())
        .doesNotContainKeys(Annotations.SPEC_HASH, Annotations.BODY_HASH);
    assertThat(theirs.getSpec().getTemplate().getSpec().getContainers())
        .flatExtracting(container -> container.getEnv())
        .extracting(EnvVar::getName)
        .containsOnlyOnce("ONLY_OF_THE_GO_OPERATOR")
        .doesNotContain("TMPDIR");
    assertThat(appliers()).isEqualTo("seinode-controller");
    assertThat(node().getStatus().currentImage()).isEqualTo(A);

    setImage(B);
    goOperator.apply(node, B, NODE);
    awaitControllerCaughtUp();
    client.pods().inNamespace(namespace).withName(POD).delete();
    eventually(() -> assertThat(runningImage()).isEqualTo(B));
    eventually(() -> goOperator.markReady(sidecar));
    goOperator.writeStatus("{'currentImage':'" + B + "','currentSidecarImage':'seictl:go'}");
    String theirPod = podUid();

    operator.with("SEI_TAKEOVER_NAMESPACES", namespace).start();

    awaitUpToDate(B);
    awaitQuiet();
    assertThat(podUids()).containsExactly(pod, theirPod);
  }

  @Tag("long")
  @Test
  void withoutAnOperatorNothingRestartsWhereThePodIsOfTheNewestTemplate() {
    createRunning();
    setImage(B);
    awaitUpToDate(B);
    kubectl("patch", "seinode", NODE, "--type=merge", "-p", KEEP_CLAIM);
    eventually(() -> assertThat(node().getMetadata().getFinalizers()).isNotEmpty());
    operator.stop();
    List<String> pods = podUids();
    assertThat(podRevision()).isEqualTo(statefulSet().getStatus().getUpdateRevision());

    kubectl("patch", "seinode", NODE, "--type=merge", "-p", NO_FINALIZERS);
    kubectl("delete", "seinode", NODE, "--cascade=orphan", "--timeout=1m");

    assertThat(node()).isNull();
    assertThat(statefulSet().getMetadata().getOwnerReferences()).isEmpty();
    kubectl("patch", "statefulset", NODE, "--type=merge", "-p", ROLLING_UPDATE);
    // The controller has rolled nothing and calls that a complete roll.
    eventually(
        () -> {
          StatefulSetStatus status = statefulSet().getStatus();
          assertThat(status.getObservedGeneration())
              .isEqualTo(statefulSet().getMetadata().getGeneration());
          assertThat(status.getCurrentRevision()).isEqualTo(status.getUpdateRevision());
        });
    stays(() -> assertThat(podUids()).isEqualTo(pods));
    assertThat(client.persistentVolumeClaims().inNamespace(namespace).list().getItems())
        .hasSize(1)
        .allMatch(claim -> claim.getMetadata().getOwnerReferences().isEmpty());
  }

  @Tag("long")
  @Test
  void rollingUpdateRestartsAPodThatWaitedForARestart() {
    createRunning();
    operator.stop();
    operator.with("SEI_KUBE_RBAC_PROXY_IMAGE", "proxy:newer").start();
    eventually(() -> assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.TRUE));
    operator.stop();
    assertThat(podUids()).hasSize(1);
    // The condition tells what was applied, whether or not the controller has seen it.
    awaitControllerCaughtUp();
    assertThat(podRevision()).isNotEqualTo(statefulSet().getStatus().getUpdateRevision());

    kubectl("patch", "statefulset", NODE, "--type=merge", "-p", ROLLING_UPDATE);

    eventually(() -> assertThat(podUids()).hasSize(2));
    eventually(
        () -> assertThat(podRevision()).isEqualTo(statefulSet().getStatus().getUpdateRevision()));
  }

  private String podRevision() {
    return pod().getMetadata().getLabels().get("controller-revision-hash");
  }

  /** Returns the appliers of the objects; the client leaves managedFields out. */
  private String appliers() {
    return kubectl(
        "get",
        "statefulset",
        NODE,
        "-o",
        "jsonpath={.metadata.managedFields[?(@.operation==\"Apply\")].manager}");
  }

  private String kubectl(String... arguments) {
    var command = new ArrayList<>(List.of("-n", namespace));
    command.addAll(List.of(arguments));
    KubectlResult result = controlPlane.kubectl(command.toArray(String[]::new));
    assertThat(result.exitCode()).as("%s", result).isZero();
    return result.stdout();
  }
}
