package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.client.readiness.Readiness;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rollouts during which an edit, a failure or the loss of the leader comes between the read of the
 * nodes and the write that follows from it.
 */
@Order(1)
class FleetRaceTest extends FleetTestCase {

  private final CountDownLatch cutOff = new CountDownLatch(1);

  @Override
  protected void startOperator() {
    operatorBehindADoor().start();
  }

  static Stream<Integer> unready() {
    return Cases.of(1, 3, 1);
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("unready")
  void nodesThatBecameReadyUnseenAreTakenDownOneAtATime(int unready) {
    for (int ordinal = 0; ordinal < unready; ordinal++) {
      kubelet.inject(namespace, FLEET + "-" + ordinal + "-0", PodFault.NEVER_READY);
    }
    create(fleetSpec(3, A));
    eventually(
        () -> {
          assertThat(currentImages()).containsExactly(A, A, A);
          assertThat(status().phase()).isEqualTo(FleetPhase.INITIALIZING);
          assertThat(status().readyReplicas()).isEqualTo(3 - unready);
        });
    // A write of before the edit would be refused, and with silent watches never be made anew.
    door.inject(
        1, FleetRaceTest::isWriteOfTheFleetsStatus, "\"rollout\":{", ApiFault.after(this::recover));

    setImage(B);

    eventually(() -> assertThat(specImages()).contains(B));
    assertThat(specImages()).containsExactly(A, A, B);
    assertThat(admitted()).containsExactly("fleet-2");
    door.releaseWatches();
    awaitUpToDate(3, B);
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      assertThat(pods(ordinal).get(0).deletionRequestedAt())
          .isAfterOrEqualTo(pods(ordinal + 1).get(1).createdAt());
    }
  }

  @Test
  @Tag("long")
  void aNodeThatIsDownUnseenIsTakenBeforeOneThatIsReady() {
    createReady(3);
    door.holdWatches(request -> request.path().endsWith("/pods"));
    kubelet.inject(namespace, "fleet-0-0", PodFault.NEVER_READY);
    eventually(() -> assertThat(Readiness.isPodReady(read(Pod.class, "fleet-0-0"))).isFalse());

    setImage(B);

    eventually(() -> assertThat(specImages()).contains(B));
    stays(() -> assertThat(specImages()).containsExactly(B, A, A));
    kubelet.clearAll();
    door.releaseWatches();
    awaitUpToDate(3, B);
  }

  @Tag("long")
  @Test
  void aNewerTemplateTakesNoNodeBesideOneWhosePodIsAboutToBeDeleted() {
    createReady(3);
    var deletion = new CountDownLatch(1);
    door.inject(FleetRaceTest::deletesThePodOfTheSecondNode, ApiFault.hangUntil(deletion));
    setImage(B);
    eventually(
        () -> assertThat(door.received()).anyMatch(FleetRaceTest::deletesThePodOfTheSecondNode));
    String earlier = status().rollout().targetHash();

    setImage(C);

    eventually(
        () -> {
          assertThat(status().rollout().targetHash()).isNotEqualTo(earlier);
          assertThat(admitted()).isNotEmpty();
        });
    // The reconcile of the node hangs, those of the fleet do not.
    awaitAnotherLookAtFleets();
    assertThat(admitted()).containsExactly("fleet-1");
    assertThat(podImages(0)).containsExactly(A);
    assertThat(podImages(2)).containsExactly(A, B);
    deletion.countDown();
    awaitUpToDate(3, C);
    assertThat(podImages(1)).endsWith(C).startsWith(A);
  }

  /** Objects that the fleet orphans get no owner again: the garbage collector would delete them. */
  @Tag("long")
  @Test
  void aFleetIsOrphanedAlsoWhereTheOperatorHearsLateThatItGoes() {
    createReady(2);
    awaitCollectionOfNodes();
    final String service = read(Service.class, "fleet-internal").getMetadata().getUid();
    door.holdWatches(request -> request.path().endsWith("/seinodedeployments"));

    client.resource(fleet()).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();

    eventually(() -> assertThat(fleet()).isNull());
    eventually(
        () ->
            assertThat(door.received())
                .anyMatch(
                    request ->
                        request.method().equals("GET")
                            && request.path().endsWith("/seinodedeployments/fleet")));
    awaitGarbageCollector();
    assertThat(nodes()).hasSize(2).noneMatch(FleetRaceTest::isOwned);
    assertThat(read(Service.class, "fleet-internal"))
        .matches(other -> other.getMetadata().getUid().equals(service) && !isOwned(other));
  }

  /** A node gets no template that is not kept, and nothing is waited for between the two. */
  @Test
  void templateIsKeptAndGivenToTheFirstNodeInOneReconcile() {
    createReady(1);
    var reconciles = new CopyOnWriteArrayList<Double>();
    var noted = ApiFault.after(() -> reconciles.add(reconciles()));
    door.inject(1, request -> request.path().contains("/controllerrevisions/"), noted);
    door.inject(
        1, request -> request.isWrite() && request.path().endsWith("/seinodes/fleet-0"), noted);

    setImage(B);

    awaitUpToDate(1, B);
    assertThat(reconciles).hasSize(2).containsOnly(reconciles.get(0));
  }

  /** Without it no rollback leads there, and the next rollout would go on without a way back. */
  @Test
  void revisionThatLosesItsLabelGetsItAgain() {
    createReady(1);
    ControllerRevision kept = revisions().getFirst();
    String hash = kept.getMetadata().getLabels().get(Labels.REVISION);

    patch(kept, "{'metadata':{'labels':{'%s':null}}}".formatted(Labels.REVISION));

    eventually(
        () ->
            assertThat(revisions().getFirst().getMetadata().getLabels())
                .containsEntry(Labels.REVISION, hash));
  }

  /** Number of reconciles of fleets that have begun. */
  private double reconciles() {
    return operator
        .scrape()
        .lines()
        .filter(line -> line.startsWith("operator_sdk_reconciliations_started_total{"))
        .filter(line -> line.contains("kind=\"SeiNodeDeployment\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private static boolean isOwned(HasMetadata object) {
    return !object.getMetadata().getOwnerReferences().isEmpty();
  }

  /**
   * Repairs the pods while the watches are silent, so that the record of the rollout comes without
   * them.
   */
  private void recover() {
    door.holdWatches();
    kubelet.clearAll();
    eventually(() -> assertThat(readAll(Pod.class)).hasSize(3).allMatch(Readiness::isPodReady));
  }

  private List<String> admitted() {
    return status().rollout() == null
        ? List.of()
        : status().rollout().nodes().stream()
            .filter(node -> node.admittedAt() != null)
            .map(RolloutNode::name)
            .toList();
  }

  private static boolean deletesThePodOfTheSecondNode(Request request) {
    return request.method().equals("DELETE") && request.path().endsWith("/pods/fleet-1-0");
  }

  private static boolean isWriteOfTheFleetsStatus(Request request) {
    return request.isWrite() && request.path().endsWith("/seinodedeployments/fleet/status");
  }

  @AfterEach
  void answer() {
    cutOff.countDown();
  }

  /**
   * The leader is cut off in the middle of an admission, and another one finishes the rollout. What
   * the first one had asked for arrives after that.
   */
  @Test
  void admissionIsUsedOnce() {
    admissionIsUsedOnceAndWhatArrivesLateChangesNothing("/seinodes/fleet-1");
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {"/seinodedeployments/fleet/status", "/seinodes/fleet-1", "/pods/fleet-1-0"})
  void admissionIsUsedOnceAndWhatArrivesLateChangesNothing(String path) {
    createReady(2);
    Predicate<Request> asked = request -> request.isWrite() && request.path().endsWith(path);
    long before = door.received().stream().filter(asked).count();
    door.inject(asked, ApiFault.hangUntil(cutOff));
    setImage(B);
    eventually(
        () -> assertThat(door.received()).filteredOn(asked).hasSizeGreaterThan((int) before));
    door.inject(request -> true, ApiFault.hangUntil(cutOff));

    operatorAs(controlPlane.config(ControlPlane.OPERATOR)).start();
    awaitUpToDate(2, B);
    List<List<String>> pods = podUids(2);
    cutOff.countDown();

    eventually(
        () ->
            assertThat(door.answered())
                .filteredOn(answered -> asked.test(answered.request()))
                .hasSizeGreaterThan((int) before));
    stays(() -> assertThat(podUids(2)).isEqualTo(pods));
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(pods(0).get(1).createdAt()).isAfter(pods(1).get(1).createdAt());
  }
}
