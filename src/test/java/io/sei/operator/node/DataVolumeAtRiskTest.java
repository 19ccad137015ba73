package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_AT_RISK;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SnapshotStop;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A user deletes the claim of a node that runs: its pod alone keeps the data. */
class DataVolumeAtRiskTest extends DataVolumeTestCase {

  /** Reasons for which the operator ends a pod; each waits, and the wait is reported. */
  enum Way {
    IMAGE_AND_MORE(
        "image sei:a -> sei:b",
        test ->
            test.patch("{'spec':{'image':'%s','terminationGracePeriodSeconds':60}}".formatted(B))),
    PAUSE("spec.paused", test -> test.patch("{'spec':{'paused':true}}")),
    HALT_AT_A_LISTED_UPGRADE("", DataVolumeTestCase::haltAtUpgrade),
    OTHER_STATEFUL_SET("", DataVolumeAtRiskTest::replaceStatefulSet),
    POD_SETTINGS("pod settings changed", test -> test.patch("{'spec':{'podLabels':{'a':'b'}}}")),
    RESTART("pod settings changed", test -> test.annotate(Annotations.RESTART_REQUESTED_AT, "now")),
    HOLD(
        "spec.maintenance.hold",
        test -> test.patch("{'spec':{'maintenance':{'hold':'Immediate'}}}")),
    HOLD_AFTER_EXIT(
        "spec.maintenance.hold",
        test -> test.patch("{'spec':{'maintenance':{'hold':'AfterExit'}}}")),
    RESET("spec.dataResetGeneration", test -> test.patch("{'spec':{'dataResetGeneration':1}}")),
    STOP("the stop for VolumeSnapshot a-snapshot", DataVolumeAtRiskTest::stop),
    OTHER_SERVICE_NAME("", DataVolumeAtRiskTest::changeServiceName);

    private final String waits;
    private final Consumer<DataVolumeAtRiskTest> ask;

    Way(String waits, Consumer<DataVolumeAtRiskTest> ask) {
      this.waits = waits;
      this.ask = ask;
    }
  }

  static Stream<Way> ways() {
    return Cases.of(1, Way.values());
  }

  @ParameterizedTest
  @MethodSource("ways")
  void podIsNotEndedByAnyWay(Way way) {
    createRunning();
    String pod = podUid();
    deleteClaim();
    awaitAtRisk("claim data-node is being deleted; the chain data is deleted when the pod ends");

    way.ask.accept(this);

    eventually(() -> assertThat(condition(DATA_VOLUME_AT_RISK).message()).contains(way.waits));
    stays(
        () -> {
          assertThat(pod().isMarkedForDeletion()).isFalse();
          assertThat(podUid()).isEqualTo(pod);
        });
    assertThat(kubelet.history(namespace, POD)).hasSize(1);
    assertThat(podDeletes()).isZero();
    assertThat(claim().getSpec().getVolumeName()).isNotNull();
    assertThat(events("Stalled")).isEmpty();
  }

  /** A node that halted for an upgrade can go on. */
  @Tag("long")
  @Test
  void imageAloneIsChangedInThePodWhateverThePolicySays() {
    createRunning();
    String pod = podUid();
    deleteClaim();
    awaitAtRisk("");

    haltAtUpgrade();

    awaitUpToDate(B);
    awaitCondition(NodeConditionType.READY, ConditionStatus.TRUE, "PodReady");
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
    assertThat(node().getStatus().podUpdate().how()).isEqualTo(How.IN_PLACE);
    assertCondition(DATA_VOLUME_AT_RISK, ConditionStatus.TRUE);
  }

  @Tag("long")
  @Test
  void imageThatCannotBePulledDoesNotEndThePod() {
    createRunning();
    String pod = podUid();
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    deleteClaim();
    awaitAtRisk("");

    setImage(B);

    eventually(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, "ImagePull"));
    setImage(C);
    awaitUpToDate(C);
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
  }

  @Test
  void podIsNotEndedIfItsClaimIsDeletedWhileItsVolumeIsRead() {
    createRunning();
    String pod = podUid();
    var deleted = new AtomicBoolean();
    operator
        .requests()
        .beforeEach(
            request -> {
              if (request.path().contains("/persistentvolumes/") && !deleted.getAndSet(true)) {
                deleteClaim();
              }
            });

    patch("{'spec':{'paused':true}}");

    awaitAtRisk("spec.paused");
    assertThat(deleted).isTrue();
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(pod().isMarkedForDeletion()).isFalse();
  }

  @Tag("long")
  @Test
  void podThatANodeOfTheNameLeftIsNotEndedThoughItsClaimIsNotYetTakenOver() {
    createRunning();
    String pod = applyAgainOnADeletedClaim();
    patch("{'spec':{'paused':true}}");

    operator.start();

    awaitAtRisk("spec.paused");
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(pod().isMarkedForDeletion()).isFalse();
  }

  @Tag("long")
  @Test
  void nodeThatIsAppliedAgainOnADeletedClaimGoesOnAndStartsOverOnceTheLossIsAccepted() {
    sidecarFaults().hold(SidecarTaskTypes.CONFIG_APPLY);
    create(spec(A));
    awaitStep(SidecarTaskTypes.CONFIG_APPLY);
    String pod = applyAgainOnADeletedClaim();
    String claim = claim().getMetadata().getUid();
    sidecarFaults().release(SidecarTaskTypes.CONFIG_APPLY);

    operator.start();

    awaitUpToDate(A);
    assertThat(podUid()).isEqualTo(pod);
    patch("{'spec':{'dataVolume':{'acceptDataLoss':'%s'}}}".formatted(claim));
    Way.IMAGE_AND_MORE.ask.accept(this);
    awaitUpToDate(B);
    assertThat(claim().getMetadata().getUid()).isNotEqualTo(claim);
  }

  /** The operator is stopped, and the claim of the pod that runs is being deleted. */
  private String applyAgainOnADeletedClaim() {
    String pod = podUid();
    awaitGarbageCollector();
    operator.stop();
    client.resource(node()).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    eventually(() -> assertThat(claim().getMetadata().getOwnerReferences()).isEmpty());
    eventually(() -> assertThat(node()).isNull());
    deleteClaim();
    create(spec(A));
    return pod;
  }

  @Tag("long")
  @Test
  void updateThatHasBegunWaitsAndIsCarriedOutOnceTheLossIsAccepted() {
    createRunning();
    String claim = claim().getMetadata().getUid();
    deleteClaim();
    awaitAtRisk("to keep it: kubectl patch pv pvc-" + claim);
    Way.IMAGE_AND_MORE.ask.accept(this);
    eventually(
        () ->
            assertCondition(
                NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, "DataVolumeAtRisk"));
    eventually(() -> assertThat(events("DataVolumeAtRisk")).hasSize(1));
    assertThat(node().getStatus().reason()).isEqualTo("ClaimTerminating");
    patch("{'spec':{'dataVolume':{'acceptDataLoss':'another'}}}");
    stays(() -> assertThat(podDeletes()).isZero());

    patch("{'spec':{'dataVolume':{'acceptDataLoss':'%s'}}}".formatted(claim));

    awaitUpToDate(B);
    assertThat(claim().getMetadata().getUid()).isNotEqualTo(claim);
    assertCondition(DATA_VOLUME_AT_RISK, ConditionStatus.FALSE, "NotAtRisk");
    eventually(() -> assertThat(budget()).isNull());
  }

  @Tag("long")
  @Test
  void podThatIsHeldStaysHeldWhenItIsReleased() {
    createRunning();
    patch("{'spec':{'maintenance':{'hold':'Immediate'}}}");
    eventually(() -> assertCondition(NodeConditionType.HELD, ConditionStatus.TRUE));
    String pod = podUid();
    assertThat(pod().getMetadata().getAnnotations())
        .containsEntry("cluster-autoscaler.kubernetes.io/safe-to-evict", "false");
    deleteClaim();
    awaitAtRisk("");

    patch("{'spec':{'maintenance':null}}");

    awaitAtRisk("waiting because of this: spec.maintenance.hold");
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(pod().isMarkedForDeletion()).isFalse();
    assertThat(markReadyRuns()).as("seid is not started beside the work").isEqualTo(1);
  }

  @Test
  void volumeIsSetToRetainWhereTheOperatorMay() {
    operator.stop();
    operator.with("SEI_RETAIN_VOLUMES", "true").start();
    createRunning();
    String volume = claim().getSpec().getVolumeName();

    deleteClaim();

    eventually(
        () ->
            assertThat(volume(volume).getSpec().getPersistentVolumeReclaimPolicy())
                .isEqualTo("Retain"));
    awaitAtRisk("volume " + volume + " is kept (its reclaim policy is Retain)");
    client.resource(volume(volume)).delete();
  }

  @Tag("long")
  @Test
  void volumeThatIsBoundToAnotherClaimMeanwhileIsLeftAsItIs() {
    operator.stop();
    operator.with("SEI_RETAIN_VOLUMES", "true").start();
    createRunning();
    String volume = claim().getSpec().getVolumeName();
    operator
        .requests()
        .beforeEach(
            request -> {
              if (request.method().equals("PATCH") && request.path().endsWith("/" + volume)) {
                patch(volume(volume), "{'spec':{'claimRef':{'uid':'another'}}}");
              }
            });

    deleteClaim();

    eventually(() -> assertThat(requests("PATCH", "/persistentvolumes/")).isNotEmpty());
    awaitAtRisk("");
    stays(
        () ->
            assertThat(volume(volume).getSpec().getPersistentVolumeReclaimPolicy())
                .isEqualTo("Delete"));
    client.resource(volume(volume)).delete();
  }

  @Tag("long")
  @Test
  void volumeThatIsBeingDeletedPutsTheDataAtRiskAsWell() {
    createRunning();
    String volume = claim().getSpec().getVolumeName();
    client.resource(volume(volume)).delete();
    operator.restart();

    awaitAtRisk("volume %s of claim data-node is being deleted".formatted(volume));
  }

  @Tag("long")
  @Test
  void withoutTheRightToReadVolumesTheClaimDecidesAndNobodyAsksAgainAndAgain() {
    var rights = new Rights(client, namespace).without("persistentvolumes");
    operatorAs(rights.config(controlPlane.config(ControlPlane.OPERATOR))).start();
    createRunning();
    String pod = podUid();

    deleteClaim();

    awaitAtRisk("the operator could not read the volume");
    setImage(B);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(podDeletes()).isZero();
    assertThat(requests("GET", "/persistentvolumes/")).hasSize(1);
  }

  @Tag("long")
  @Test
  void importedClaimIsWatchedByItsName() {
    createClaim("brought");
    create(spec(A).withDataVolume(Samples.imported("brought")));
    awaitUpToDate(A);
    String pod = podUid();

    client.resource(read(PersistentVolumeClaim.class, "brought")).delete();

    awaitAtRisk("claim brought is being deleted");
    setImage(B);
    stays(() -> assertThat(podUid()).isEqualTo(pod));
    assertThat(podDeletes()).isZero();
  }

  @Test
  void deletionOfTheNodeItselfIsNotHeldUp() {
    createRunning();
    deleteClaim();
    awaitAtRisk("");

    client.resource(node()).delete();

    eventually(() -> assertThat(node()).isNull());
    eventually(() -> assertThat(claim()).isNull());
    eventually(() -> assertThat(budget()).isNull());
  }

  @Tag("long")
  @Test
  void deletionOfTheNamespaceIsNotHeldUpAndNothingIsSaid() {
    createRunning();

    client.namespaces().withName(namespace).delete();
    deleteClaim();

    eventually(() -> assertThat(pod()).isNull());
    assertThat(eventsOf(NODE)).noneMatch(event -> event.getReason().equals("DataVolumeAtRisk"));
  }

  private PodDisruptionBudget budget() {
    return read(PodDisruptionBudget.class, NODE + "-keep");
  }

  private void stop() {
    patch(
        "{'metadata':{'annotations':{'%s':'a-snapshot','%s':'%s'}}}"
            .formatted(
                Annotations.STOPPED_FOR,
                Annotations.STOPPED_UNTIL,
                Instant.now().plus(SnapshotStop.LONGEST)));
  }

  private void replaceStatefulSet() {
    operator.stop();
    recreateStatefulSet(NODE);
    operator.start();
    String uid = statefulSet().getMetadata().getUid();
    eventually(() -> assertThat(statefulSet().getMetadata().getUid()).isNotEqualTo(uid));
  }

  private void changeServiceName() {
    operator.stop();
    recreateStatefulSet("another");
    patch(statefulSet(), "{'metadata':{'ownerReferences':[]}}");
    operator.start();
    eventually(() -> assertThat(statefulSet().getSpec().getServiceName()).isEqualTo(NODE));
  }

  /** Another StatefulSet takes the place of the node's, and its pod over. */
  private void recreateStatefulSet(String serviceName) {
    StatefulSet before = statefulSet();
    client.resource(before).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    eventually(() -> assertThat(statefulSet()).isNull());
    eventually(() -> assertThat(pod().getMetadata().getOwnerReferences()).isEmpty());
    client
        .resource(
            new StatefulSetBuilder()
                .withNewMetadata()
                .withName(NODE)
                .withNamespace(namespace)
                .withLabels(before.getMetadata().getLabels())
                .endMetadata()
                .withSpec(before.getSpec())
                .editSpec()
                .withServiceName(serviceName)
                .endSpec()
                .build())
        .create();
    eventually(() -> assertThat(pod().getMetadata().getOwnerReferences()).hasSize(1));
  }
}
