package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.Action;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.node.NodeVersions;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import java.lang.Thread.State;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A new template reaches every node, and no more of them are taken down than allowed, whatever
 * happens meanwhile; what kubectl and Events show of it, and the requests that it costs.
 */
@Order(1)
class FleetRolloutTest extends FleetTestCase {

  private static final String HOLD_ROLLOUTS =
      "{'spec':{'updateStrategy':{'type':'InPlace','paused':%s}}}";

  /** One of them has to show it: an answer that is late is written by itself. */
  private static final int ROLLOUTS = 5;

  private static final List<String> COLUMNS =
      List.of("NAME", "READY", "CAUGHT UP", "REASON", "IMAGE", "AGE");

  private static final String PAUSE = "{'spec':{'paused':%s}}";

  /** The progress deadline of the node, and that of the rollout after it. */
  private static final Duration PAST_ALL_DEADLINES = Duration.ofMinutes(25);

  private static final String MARK_READY = "mark-ready";
  private static final Duration HOUR = Duration.ofHours(1);

  /** What it would do is told on request, before it does. */
  @Test
  void takesDownEveryNodeOnceAndOneAtATimeFromTheHighestOrdinalAsWasToldAndRests() {
    createReady(3);
    patch(HOLD_ROLLOUTS.formatted(true));
    setImage(B);
    Explanation told = ask("1");
    assertThat(told.nodes()).extracting(ExplainedNode::action).containsOnly(Action.RESTART);
    assertThat(told.nodes()).extracting(ExplainedNode::wave).containsExactly(3, 2, 1);
    assertThat(told.summary()).startsWith("once spec.updateStrategy.paused is cleared: 3 of 3");
    assertThat(told.nodes().get(0).reason()).contains("image " + A + " -> " + B);
    assertNothingIsDone();

    try (var watch = new FleetWatch(client, namespace)) {
      patch(HOLD_ROLLOUTS.formatted(false));
      awaitUpToDate(3, B);

      assertThat(watch.mostUnready()).hasSize(1);
      assertThat(watch.admissions()).containsSubsequence(1L, 2L, 3L);
    }
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      assertThat(pods(ordinal).get(0).deletionRequestedAt())
          .isAfterOrEqualTo(pods(ordinal + 1).get(1).createdAt());
    }
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertCondition(
        FleetConditionType.ROLLOUT_IN_PROGRESS,
        ConditionStatus.FALSE,
        FleetReason.ROLLOUT_COMPLETE);
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(ask("2").nodes()).extracting(ExplainedNode::action).containsOnly(Action.NONE);
    annotate("null");
    eventually(() -> assertThat(status().explain()).isNull());
    assertShownByKubectlAndCostsNoWriteAtRest();
  }

  private void assertShownByKubectlAndCostsNoWriteAtRest() {
    assertKubectlShowsWhereItStands();
    assertThat(status().chain().height()).isPositive();
    // The outcome of the last change is written; from here on nothing is left to do.
    operator.restart();
    awaitUpToDate(3, B);
    awaitAnotherLook();
    operator.requests().clear();

    awaitAnotherLook();

    assertThat(operator.requests().matching(Request::isWrite))
        .as("one answer each, by a fleet and three nodes")
        .hasSize(4)
        .allMatch(request -> request.path().endsWith("/status"));

    List<Event> all = fleetEvents();
    assertThat(all).allMatch(event -> event.getCount() == 1);
    assertThat(all).extracting(Event::getMessage).doesNotHaveDuplicates();
    assertThat(all)
        .extracting(Event::getReason)
        .contains("SeiNodeCreated", "RolloutStarted", "RolloutComplete");
  }

  private Explanation ask(String request) {
    annotate("'" + request + "'");
    eventually(
        () ->
            assertThat(status().explain().answers(request, fleet().getMetadata().getGeneration()))
                .isTrue());
    return status().explain();
  }

  private void annotate(String value) {
    patch("{'metadata':{'annotations':{'sei.io/explain':%s}}}".formatted(value));
  }

  /** The answer is one write, and nothing follows from it. */
  private void assertNothingIsDone() {
    Explanation told = status().explain();
    // Events are recorded in the background, those of what came before as well.
    operator.requests().clear();
    int nodes = awaitAnotherLookAtNodes();
    assertThat(status().explain()).isEqualTo(told);
    assertThat(operator.requests().matching(request -> !request.isAside()))
        .as("the answers of the nodes")
        .hasSize(nodes)
        .allMatch(request -> request.path().matches(".*/seinodes/.*/status"));
    awaitEvents("Paused", 1);
    assertThat(fleetEvents()).extracting(Event::getReason).containsOnly("SeiNodeCreated", "Paused");
    assertThat(specImages()).containsOnly(A);
  }

  @Tag("long")
  @Test
  void keepsNodesBelowThePartitionOnExactlyTheOldTemplate() {
    createReady(3, new InPlace(null, 2, null, null, null));
    String before = node(0).getMetadata().getLabels().get("sei.io/revision");

    patch(
        "{'spec':{'template':{'metadata':{'labels':{'team':'new'}},"
            + "'spec':{'image':'%s','resources':{'limits':{'memory':'1Gi'}}}}}}".formatted(B));

    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
    awaitEvents("RolloutComplete", 1);
    assertCondition(FleetConditionType.UP_TO_DATE, ConditionStatus.TRUE);
    assertThat(status().updated()).isEqualTo("1/3");

    String uid = node(0).getMetadata().getUid();
    client.resource(node(0)).delete();

    eventually(
        () -> {
          assertThat(node(0).getMetadata().getUid()).isNotEqualTo(uid);
          assertThat(currentImages()).containsExactly(A, A, B);
          assertThat(status().phase()).isEqualTo(FleetPhase.READY);
        });
    assertThat(node(0).getMetadata().getLabels())
        .containsEntry("sei.io/revision", before)
        .doesNotContainKey("team");
    assertThat(node(0).getSpec().resources()).isNull();
    assertThat(podImages(1)).containsExactly(A);

    patch("{'spec':{'updateStrategy':{'inPlace':{'partition':0}}}}");

    awaitUpToDate(3, B);
    assertThat(node(0).getMetadata().getLabels()).containsEntry("team", "new");
  }

  /**
   * How often a status is written depends on how busy a machine is; what comes together does not.
   */
  @Tag("long")
  @Test
  void rolloutPatchesEachServiceOnceAndTheWriteOfReadyRecordsThatTheNodeCaughtUp() {
    createReady(2);
    boolean isTogether = false;
    for (int i = 0; i < ROLLOUTS && !isTogether; i++) {
      String image = "sei:r" + i;
      operator.requests().clear();
      try (var versions = new NodeVersions(client, namespace)) {
        setImage(image);
        awaitUpToDate(2, image);
        isTogether = versions.seen(status -> hasCaughtUp(status, image)).equals(List.of(true));
      }
      assertThat(servicePatches(0)).isEqualTo(1);
      assertThat(servicePatches(1)).isEqualTo(1);
    }

    assertThat(isTogether).isTrue();
  }

  /** Null as long as the node is not Ready with an image. */
  private static Boolean hasCaughtUp(SeiNodeStatus status, String image) {
    boolean isReady =
        image.equals(status.currentImage())
            && Conditions.isTrue(status.conditions(), NodeConditionType.READY);
    return isReady ? status.seid().caughtUpAt() != null : null;
  }

  private void assertKubectlShowsWhereItStands() {
    assertColumns("snd", "CHAIN", "MODE", "UPTODATE", "PHASE");
    assertThat(row(1, "get", "snd", "-o", "wide"))
        .startsWith(FLEET, "3/3", "3/3", "AllNodesReady", B)
        .endsWith("atlantic-2", "full", "3/3", "Ready");
    assertColumns("snode", "CHAIN", "MODE", "UPTODATE", "PHASE", "STATEFULSET");
    assertThat(row(2, "get", "snode", "-o", "wide"))
        .startsWith("fleet-1", "True", "True", "PodReady", B)
        .endsWith("atlantic-2", "full", "True", "Running", "fleet-1");
    for (String type : List.of("UpToDate", "Ready")) {
      lines("wait", "--for=condition=" + type, "snd/" + FLEET, "--timeout=30s");
    }
  }

  private void assertColumns(String kind, String... wide) {
    assertThat(row(0, "get", kind)).isEqualTo(COLUMNS);
    assertThat(row(0, "get", kind, "-o", "wide"))
        .isEqualTo(Stream.concat(COLUMNS.stream(), Stream.of(wide)).toList());
  }

  /** Two spaces at least are between two columns, one may be in the name of a column. */
  private List<String> row(int number, String... arguments) {
    return List.of(lines(arguments).get(number).trim().split(" {2,}"));
  }

  private List<String> lines(String... arguments) {
    String[] all = new String[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "-n";
    all[arguments.length + 1] = namespace;
    var result = controlPlane.kubectl(all);
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout().lines().toList();
  }

  private int servicePatches(int ordinal) {
    String service = "/services/%s-%d".formatted(FLEET, ordinal);
    return operator
        .requests()
        .matching(request -> request.method().equals("PATCH") && request.path().contains(service))
        .size();
  }

  /** Distinguishes the two meanings of pausing from a stuck rollout. */
  @Tag("long")
  @Test
  void whilePausedEveryNodeIsStoppedOnTheOldTemplateAndSoIsOneThatIsAdded() {
    createReady(2);

    patch("{'spec':{'paused':true,'template':{'spec':{'image':'%s'}}}}".formatted(B));

    eventually(this::assertPaused);
    stays(this::assertPaused);
    operator.restart();
    stays(this::assertPaused);
    // A node is not ready as soon as its pod begins to end.
    eventually(() -> assertThat(readAll(Pod.class)).isEmpty());
    patch("{'spec':{'replicas':3}}");
    eventually(() -> assertThat(node(2).getSpec().paused()).isTrue());

    patch(PAUSE.formatted(false));

    awaitUpToDate(3, B);
    assertThat(nodes()).noneMatch(node -> Boolean.TRUE.equals(node.getSpec().paused()));
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
  }

  private void assertPaused() {
    assertHeld();
    assertThat(status().readyReplicas()).isZero();
    assertCondition(FleetConditionType.NODES_READY, ConditionStatus.FALSE, FleetReason.PAUSED);
  }

  private void assertHeld() {
    assertThat(status().phase()).isEqualTo(FleetPhase.PAUSED);
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertCondition(
        FleetConditionType.ROLLOUT_IN_PROGRESS, ConditionStatus.FALSE, FleetReason.PAUSED);
    assertCondition(FleetConditionType.PLAN_IN_PROGRESS, ConditionStatus.FALSE, FleetReason.PAUSED);
    assertCondition(FleetConditionType.PAUSED, ConditionStatus.TRUE, FleetReason.PAUSED);
    assertThat(specImages()).containsExactly(A, A);
    assertThat(currentImages()).containsExactly(A, A);
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
  }

  @Tag("long")
  @Test
  void aRolloutGoesOnWhereItWasWhenRolloutsAreResumed() {
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    createReady(3);
    try (var watch = new FleetWatch(client, namespace)) {
      setImage(B);
      eventually(() -> assertThat(currentImages()).containsExactly(A, A, B));
      final Rollout frozen = status().rollout();

      patch(HOLD_ROLLOUTS.formatted(true));

      eventually(() -> assertFrozen(frozen));
      // Long enough for another start to have another time.
      stays(() -> assertFrozen(frozen));
      assertThat(Instant.now()).isAfter(frozen.startedAt().plusSeconds(1));
      kubelet.clearImage(B);

      patch(HOLD_ROLLOUTS.formatted(false));

      awaitUpToDate(3, B);
      assertThat(watch.startedAt()).containsExactly(frozen.startedAt());
    }
    assertThat(status().pausedRollout()).isNull();
    awaitEvents("RolloutComplete", 1);
    assertThat(events(FLEET, "RolloutStarted")).hasSize(1);
    assertThat(events(FLEET, "RolloutResumed")).hasSize(1);
    assertThat(podImages(2)).containsExactly(A, B);
    assertThat(podImages(0)).containsExactly(A, B);
  }

  private void assertFrozen(Rollout frozen) {
    assertThat(status().phase()).isEqualTo(FleetPhase.PAUSED);
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
    assertThat(status().pausedRollout()).isEqualTo(frozen);
    assertThat(specImages()).containsExactly(A, A, B);
  }

  /** A node that is down anyway may be updated at once; the one that serves may not. */
  @Test
  @Tag("long")
  void podThatIsDrainedLeavesTheLastOneServing() {
    beginToRoll(3);
    var pod = client.pods().inNamespace(namespace).withName(FLEET + "-0-0");
    eventually(() -> assertThat(disruptionsAllowed()).isZero());
    assertThat(pod.evict()).as("taken by a drain while another node is down").isFalse();
    // As a drain does with --disable-eviction.
    pod.delete();

    eventually(() -> assertThat(currentImages()).containsExactly(B, A, B));
    stays(() -> assertThat(pods(1)).hasSize(1));
    kubelet.clearImage(B);
    awaitUpToDate(nodes().size(), B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(podImages(2)).containsExactly(A, B);
  }

  @Test
  @Tag("long")
  void machineThatIsGoneIsToldAndItsPodsAreMadeAgain() {
    beginToRoll(2);
    kubelet.loseNode();
    awaitLost();

    client.nodes().withName(kubelet.nodeName()).delete();

    // The garbage collector of pods gives a machine that is gone 40 seconds to register again.
    eventually(Duration.ofMinutes(3), () -> assertThat(pods(0)).hasSizeGreaterThan(1));
    kubelet.clearImage(B);
    kubelet.recoverNode();

    awaitUpToDate(nodes().size(), B);
  }

  @Tag("long")
  @Test
  void scaleThatIsDrivenUpAndDownLeavesTheBudgetAlone() {
    beginToRoll(3);
    for (int replicas : List.of(5, 4, 3)) {
      var scaled =
          controlPlane.kubectl("scale", "-n", namespace, "snd", FLEET, "--replicas=" + replicas);
      assertThat(scaled.exitCode()).as("%s", scaled).isZero();
      eventually(() -> assertThat(nodes()).hasSize(replicas));
    }
    stays(() -> assertThat(podUids(2)).allMatch(pods -> pods.size() == 1));

    kubelet.clearImage(B);

    awaitUpToDate(nodes().size(), B);
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(pods(0).get(1).createdAt()).isAfter(pods(1).get(1).createdAt());
  }

  private void beginToRoll(int replicas) {
    createReady(replicas);
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    eventually(() -> assertThat(currentImages()).hasSize(replicas).last().isEqualTo(B));
  }

  private void awaitLost() {
    eventually(
        () ->
            assertThat(ordinals())
                .extracting(ordinal -> nodeCondition(ordinal, NodeConditionType.READY))
                .extracting(Condition::reason)
                .containsOnly(StallReason.NODE_LOST.toString()));
  }

  private Stream<Integer> ordinals() {
    return IntStream.range(0, nodes().size()).boxed();
  }

  private int disruptionsAllowed() {
    return client
        .policy()
        .v1()
        .podDisruptionBudget()
        .inNamespace(namespace)
        .withName(FLEET)
        .get()
        .getStatus()
        .getDisruptionsAllowed();
  }

  /**
   * Down is down: a fleet of all kinds of nodes gets through, and never with a second node down.
   */
  @Tag("long")
  @Test
  void haltedBehindAndNewNodesGoFirstAndHealthyOnesWaitForThem() {
    createReady(4);
    inject(4, PodFault.NEVER_READY);
    patch("{'spec':{'replicas':5}}");
    eventually(() -> assertThat(currentImages()).containsExactly(A, A, A, A, A));
    kubelet.halt(namespace, pod(2), "v2", 12345);
    inject(3, PodFault.NEVER_READY);
    awaitReason(2, "HaltedAtUpgrade");
    awaitReason(3, "PodNotReady");

    setImage(B);

    eventually(() -> assertThat(currentImages()).containsExactly(A, A, B, B, B));
    stays(() -> assertThat(specImages()).containsExactly(A, A, B, B, B));

    kubelet.clear(namespace, pod(3));

    eventually(
        () -> {
          assertThat(currentImages()).containsExactly(B, B, B, B, B);
          assertThat(status().rollout()).isNull();
        });
    assertThat(ready(4).isTrue()).as("what has never been Ready still is not").isFalse();
    assertOneAfterTheOther(1, 0);
  }

  @Tag("long")
  @Test
  void waitsForANodeThatIsDownForACauseOfItsOwnAndSaysHowToGoOn() {
    createReady(3, FleetRollbackTest.ROLLBACK);
    inject(0, PodFault.CRASH_LOOP);
    awaitReason(0, "CrashLoop");

    setImage(B);

    eventually(
        () -> {
          assertThat(currentImages()).containsExactly(B, A, A);
          assertThat(condition(FleetConditionType.ROLLOUT_IN_PROGRESS).message())
              .startsWith("rolling out image " + B + "; waits for fleet-0, which is down (")
              .contains("CrashLoop", "crashes", "set spec.paused or spec.maintenance.hold");
        });
    stays(
        () -> {
          assertThat(specImages()).containsExactly(B, A, A);
          assertThat(status().failedTemplateHash()).isNull();
        });

    patch(node(0), "{'spec':{'paused':true}}");

    eventually(
        () -> {
          assertThat(specImages()).containsExactly(B, B, B);
          assertThat(status().rollout()).isNull();
        });
    assertOneAfterTheOther(2, 1);
  }

  private void inject(int ordinal, PodFault fault) {
    kubelet.inject(namespace, pod(ordinal), fault);
  }

  private static String pod(int ordinal) {
    return FLEET + "-" + ordinal + "-0";
  }

  private Condition ready(int ordinal) {
    return nodeCondition(ordinal, NodeConditionType.READY);
  }

  private void awaitReason(int ordinal, String reason) {
    eventually(() -> assertThat(ready(ordinal).reason()).isEqualTo(reason));
  }

  private void assertOneAfterTheOther(int first, int second) {
    assertThat(pods(second).get(0).deletionRequestedAt())
        .isAfterOrEqualTo(pods(first).get(1).createdAt());
  }

  /** A rollout waits for a seid that migrates its data, and takes nothing back for it. */
  @Tag("long")
  @Test
  void waitsWithoutAStallAndGoesOn() {
    kubelet.injectForImage(B, PodFault.SLOW_SEID);
    create(fleetSpec(2, A, new InPlace(null, null, null, null, OnStall.ROLLBACK)));
    awaitUpToDate(2, A);

    setImage(B);

    eventually(
        () ->
            assertThat(nodeCondition(1, NodeConditionType.READY).isFor(NodeReason.STARTING))
                .isTrue());
    operator.clock().jumpTo(PAST_ALL_DEADLINES);
    awaitAnotherLook();
    assertThat(status().failedTemplateHash()).isNull();
    assertThat(podImages(0)).containsExactly(A);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(status().nodes())
        .filteredOn(summary -> summary.name().equals(FLEET + "-1"))
        .singleElement()
        .matches(summary -> summary.reason().equals("Starting"));
    assertCondition(FleetConditionType.STALLED, ConditionStatus.FALSE);

    kubelet.clearImage(B);

    awaitUpToDate(2, B);
    assertThat(events(FLEET, "RollingBack")).isEmpty();
  }

  /** The clock of the operator's machine is set back and forth while a fleet rolls. */
  @Test
  @Tag("long")
  void rolloutsGoOnAndNothingIsDatedAheadForLong() {
    createReady(2, new InPlace(null, null, null, null, OnStall.ROLLBACK));
    rollUntilMarked(B);

    operator.clock().jumpTo(HOUR.negated());

    eventually(
        () ->
            assertThat(node(1).getStatus().plan().currentTask().map(PlannedTask::startedAt))
                .hasValueSatisfying(this::isPast));
    assertThat(eventsOf(FLEET + "-1")).noneMatch(event -> event.getReason().equals("Stalled"));
    sidecar.faults(namespace, FLEET + "-1").release(MARK_READY);
    awaitUpToDate(2, B);

    rollUntilMarked(C);
    operator.clock().jumpTo(HOUR);
    awaitAnotherLook();
    sidecar.faults(namespace, FLEET + "-1").release(MARK_READY);
    awaitUpToDate(2, C);
    assertThat(podImages(0)).containsExactly(A, B, C);
    assertThat(podImages(1)).containsExactly(A, B, C);

    operator.clock().jumpTo(Duration.ZERO);
    stays(() -> assertThat(podImages(1)).hasSize(3));
    eventually(
        () -> {
          assertThat(nodes()).flatExtracting(FleetRolloutTest::changes).allSatisfy(this::isPast);
          assertThat(status().conditions())
              .extracting(Condition::lastTransitionTime)
              .allSatisfy(this::isPast);
        });
  }

  private void rollUntilMarked(String image) {
    sidecar.faults(namespace, FLEET + "-1").hold(MARK_READY);
    int released = sidecar.executions(namespace, FLEET + "-1", MARK_READY);
    setImage(image);
    eventually(
        () ->
            assertThat(sidecar.executions(namespace, FLEET + "-1", MARK_READY))
                .isGreaterThan(released));
  }

  private static List<Instant> changes(SeiNode node) {
    return node.getStatus().conditions().stream().map(Condition::lastTransitionTime).toList();
  }

  private void isPast(Instant moment) {
    assertThat(moment).isBeforeOrEqualTo(operator.clock().instant());
  }

  /** The contents of the caches show in the metrics, which are computed from them. */
  @Tag("long")
  @Test
  void cachesStayFilledUntilTheLastReconcileHasEnded() throws InterruptedException {
    createReady(2);
    var held = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    operator
        .requests()
        .beforeEach(
            request -> {
              if (request.isWrite() && request.path().endsWith("/fleet-0/status")) {
                held.countDown();
                waitFor(goOn);
              }
            });
    patch(node(0), "{'metadata':{'annotations':{'sei.io/explain':'now'}}}");
    waitFor(held);

    var stop = new Thread(operator::stop, "stop");
    stop.start();
    eventually(() -> assertThat(stop.getState()).isIn(State.WAITING, State.TIMED_WAITING));
    assertThat(operator.scrape()).contains("name=\"fleet-0\"", "name=\"fleet-1\"");
    goOn.countDown();
    stop.join();

    assertThat(node(0).getStatus().explain()).isNotNull();
    operator.requests().beforeEach(request -> {});
    operator.start();
    awaitUpToDate(2, A);
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
