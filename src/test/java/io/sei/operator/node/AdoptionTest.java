package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.UidRecorder;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes that the Go operator made, whose pods run before this operator is started. */
class AdoptionTest extends IdentityTestCase {

  /** Remains of the Go operator in a node's status. */
  private enum Left {
    SETTLED,
    WITHOUT_STATEFUL_SET,
    UPDATE_PLAN,
    UPDATE_PLAN_AND_NO_STATEFUL_SET,
    MARK_READY_PLAN,
    FAILED_PLAN
  }

  private static final String ADDRESS = "node.p2p.example.com:26656";

  private GoOperator goOperator;

  @BeforeEach
  void stopOurs() {
    operator.stop();
    operator.with("SEI_TAKEOVER_NAMESPACES", namespace);
    goOperator = new GoOperator(client, namespace, NODE);
  }

  static Stream<Left> left() {
    return Cases.of(1, Left.values());
  }

  @ParameterizedTest
  @MethodSource("left")
  void nodeIsLeftAloneElsewhereAdoptedWithoutARestartRollsOnceAndCanBeDeleted(Left left) {
    goOperator.create(spec(A).withExternalAddress(ADDRESS));
    awaitPodOfTheGoOperator();
    goOperator.update(
        "manager",
        "{'metadata':{'labels':{'legacy':'yes'},'annotations':{'legacy':'yes'}},"
            + "'spec':{'template':{'metadata':{'annotations':{'legacy':'yes'}}}}}");
    goOperator.update("kubectl-edit", "{'metadata':{'labels':{'team':'nodes'}}}");
    goOperator.writeStatus(status(left, A));
    setBySomebody("f:nodeConfig");
    String pod = podUid();
    String statefulSet = statefulSetUid();
    assertLeftAloneElsewhere();

    operator.with("SEI_TAKEOVER_NAMESPACES", namespace).start();

    awaitUpToDate(A);
    awaitTracked();
    assertThat(node().getStatus().podBaseline().unserved()).containsExactly("spec.nodeConfig");
    assertThat(node().getMetadata().getFinalizers()).containsExactly(GoOperator.FINALIZER);
    assertFieldsOfOthersAloneStay();
    eventually(() -> assertThat(events("FieldsNotServed")).hasSize(1));
    assertThat(statefulSetUid()).isEqualTo(statefulSet);
    eventually(
        () ->
            assertCondition(
                NodeConditionType.RESTART_PENDING,
                ConditionStatus.TRUE,
                NodeReason.TEMPLATE_CHANGED));
    assertThat(condition(NodeConditionType.RESTART_PENDING).message())
        .contains("enableServiceLinks", "args of container sei-sidecar")
        .doesNotContain("spec.template", Annotations.BODY_HASH);
    awaitQuiet();
    assertNeverRestarted(pod);
    assertAppliedAsOurs();
    assertThat(sidecar.tasks(namespace, NODE))
        .filteredOn(task -> task.type().equals("config-apply"))
        .extracting(task -> task.params().at("/overrides/network.p2p.external_address").asText())
        .containsOnly(ADDRESS);

    setImage(B);
    awaitUpToDate(B);
    assertCondition(NodeConditionType.RESTART_PENDING, ConditionStatus.FALSE);
    awaitQuiet();
    assertThat(podUids()).hasSize(2);
    assertThat(statefulSetUid()).isEqualTo(statefulSet);
    assertThat(node().getSpec().externalAddress()).isEqualTo(ADDRESS);

    client.resource(node()).delete();

    eventuallyWithoutEvent(
        () -> {
          assertThat(node()).isNull();
          assertThat(statefulSet()).isNull();
          assertThat(client.persistentVolumeClaims().inNamespace(namespace).list().getItems())
              .isEmpty();
        });
  }

  /** The fields of the Go operator's plain updates go. */
  private void assertFieldsOfOthersAloneStay() {
    eventually(
        () -> {
          StatefulSet now = statefulSet();
          assertThat(now.getMetadata().getLabels()).doesNotContainKey("legacy");
          assertThat(now.getMetadata().getAnnotations()).doesNotContainKey("legacy");
          assertThat(now.getSpec().getTemplate().getMetadata().getAnnotations())
              .doesNotContainKey("legacy");
        });
    assertThat(statefulSet().getMetadata().getLabels()).containsEntry("team", "nodes");
  }

  private void assertLeftAloneElsewhere() {
    operator.with("SEI_TAKEOVER_NAMESPACES", namespace + "-other").start();
    eventually(
        () ->
            assertCondition(
                NodeConditionType.READY, ConditionStatus.UNKNOWN, NodeReason.TAKEOVER_NOT_ENABLED));
    assertThat(condition(NodeConditionType.READY).message())
        .contains(
            "StatefulSet node lacks what this operator writes",
            "takeover.enabled=true",
            namespace + " in takeover.namespaces",
            "docs/from-the-go-operator.md");
    setImage(B);
    stays(() -> assertThat(image(statefulSet().getSpec().getTemplate().getSpec())).isEqualTo(A));
    assertThat(
            operator.requests().matching(request -> request.isWrite() && !isStatusWrite(request)))
        .isEmpty();
    operator.stop();
    setImage(A);
  }

  /** Sets a field as an API server keeps it that only an earlier schema had. */
  private void setBySomebody(String field) {
    client
        .resource(node())
        .patch(
            PatchContext.of(PatchType.JSON),
            """
            [{"op": "add", "path": "/metadata/managedFields/-", "value": {
              "manager": "kubectl", "operation": "Update", "apiVersion": "sei.io/v1alpha1",
              "time": "2026-06-01T00:00:00Z", "fieldsType": "FieldsV1",
              "fieldsV1": {"f:spec": {"%s": {}}}}}]
            """
                .formatted(field));
  }

  static Stream<Left> leftInARoll() {
    return Cases.of(1, Left.UPDATE_PLAN, Left.SETTLED, Left.WITHOUT_STATEFUL_SET);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("leftInARoll")
  void rollThatTheGoOperatorBeganIsFinishedWithOneReplacement(Left left) {
    SeiNode node = goOperator.create(spec(A));
    awaitPodOfTheGoOperator();
    setImage(B);
    goOperator.apply(node, B, NODE);
    goOperator.writeStatus(status(left, A));

    operator.start();

    awaitUpToDate(B);
    awaitQuiet();
    assertThat(podUids()).hasSize(2);
  }

  @Test
  void rollOfWhichTheGoOperatorHadDeletedThePodIsNotRepeated() {
    SeiNode node = goOperator.create(spec(A));
    awaitPodOfTheGoOperator();
    setImage(B);
    goOperator.apply(node, B, NODE);
    eventually(
        () -> {
          StatefulSet now = statefulSet();
          assertThat(now.getStatus().getObservedGeneration())
              .isEqualTo(now.getMetadata().getGeneration());
        });
    client.pods().inNamespace(namespace).withName(POD).delete();
    eventually(() -> assertThat(runningImage()).isEqualTo(B));
    goOperator.writeStatus(status(Left.UPDATE_PLAN, A));

    operator.start();

    awaitUpToDate(B);
    awaitQuiet();
    assertThat(podUids()).hasSize(2);
  }

  static Stream<Boolean> recorded() {
    return Cases.of(1, true, false);
  }

  @Tag("long")
  @ParameterizedTest(name = "recorded: {0}")
  @MethodSource("recorded")
  void statefulSetOfAnotherServiceNameIsReplacedWithoutARestart(boolean recorded) {
    goOperator.create(spec(A), "other");
    awaitPodOfTheGoOperator();
    goOperator.writeStatus(status(recorded ? Left.SETTLED : Left.WITHOUT_STATEFUL_SET, A));
    String pod = podUid();
    try (UidRecorder seen = recordStatefulSets()) {
      operator.start();

      eventually(() -> assertThat(statefulSet().getSpec().getServiceName()).isEqualTo(NODE));
      awaitTracked();
      awaitUpToDate(A);
      eventually(
          () ->
              assertThat(pod().getMetadata().getOwnerReferences())
                  .extracting(OwnerReference::getUid)
                  .containsExactly(statefulSetUid()));
      awaitQuiet();
      assertNeverRestarted(pod);
      assertThat(seen.uids()).hasSize(2);
    }
  }

  @Tag("long")
  @Test
  void nodeThatTheGoOperatorHadNotFinishedIsInitialized() {
    goOperator.create(spec(A));
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    goOperator.writeStatus(
        """
        {'phase':'Initializing','conditions':[],
         'plan':{'id':'8f4de6a5-6c6c-4b80-9c1e-3a2f7ac2b5b1','phase':'Active',
           'targetPhase':'Running','failedPhase':'Failed',
           'tasks':[{'type':'ensure-data-pvc','id':'a','status':'Complete'},
                    {'type':'configure-genesis','id':'b','status':'Pending'}]}}\
        """);
    String pod = podUid();

    operator.start();

    awaitUpToDate(A);
    assertThat(node().getStatus().phase()).isEqualTo(NodePhase.RUNNING);
    assertNeverRestarted(pod);
  }

  private void awaitPodOfTheGoOperator() {
    eventually(() -> goOperator.markReady(sidecar));
    eventually(
        () ->
            assertThat(pod().getStatus().getConditions())
                .anyMatch(
                    condition ->
                        condition.getType().equals("Ready")
                            && condition.getStatus().equals("True")));
  }

  private void assertAppliedAsOurs() {
    Map<String, ServicePort> ports =
        client.services().inNamespace(namespace).withName(NODE).get().getSpec().getPorts().stream()
            .collect(Collectors.toMap(ServicePort::getName, port -> port));
    assertThat(ports).containsKeys("grpc", "api");
    ConfigMap proxy =
        client.configMaps().inNamespace(namespace).withName(NODE + "-rbac-proxy-config").get();
    assertThat(proxy.getData().get("config.yaml")).contains("name: \"" + NODE + "\"");
    assertThat(statefulSet().getSpec().getTemplate().getSpec().getContainers())
        .filteredOn(container -> container.getName().equals("seid"))
        .flatExtracting(Container::getEnv)
        .extracting(EnvVar::getName)
        .doesNotContain("ONLY_OF_THE_GO_OPERATOR");
    assertThat(statefulSet().getSpec().getTemplate().getSpec().getInitContainers())
        .filteredOn(container -> container.getName().equals("sei-sidecar"))
        .flatExtracting(Container::getCommand)
        .isEmpty();
  }

  private String status(Left left, String image) {
    String statefulSet =
        "'statefulSet':{'name':'%s','uid':'%s'},".formatted(NODE, statefulSetUid());
    return switch (left) {
      case SETTLED -> GoOperator.settled(image, statefulSet);
      case WITHOUT_STATEFUL_SET -> GoOperator.settled(image, "");
      case UPDATE_PLAN -> GoOperator.settled(image, statefulSet + updatePlan("Active") + ",");
      case UPDATE_PLAN_AND_NO_STATEFUL_SET -> GoOperator.settled(image, updatePlan("Active") + ",");
      case MARK_READY_PLAN ->
          GoOperator.settled(
              image,
              statefulSet
                  + plan(
                      "Active",
                      "{'type':'mark-ready','id':'m','status':'Pending',"
                          + "'submittedAt':'2026-06-01T00:00:00Z'}")
                  + ",");
      case FAILED_PLAN -> GoOperator.settled(image, statefulSet + updatePlan("Failed") + ",");
    };
  }

  private static String updatePlan(String phase) {
    return plan(
        phase,
        "{'type':'apply-statefulset','id':'a','status':'Complete','params':{'nodeName':'node'}},"
            + "{'type':'apply-service','id':'b','status':'Complete'},"
            + "{'type':'replace-pod','id':'c','status':'Complete'},"
            + "{'type':'observe-image','id':'d','status':'Pending',"
            + "'submittedAt':'2026-06-01T00:00:00Z'},"
            + "{'type':'mark-ready','id':'e','status':'Pending'}");
  }

  private static String plan(String phase, String tasks) {
    return "'plan':{'id':'8f4de6a5-6c6c-4b80-9c1e-3a2f7ac2b5b1','phase':'%s','targetPhase':'Running','tasks':[%s]}"
        .formatted(phase, tasks);
  }
}
