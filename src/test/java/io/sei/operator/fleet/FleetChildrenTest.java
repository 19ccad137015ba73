package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.Denials.Answer;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.PrometheusSimulator;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.TestStorageClass;
import io.sei.operator.testkit.samples.Samples;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A fleet owns the fields of its nodes that its template sets, and no others; it makes and removes
 * nodes as their number asks for, and continues with the others where one is refused or cannot be
 * read.
 */
class FleetChildrenTest extends FleetTestCase {

  private static final String DEEP = "[".repeat(1_100) + "]".repeat(1_100);

  /** Larger than a spec may be: not even its image is known. */
  private static final String LARGE = "\"" + "x".repeat(300_000) + "\"";

  private static final String NODES = "seinodes";
  private static final String POLICY = "the platform team says no";

  private Denials denials;

  @Test
  void nodesHaveWhatTheTemplateSaysAndWhatOthersAdd() {
    sidecar.version(SidecarVersion.V0_0_70);
    createReady(2);
    List<List<String>> before = podUids(2);

    patch("{'spec':{'template':{'spec':{'externalAddress':'host:26656'}}}}");

    eventually(
        () ->
            assertThat(nodes())
                .allMatch(node -> "host:26656".equals(node.getSpec().externalAddress())));
    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(before);
    assertThat(events(FLEET, "RolloutStarted"))
        .as("a configuration is given, no template")
        .hasSize(1)
        .allSatisfy(event -> assertThat(event.getMessage()).contains("configuration"));

    patch("{'spec':{'template':{'metadata':{'labels':{'team':'x'},'annotations':{'note':'y'}}}}}");

    eventually(
        () ->
            assertThat(nodes())
                .allSatisfy(
                    node -> {
                      assertThat(node.getMetadata().getLabels()).containsEntry("team", "x");
                      assertThat(node.getMetadata().getAnnotations()).containsEntry("note", "y");
                    }));
    patch("{'spec':{'template':{'metadata':null,'spec':{'externalAddress':null}}}}");

    eventually(
        () ->
            assertThat(nodes())
                .allSatisfy(
                    node -> {
                      assertThat(node.getSpec().externalAddress()).isNull();
                      assertThat(node.getMetadata().getLabels()).doesNotContainKey("team");
                      assertThat(node.getMetadata().getAnnotations()).doesNotContainKey("note");
                    }));
    awaitUpToDate(2, A);
    assertWhatOthersAddSurvivesARollout();
  }

  private void assertWhatOthersAddSurvivesARollout() {
    patch(
        node(0),
        "{'metadata':{'labels':{'theirs':'l'},'annotations':{'theirs':'a'}},"
            + "'spec':{'progressDeadlineSeconds':77,'externalAddress':'own:26656'}}");

    patch(
        "{'spec':{'template':{'metadata':{'labels':{'ours':'l'}},'spec':{'image':'%s'}}}}"
            .formatted(B));

    awaitUpToDate(2, B);
    assertThat(node(0).getMetadata().getLabels())
        .containsEntry("theirs", "l")
        .containsEntry("ours", "l");
    assertThat(node(0).getMetadata().getAnnotations()).containsEntry("theirs", "a");
    assertThat(node(0).getSpec().progressDeadlineSeconds()).isEqualTo(77);
    assertThat(node(0).getSpec().externalAddress()).isEqualTo("own:26656");
  }

  @Tag("long")
  @Test
  void whatTheTemplateSetsIsPutBackWhoeverEditsIt() {
    createReady(2);
    patch(
        "{'spec':{'template':{'spec':{'sidecar':{'image':'seictl:t'},'podLabels':{'team':'t'},"
            + "'overrides':{'mempool.size':'10'}}}}}");
    awaitUpToDate(2, A);

    patch(
        node(1),
        "{'spec':{'image':'sei:own','sidecar':{'image':'seictl:own'},'podLabels':{'team':'own'},"
            + "'overrides':{'mempool.size':'20'}}}");

    eventually(
        () -> {
          assertThat(node(1).getSpec().image()).isEqualTo(A);
          assertThat(node(1).getSpec().sidecar().image()).isEqualTo("seictl:t");
          assertThat(node(1).getSpec().podLabels()).containsEntry("team", "t");
          assertThat(node(1).getSpec().overrides()).containsEntry("mempool.size", "10");
        });
    awaitUpToDate(2, A);
    setImage(B);
    awaitUpToDate(2, B);
    assertThat(status().nodes()).extracting("reason").containsOnlyNulls();
  }

  @Test
  @Tag("long")
  void whatTheTemplateIsSilentAboutMayBeSetOnANodeAndIsNamed() {
    createReady(2);

    patch(node(1), "{'spec':{'sidecar':{'image':'seictl:own'},'podLabels':{'own':'l'}}}");

    eventually(() -> assertThat(podImages(1)).containsExactly(A, A));
    awaitUpToDate(2, A);
    eventually(
        () ->
            assertThat(status().nodes())
                .extracting("reason")
                .containsExactly(null, "SetByHand: spec.sidecar, spec.podLabels.own"));
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    setImage(B);
    awaitUpToDate(2, B);
    assertThat(node(1).getSpec().sidecar().image()).isEqualTo("seictl:own");
    assertThat(podImages(1)).containsExactly(A, A, B);

    patch(node(1), "{'spec':{'sidecar':null,'podLabels':{'own':null}}}");

    eventually(() -> assertThat(status().nodes()).extracting("reason").containsOnlyNulls());
    awaitUpToDate(2, B);
    assertThat(podImages(1)).containsExactly(A, A, B, B);
  }

  @Test
  @Tag("long")
  void aNodeThatLostItsLabelIsStillOurs() {
    createReady(2);
    List<List<String>> before = podUids(2);

    patch(node(1), "{'metadata':{'labels':{'sei.io/nodedeployment':null}}}");

    eventually(
        () ->
            assertThat(node(1).getMetadata().getLabels())
                .containsEntry("sei.io/nodedeployment", FLEET));
    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(before);
  }

  @Test
  void aNodeOfTheNameThatIsNotOursIsLeftAloneAndNamed() {
    var foreign = Samples.node(namespace, "fleet-1", spec(C));
    String uid = client.resource(foreign).create().getMetadata().getUid();

    create(fleetSpec(2, A));

    eventually(
        () -> {
          assertCondition(
              FleetConditionType.READY, ConditionStatus.FALSE, FleetReason.CHILD_CONFLICT);
          assertThat(condition(FleetConditionType.READY).message()).contains("fleet-1");
          assertThat(node(0).getStatus().currentImage()).isEqualTo(A);
        });
    stays(
        () -> {
          assertThat(node(1).getMetadata().getUid()).isEqualTo(uid);
          assertThat(node(1).getSpec().image()).isEqualTo(C);
          assertThat(node(1).getMetadata().getOwnerReferences()).isEmpty();
        });
    awaitEvents("ChildConflict", 1);

    client.resource(node(1)).delete();
    // One that is still there at the start is looked for again only half a minute later.
    eventually(
        () ->
            assertThat(nodes())
                .extracting(node -> node.getMetadata().getUid())
                .doesNotContain(uid));
    operator.restart();

    awaitUpToDate(2, A);
  }

  /** The fleet's own restart is on its nodes too, and one of them is restarted after that. */
  @Tag("long")
  @Test
  void aRestartRollsTheFleetAndANodeThatIsRestartedAloneStaysPartOfIt() {
    String restart = "{'metadata':{'annotations':{'sei.io/restart-requested-at':'%s'}}}";
    createReady(2);

    patch(restart.formatted("fleet"));

    eventually(() -> assertThat(podImages(0)).hasSize(2));
    awaitUpToDate(2, A);
    assertThat(pods(0).get(0).deletionRequestedAt()).isAfterOrEqualTo(pods(1).get(1).createdAt());
    awaitEvents("RolloutComplete", 1);

    patch(node(0), restart.formatted("node"));

    eventually(() -> assertThat(podImages(0)).hasSize(3));
    awaitUpToDate(2, A);
    stays(
        () -> {
          assertThat(node(0).getMetadata().getAnnotations())
              .containsEntry("sei.io/restart-requested-at", "node");
          assertThat(podImages(0)).hasSize(3);
          assertThat(podImages(1)).hasSize(2);
          assertThat(status().updated()).isEqualTo("2/2");
        });
    assertThat(status().nodes()).extracting("reason").containsOnlyNulls();
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);

    patch(restart.formatted("fleet again"));

    eventually(() -> assertThat(podImages(1)).hasSize(3));
    eventually(() -> assertThat(podImages(0)).hasSize(4));
    awaitUpToDate(2, A);
  }

  @Tag("long")
  @Test
  void eachVolumeGrowsForItselfFromTheSizeOfTheTemplate() {
    try (var storageClass = new TestStorageClass(client, namespace, true);
        var prometheus = new PrometheusSimulator()) {
      operator.asking(prometheus).restart();
      prometheus.says(namespace, "data-fleet-0", "10Gi", 70);
      prometheus.says(namespace, "data-fleet-1", "10Gi", 70);
      create(fleetSpec(2, A).withTemplate(growing(storageClass.name())));
      awaitUpToDate(2, A);
      List<List<String>> pods = podUids(2);

      prometheus.says(namespace, "data-fleet-1", "10Gi", 85);
      awaitSizes("10Gi", "12Gi");
      awaitAnotherLookAtFleets();
      awaitSizes("10Gi", "12Gi");
      assertThat(node(0).getSpec().storage().orElseThrow().autoGrow().usedPercent()).isEqualTo(80);
      assertThat(node(1).getSpec().dataVolume()).isEqualTo(node(0).getSpec().dataVolume());

      resize("11Gi");
      awaitSizes("11Gi", "12Gi");
      kubelet.inject(namespace, "fleet-0-0", SeidDeaths.fullDisk().fault());
      awaitSizes("13Gi", "12Gi");
      kubelet.clear(namespace, "fleet-0-0");
      awaitUpToDate(2, A);
      resize("14Gi");
      awaitSizes("14Gi", "14Gi");
      awaitUpToDate(2, A);
      assertThat(podUids(2)).as("nothing restarts").isEqualTo(pods);
    }
  }

  private static NodeTemplate growing(String storageClass) {
    var size = new Storage.Resources(new Storage.Requests(new Quantity("10Gi")));
    var rule = new Storage.AutoGrow(80, "2Gi", new Quantity("14Gi"));
    var storage = new Storage(storageClass, null, size, rule);
    return new NodeTemplate(
        null, spec(A).withDataVolume(new DataVolume(null, null, storage, null, null)));
  }

  private void resize(String size) {
    patch(
        "{'spec':{'template':{'spec':{'dataVolume':{'storage':{'resources':{'requests':{'storage':'%s'}}}}}}}}"
            .formatted(size));
  }

  private void awaitSizes(String... sizes) {
    eventually(
        () -> {
          for (int ordinal = 0; ordinal < sizes.length; ordinal++) {
            assertThat(
                    read(PersistentVolumeClaim.class, "data-fleet-" + ordinal)
                        .getStatus()
                        .getCapacity())
                .containsEntry("storage", new Quantity(sizes[ordinal]));
            assertThat(nodeCondition(ordinal, NodeConditionType.DATA_VOLUME_RESIZED).message())
                .isEqualTo("claim data-fleet-%d has %s".formatted(ordinal, sizes[ordinal]));
          }
        });
  }

  /** Makes as many nodes as the spec wants; a change of their number restarts none of them. */
  @Test
  void scalingUpAndDownWithKubectlRestartsNoPodAndAnAutoscalerFindsThePods() {
    createReady(2);
    assertAutoscalerFindsPods("fleet-0-0", "fleet-1-0");
    List<List<String>> before = podUids(2);
    String revision = node(0).getMetadata().getLabels().get("sei.io/revision");

    scale(4);
    awaitUpToDate(4, A);
    assertThat(node(3).getMetadata().getLabels()).containsEntry("sei.io/revision", revision);
    scale(1);
    awaitUpToDate(1, A);

    assertThat(podUids(2)).isEqualTo(before);
    assertThat(node(0).getMetadata().getLabels()).containsEntry("sei.io/revision", revision);
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    eventually(() -> assertThat(claims()).containsExactly("data-fleet-0"));
    eventually(() -> assertThat(status().incumbentNodes()).containsExactly("fleet-0"));
    // It is said again of a node that the watch has not seen go yet.
    eventually(
        () ->
            assertThat(events(FLEET, "DeletingData"))
                .allSatisfy(event -> assertThat(event.getType()).isEqualTo("Warning"))
                .anySatisfy(
                    event ->
                        assertThat(event.getMessage())
                            .startsWith("scaling down deletes chain data")
                            .endsWith("claims data-fleet-1, data-fleet-2, data-fleet-3")));
    client.resource(Samples.node(namespace, "other", spec(A))).create();
    eventually(() -> assertThat(read(Pod.class, "other-0")).isNotNull());
    assertAutoscalerFindsPods("fleet-0-0");
  }

  /** Asserts the fields that a HorizontalPodAutoscaler needs. */
  private void assertAutoscalerFindsPods(String... names) {
    String scale =
        client.raw(
            "/apis/sei.io/v1alpha1/namespaces/%s/seinodedeployments/%s/scale"
                .formatted(namespace, FLEET));

    JsonNode read = Serialization.unmarshal(scale, JsonNode.class);
    assertThat(read.at("/spec/replicas").asInt()).isEqualTo(names.length);
    assertThat(read.at("/status/replicas").asInt()).isEqualTo(names.length);
    String selector = read.at("/status/selector").asText();
    assertThat(client.pods().inNamespace(namespace).withLabelSelector(selector).list().getItems())
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactlyInAnyOrder(names);
  }

  private void scale(int replicas) {
    var result =
        controlPlane.kubectl("scale", "-n", namespace, "snd", FLEET, "--replicas=" + replicas);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
  }

  private List<String> claims() {
    return readAll(PersistentVolumeClaim.class).stream()
        .map(HasMetadata::getMetadata)
        .map(meta -> meta.getName())
        .toList();
  }

  @Tag("long")
  @Test
  void scalingDownIsNotBlockedByARolloutThatIsStuck() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    setImage(B);
    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));

    patch("{'spec':{'replicas':1}}");

    eventually(() -> assertThat(nodes()).hasSize(1));
    eventually(() -> assertThat(currentImages()).containsExactly(B));
    assertThat(node(0)).isNotNull();
    kubelet.clearImage(B);
    awaitUpToDate(1, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  /** A node that the operator cannot read is missed by its fleet, and left as it is. */
  @Tag("long")
  @Test
  void aRolloutCountsItAsUnavailableAndComesBackToIt() {
    createReady(3);
    List<List<String>> pods = podUids(3);
    spoil(0, LARGE);
    eventually(() -> assertThat(status().readyReplicas()).isEqualTo(2));
    long generation = node(0).getMetadata().getGeneration();

    setImage(B);

    eventually(() -> assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE));
    stays(
        () -> {
          assertThat(podUids(3)).as("maxUnavailable is used up").isEqualTo(pods);
          assertThat(node(0).getMetadata().getGeneration()).isEqualTo(generation);
        });
    patch("{'spec':{'updateStrategy':{'type':'InPlace','inPlace':{'maxUnavailable':2}}}}");
    eventually(() -> assertThat(podImages(2)).containsExactly(A, B));
    eventually(() -> assertThat(podImages(1)).containsExactly(A, B));
    assertThat(podImages(0)).containsExactly(A);

    mend(0);

    awaitUpToDate(3, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  @Test
  void scalingDownAndAnUnreadableFleetDeleteNothing() {
    createReady(2);
    List<List<String>> pods = podUids(2);
    spoil(1, DEEP);
    eventually(
        () ->
            assertThat(nodeCondition(1, NodeConditionType.STALLED).reason())
                .isEqualTo("InvalidSpec"));

    patch("{'spec':{'replicas':1}}");

    stays(() -> assertThat(node(1)).isNotNull());
    patch(
        "{'spec':{'template':{'spec':{'configValues':[{'fileName':'app.toml','key':'a.b','value':%s}]}}}}"
            .formatted(LARGE));
    eventually(
        () -> assertCondition(FleetConditionType.STALLED, ConditionStatus.TRUE, "InvalidSpec"));
    assertCondition(FleetConditionType.READY, ConditionStatus.FALSE, "InvalidSpec");
    assertThat(status().incumbentNodes()).hasSize(2);
    operator.restart();
    stays(() -> assertThat(podUids(2)).isEqualTo(pods));

    patch("{'spec':{'replicas':2,'template':{'spec':{'configValues':null}}}}");
    mend(1);
    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(pods);
  }

  private void spoil(int ordinal, String value) {
    patch(
        node(ordinal),
        "{'spec':{'configValues':[{'fileName':'app.toml','key':'a.b','value':%s}]}}"
            .formatted(value));
  }

  private void mend(int ordinal) {
    SeiNode node = node(ordinal);
    patch(node, "{'spec':{'configValues':null}}");
  }

  @BeforeEach
  void prepareDenials() {
    denials = new Denials(client, namespace);
  }

  /**
   * Continues with the other nodes of a fleet, and their counts, where the API server refuses one.
   */
  @Test
  void aNodeThatMayNotBeMadeIsToldAndTheOthersAreMade() {
    denials.deny(NODES, "fleet-0", Answer.INVALID, "CREATE");
    create(fleetSpec(3, A));

    awaitTold(StallReason.APPLY_REFUSED, "SeiNode fleet-0", POLICY);
    eventually(() -> assertThat(status().readyReplicas()).isEqualTo(2));
    assertThat(status().nodes()).hasSize(2);
    denials.allow(NODES);

    awaitUpToDate(3, A);
    eventually(() -> assertThat(events(FLEET, "Recovered")).isNotEmpty());
  }

  @Test
  @Tag("long")
  void aNodeThatMayNotBeDeletedIsToldAndTheOthersGo() {
    createReady(3);
    denials.deny(NODES, "fleet-2", Answer.FORBIDDEN, "DELETE");

    patch("{'spec':{'replicas':1}}");

    awaitTold(StallReason.APPLY_REFUSED, "SeiNode fleet-2", POLICY);
    eventually(() -> assertThat(node(1)).isNull());
    denials.allow(NODES);

    awaitUpToDate(1, A);
  }

  @Test
  @Tag("long")
  void aRevisionThatMayNotBeKeptHoldsTheRolloutAndNothingElse() {
    createReady(2);
    denials.forbidAny("count/controllerrevisions.apps");

    patch("{'spec':{'replicas':1,'template':{'spec':{'image':'%s'}}}}".formatted(B));

    awaitTold(StallReason.QUOTA_EXCEEDED, "ControllerRevision", "exceeded quota");
    eventually(() -> assertThat(node(1)).isNull());
    assertThat(specImages()).containsExactly(A);
    denials.raiseQuota("count/controllerrevisions.apps");

    awaitUpToDate(1, B);
  }

  @Tag("long")
  @Test
  void aNodeRefusedInTheMiddleOfARolloutHoldsItAndIsCounted() {
    createReady(3, atMostUnavailable(1));
    denials.deny(NODES, "fleet-1", Answer.INVALID, "UPDATE");

    setImage(B);

    awaitTold(StallReason.APPLY_REFUSED, "SeiNode fleet-1", POLICY);
    eventually(
        () -> {
          assertThat(status().phase()).isEqualTo(FleetPhase.UPGRADING);
          assertThat(status().updated()).isEqualTo("1/3");
          assertThat(status().readyReplicas()).isEqualTo(3);
        });
    // Not at the nodes, whose annotations the policy keeps as they are.
    awaitAnotherLookAtFleets();
    assertThat(specImages()).containsExactly(A, A, B);
    kubelet.loseNode();
    eventually(() -> assertThat(status().readyReplicas()).isZero());
    kubelet.recoverNode();
    denials.allow(NODES);

    awaitUpToDate(3, B);
  }

  /** A node that is refused something tells that its pod is down all the same. */
  @Test
  @Tag("long")
  void theBudgetCountsANodeThatIsDownWhateverItIsRefused() {
    createReady(3, atMostUnavailable(1));
    denials.deny("services", "fleet-0", Answer.FORBIDDEN, "CREATE");
    client.services().inNamespace(namespace).withName("fleet-0").delete();
    eventually(() -> assertThat(operatorAskedForServiceOf("fleet-0")).isTrue());
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    eventually(() -> assertThat(podImages(2)).containsExactly(A, B));
    kubelet.inject(namespace, "fleet-0-0", PodFault.NEVER_READY);
    client.pods().inNamespace(namespace).withName("fleet-0-0").delete();
    // A node that may run is not updated beside one in flight, although it is not Ready.
    eventually(() -> assertThat(status().readyReplicas()).isOne());
    assertThat(specImages()).containsExactly(A, A, B);

    kubelet.clearImage(B);

    eventually(() -> assertThat(nodeCondition(2, NodeConditionType.READY).isTrue()).isTrue());
    eventually(() -> assertThat(specImages()).containsExactly(B, A, B));
    stays(
        () -> {
          assertThat(specImages()).containsExactly(B, A, B);
          assertThat(podImages(1)).containsExactly(A);
        });
    assertThat(nodeCondition(0, NodeConditionType.STALLED).reason())
        .isEqualTo(StallReason.APPLY_REFUSED.toString());
    kubelet.clear(namespace, "fleet-0-0");
    denials.allow("services");

    awaitUpToDate(3, B);
  }

  @Test
  @Tag("long")
  void aFleetThatMayNotBeLetGoSaysWhy() {
    createReady(1);
    patch("{'spec':{'deletionPolicy':'Retain'}}");
    awaitUpToDate(1, A);
    eventually(() -> assertThat(fleet().getMetadata().getFinalizers()).isNotEmpty());
    denials.deny("seinodedeployments", FLEET, Answer.FORBIDDEN, "UPDATE");
    client.resource(fleet()).delete();

    eventually(
        () ->
            assertThat(events(FLEET, "Stalled"))
                .anyMatch(event -> event.getMessage().contains(POLICY)));
    assertThat(node(0).isMarkedForDeletion()).isFalse();
    denials.allow("seinodedeployments");

    eventually(() -> assertThat(fleet()).isNull());
    assertThat(node(0).isMarkedForDeletion()).isFalse();
  }

  private boolean operatorAskedForServiceOf(String node) {
    return !operator
        .requests()
        .matching(request -> request.isWrite() && request.path().endsWith("/services/" + node))
        .isEmpty();
  }

  private void awaitTold(StallReason reason, String... words) {
    eventually(
        () -> {
          assertCondition(FleetConditionType.STALLED, ConditionStatus.TRUE, reason);
          Condition stalled = condition(FleetConditionType.STALLED);
          assertThat(stalled.message()).contains(words);
          assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.FALSE, reason);
        });
    eventually(() -> assertThat(events(FLEET, "Stalled")).isNotEmpty());
  }
}
