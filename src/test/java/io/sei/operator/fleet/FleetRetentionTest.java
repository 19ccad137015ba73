package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.NodeTemplate.TemplateMetadata;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks what remains after a fleet, its namespace or a claim is deleted. */
class FleetRetentionTest extends FleetTestCase {

  private static final SeiNodeDeploymentSpec RETAIN =
      fleetSpec(2, A).withDeletionPolicy(RetentionPolicy.RETAIN);

  /** Has a value that Go writes in another form than Java. */
  private static final SeiNodeDeploymentSpec SPEC =
      fleetSpec(2, A, new InPlace(null, 1, null, null, null))
          .withTemplate(
              new NodeTemplate(new TemplateMetadata(null, Map.of("note", "<x> & y")), spec(A)));

  private static final String STARTING = "starting";

  private static final SeiNodeSpec RETAINED = spec(A).withDataVolume(Samples.retained());

  static Stream<DeletionPropagation> ways() {
    return Cases.of(1, DeletionPropagation.BACKGROUND, DeletionPropagation.FOREGROUND);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void retainedNodesLoseTheirOwnerLiveOnAndAreAdoptedWithoutARestart(
      DeletionPropagation propagation) {
    createReady(2);
    List<List<String>> before = podUids(2);

    patch("{'spec':{'deletionPolicy':'Retain'}}");

    eventually(
        () ->
            assertThat(nodes())
                .allMatch(node -> node.getMetadata().getOwnerReferences().isEmpty()));

    delete(propagation);

    eventually(() -> assertThat(fleet()).isNull());
    stays(
        () -> {
          assertThat(nodes()).hasSize(2).noneMatch(node -> node.isMarkedForDeletion());
          assertThat(claims()).hasSize(2);
        });
    assertThat(events(FLEET, "DeletingData")).isEmpty();

    create(RETAIN);

    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(before);
    assertThat(nodes()).allMatch(node -> node.getMetadata().getOwnerReferences().isEmpty());
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    setImage(B);
    awaitUpToDate(2, B);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void otherNodesGoWithTheirDeployment(DeletionPropagation propagation) {
    createReady(2);

    delete(propagation);

    eventually(
        () -> {
          assertThat(fleet()).isNull();
          assertThat(nodes()).isEmpty();
          assertThat(claims()).isEmpty();
          assertThat(readAll(Pod.class)).isEmpty();
          assertThat(
                  client
                      .apps()
                      .controllerRevisions()
                      .inNamespace(namespace)
                      .withLabel("sei.io/nodedeployment")
                      .list()
                      .getItems())
              .isEmpty();
        });
    awaitEvents("DeletingData", 1);
    assertThat(events(FLEET, "DeletingData").get(0).getMessage())
        .startsWith("the nodes are deleted with their chain data")
        .endsWith("claims data-fleet-0, data-fleet-1");
  }

  private void delete(DeletionPropagation propagation) {
    client.resource(fleet()).withPropagationPolicy(propagation).delete();
  }

  private List<PersistentVolumeClaim> claims() {
    return readAll(PersistentVolumeClaim.class);
  }

  /**
   * A fleet that is deleted with {@code --cascade=orphan} goes, and applying it again takes back
   * what it left. The data of a ControllerRevision is immutable and compared byte by byte, so
   * whatever an API server writes in another way than it was stored is in the garbage collector's
   * way.
   */
  @Tag("long")
  @Test
  void itGoesAndIsAppliedAgainWithoutARestart() {
    create(SPEC);
    awaitUpToDate(2, A);
    setImage(B);
    eventually(() -> assertThat(currentImages()).containsExactly(A, B));
    awaitEvents("RolloutComplete", 1);
    final List<List<String>> before = podUids(2);

    orphan();

    assertThat(kept())
        .hasSize(2)
        .allMatch(revision -> revision.getMetadata().getOwnerReferences().isEmpty());
    create(SPEC.withTemplate(SPEC.template().withSpec(SPEC.template().spec().withImage(B))));

    eventually(() -> assertThat(revisions()).hasSize(2));
    awaitReadyAndUpToDate();
    assertThat(kept()).hasSize(2);
    assertThat(podUids(2)).isEqualTo(before);
    // Below the partition it is given back what the first fleet kept.
    patch(node(0), "{'metadata':{'annotations':{'note':null}}}");
    eventually(
        () -> assertThat(node(0).getMetadata().getAnnotations()).containsEntry("note", "<x> & y"));
    assertThat(specImages()).containsExactly(A, B);
    orphan();
  }

  /** Why revisions are applied: Java keeps the order of the fields and escapes otherwise. */
  @Tag("long")
  @Test
  void dataThatTheApiServerWouldWriteOtherwiseKeepsARevisionFromBeingPatched() {
    assertThat(
            List.of("{'template':{'b':1,'a':2}}", "{'template':'<&>'}", "{'template':{'a':1.0}}"))
        .allSatisfy(this::assertNotPatched);
  }

  private void assertNotPatched(String data) {
    ControllerRevision stored =
        client
            .resource(
                new ControllerRevisionBuilder()
                    .withNewMetadata()
                    .withGenerateName("stored-")
                    .withNamespace(namespace)
                    .endMetadata()
                    .withRevision(1L)
                    .withData(
                        client
                            .getKubernetesSerialization()
                            .unmarshal(data.replace('\'', '"'), JsonNode.class))
                    .build())
            .create();

    assertThatThrownBy(
            () ->
                client
                    .resource(stored)
                    .patch(
                        PatchContext.of(PatchType.STRATEGIC_MERGE),
                        "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("immutable");
  }

  private void awaitReadyAndUpToDate() {
    eventually(
        () -> {
          assertThat(status().readyReplicas()).isEqualTo(2);
          assertThat(status().updated()).isEqualTo("1/2");
          assertThat(status().rollout()).isNull();
          assertThat(currentImages()).containsExactly(A, B);
        });
  }

  private void orphan() {
    deleteOrphaning();
    assertThat(nodes())
        .hasSize(2)
        .allMatch(node -> node.getMetadata().getOwnerReferences().isEmpty())
        .noneMatch(node -> node.isMarkedForDeletion());
  }

  /** Returns the fleet's templates, whatever their owner. */
  private List<ControllerRevision> kept() {
    return readAll(ControllerRevision.class).stream()
        .filter(revision -> revision.getMetadata().getName().startsWith(FLEET + "-v1-"))
        .toList();
  }

  /**
   * A namespace is deleted while a fleet rolls, a node starts, and finalizers keep what they may.
   */
  @Tag("long")
  @Test
  void nodeThatStartsIsReleased() {
    kubelet.inject(namespace, STARTING + "-0", PodFault.UNSCHEDULABLE);
    createStarting("observe-image");

    client.namespaces().withName(namespace).delete();

    eventually(() -> assertThat(readAll(SeiNode.class)).isEmpty());
  }

  @Test
  @Tag("long")
  void itEndsInTheMiddleOfEverything() {
    create(
        fleetSpec(2, A)
            .withDeletionPolicy(DataVolume.RetentionPolicy.RETAIN)
            .withTemplate(new NodeTemplate(null, RETAINED)));
    awaitUpToDate(2, A);
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    sidecar.faults(namespace, STARTING).hold("config-validate");
    createStarting("config-validate");
    eventually(() -> assertThat(pods(1)).hasSize(2));

    client.namespaces().withName(namespace).delete();

    eventually(
        Duration.ofMinutes(2),
        () -> assertThat(client.namespaces().withName(namespace).get()).isNull());
  }

  /** Creates a node of no fleet and waits until it is at this step of its init plan. */
  private void createStarting(String step) {
    client.resource(Samples.node(namespace, STARTING, RETAINED)).create();
    eventually(
        () ->
            assertThat(read(SeiNode.class, STARTING).getStatus().plan().currentTask().get().type())
                .isEqualTo(step));
  }

  /** Whatever a fleet ends pods for. */
  enum Way {
    ROLLOUT(test -> test.setImage(B)),
    SCALE_DOWN_WITH_RETAIN(test -> test.patch("{'spec':{'replicas':1}}")),
    PAUSE(test -> test.patch("{'spec':{'paused':true}}")),
    RESTART(
        test ->
            test.patch(
                "{'metadata':{'annotations':{'%s':'now'}}}"
                    .formatted(Annotations.RESTART_REQUESTED_AT))),
    HALT_AT_A_LISTED_UPGRADE(FleetRetentionTest::haltAtUpgrade);

    private final Consumer<FleetRetentionTest> ask;

    Way(Consumer<FleetRetentionTest> ask) {
      this.ask = ask;
    }
  }

  /**
   * Lists the ways in which a fleet itself ends pods; for those of its nodes see
   * DataVolumeAtRiskTest.
   */
  static Stream<Way> waysToEndPods() {
    return Cases.of(1, Way.values());
  }

  /** Claims of a fleet's nodes are deleted under their pods. */
  @Tag("long")
  @ParameterizedTest
  @MethodSource("waysToEndPods")
  void allClaimsGoAtOnceAndNoPodDoes(Way way) {
    createRetaining(2);
    List<List<String>> pods = podUids(2);
    deleteClaim(0);
    deleteClaim(1);
    awaitAtRisk(0, 1);

    way.ask.accept(this);

    awaitAnotherLookAtFleets();
    stays(() -> assertThat(podUids(2)).isEqualTo(pods));
    assertThat(pods(0)).allMatch(candidate -> candidate.deletionRequestedAt() == null);
    assertThat(pods(1)).allMatch(candidate -> candidate.deletionRequestedAt() == null);
    assertThat(operator.requests().deleted()).noneMatch(text -> text.contains("/pods/"));
    assertThat(status().nodes())
        .filteredOn(summary -> way != Way.PAUSE)
        .allMatch(summary -> summary.reason().contains("DataVolumeAtRisk"));
    awaitEvents("DataVolumeAtRisk", 1);
  }

  @Tag("long")
  @Test
  void rolloutSkipsTheNodeAndTakesItOnceTheLossIsAccepted() {
    createRetaining(3);
    List<String> before = podUids(3).get(1);
    String claim = claim(1).getMetadata().getUid();
    deleteClaim(1);
    awaitAtRisk(1);

    setImage(B);

    eventually(() -> assertThat(currentImages()).containsExactly(B, A, B));
    awaitEvents("RolloutComplete", 1);
    assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE);
    assertThat(podUids(3).get(1)).isEqualTo(before);
    assertThat(node(1).getSpec().image()).as("not admitted").isEqualTo(A);

    patch(node(1), "{'spec':{'dataVolume':{'acceptDataLoss':'%s'}}}".formatted(claim));

    awaitUpToDate(3, B);
    awaitAnotherLookAtFleets();
    assertThat(node(1).getSpec().dataVolume().acceptDataLoss()).isEqualTo(claim);
    assertThat(node(0).getSpec().dataVolume().acceptDataLoss()).isNull();
    assertCondition(FleetConditionType.DATA_VOLUME_AT_RISK, ConditionStatus.FALSE);
  }

  @Test
  void podsThatAreKeptHaveOneBudgetThatAllowsNoEviction() {
    createRetaining(3);
    patch(node(2), "{'spec':{'maintenance':{'hold':'Immediate'}}}");
    deleteClaim(1);

    eventually(
        () -> {
          assertThat(budget("fleet-1-keep").getStatus().getExpectedPods()).isEqualTo(1);
          assertThat(budget("fleet-2-keep").getStatus().getExpectedPods()).isEqualTo(1);
          assertThat(budget(FLEET).getSpec().getSelector().getMatchExpressions())
              .singleElement()
              .matches(
                  requirement -> requirement.getValues().equals(List.of("fleet-1", "fleet-2")));
          assertThat(budget(FLEET).getStatus().getExpectedPods()).isEqualTo(1);
        });
    eventually(
        () ->
            assertThat(nodeCondition(2, NodeConditionType.HELD).status())
                .isEqualTo(ConditionStatus.TRUE));
    // 429; with two budgets it would be 500, which throws.
    assertThat(evict(1)).isFalse();
    assertThat(evict(2)).isFalse();

    patch(node(2), "{'spec':{'maintenance':null}}");

    eventually(() -> assertThat(budget("fleet-2-keep")).isNull());
    eventually(() -> assertThat(budget(FLEET).getStatus().getExpectedPods()).isEqualTo(2));
  }

  private void createRetaining(int replicas) {
    create(
        fleetSpec(replicas, A)
            .withTemplate(new NodeTemplate(null, spec(A).withDataVolume(Samples.retained()))));
    awaitUpToDate(replicas, A);
  }

  private void awaitAtRisk(int... ordinals) {
    eventually(
        () -> {
          assertCondition(FleetConditionType.DATA_VOLUME_AT_RISK, ConditionStatus.TRUE);
          for (int ordinal : ordinals) {
            assertThat(condition(FleetConditionType.DATA_VOLUME_AT_RISK).message())
                .contains("fleet-" + ordinal + ": claim data-fleet-" + ordinal);
          }
        });
  }

  private void haltAtUpgrade() {
    patch(
        "{'spec':{'template':{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}}}"
            .formatted(B));
    eventually(() -> assertThat(nodes()).allMatch(node -> node.getSpec().upgrades() != null));
    kubelet.halt(namespace, "fleet-0-0", "v2", 100);
    kubelet.halt(namespace, "fleet-1-0", "v2", 100);
    eventually(
        () ->
            assertThat(nodes())
                .allMatch(
                    node ->
                        node.getStatus().upgrades().stream()
                            .anyMatch(upgrade -> upgrade.isApplied())));
  }

  private boolean evict(int ordinal) {
    // Another client would try again for a minute.
    var once = new ConfigBuilder(client.getConfiguration()).withRequestRetryBackoffLimit(0).build();
    try (var asking = KubernetesClients.create(once)) {
      return asking.pods().inNamespace(namespace).withName("fleet-" + ordinal + "-0").evict();
    }
  }

  private void deleteClaim(int ordinal) {
    client.resource(claim(ordinal)).delete();
  }

  private PersistentVolumeClaim claim(int ordinal) {
    return read(PersistentVolumeClaim.class, "data-fleet-" + ordinal);
  }

  private PodDisruptionBudget budget(String name) {
    return read(PodDisruptionBudget.class, name);
  }
}
