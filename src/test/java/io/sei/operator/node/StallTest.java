package io.sei.operator.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeidStart;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.ChainSimulator;
import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.FaultStage;
import io.sei.operator.testkit.Faults;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.LocalHttps;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Conditions of a node by its progress: starting, catching up, standing still, and stalled for each
 * reason.
 */
class StallTest extends RolloutTestCase {

  private static final NodeConditionType TYPE = NodeConditionType.CAUGHT_UP;

  private Duration jumped = Duration.ZERO;

  private static final byte[] LOG =
      "time=1 level=ERROR msg=\"no block from peer\" logger=tm/blocksync\n".getBytes(UTF_8);

  private final AtomicInteger reads = new AtomicInteger();

  private static final byte[] LOG_OF_A_START =
      "time=1 level=INFO msg=\"Applying block\" logger=tm/consensus height=833\n".getBytes(UTF_8);

  private final Fault refusal = Faults.named("quota-exceeded").orElseThrow();

  /** Reason of fleets, which no node has; see GenesisCeremonyTest. */
  private static final StallReason OF_FLEETS = StallReason.CEREMONY_FAILED;

  /** Needs an operator with an account for sidecars; see SidecarTest. */
  private static final StallReason OF_TOKENS = StallReason.SIDECAR_NOT_ASKED;

  /** Reason of specs, which no fault of a pod causes; see UnreadableNodeTest. */
  private static final StallReason OF_SPECS = StallReason.INVALID_SPEC;

  /** Reasons that the simulated kubelet cannot cause; DiagnosisTest has their evidence. */
  private static final EnumSet<StallReason> NOT_SIMULATED =
      EnumSet.of(
          OF_FLEETS,
          StallReason.ROLLED_BACK,
          OF_TOKENS,
          OF_SPECS,
          StallReason.MOUNT_SOURCE_MISSING,
          StallReason.POD_FAILED,
          StallReason.POD_NOT_STARTED,
          StallReason.REGISTRY_UNREACHABLE);

  @Test
  void newPodThatCrashesStallsAtOnceAlsoAfterItsPlanHasEnded() {
    createRunning();
    kubelet.injectForImage(B, PodFault.NEVER_READY);
    setImage(B);
    awaitCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.TRUE, NodeReason.UP_TO_DATE);

    kubelet.injectForImage(B, PodFault.CRASH_LOOP);

    awaitStalled(StallReason.CRASH_LOOP);
    setImage(A);
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, B, A);
  }

  @Tag("long")
  @Test
  void podThatDoesNotTerminateIsAskedOnce() {
    create(
        spec(A)
            .with(builder -> builder.progressDeadlineSeconds(2).terminationGracePeriodSeconds(1L)));
    awaitUpToDate(A);
    kubelet.inject(namespace, POD, PodFault.HANGING_TERMINATION);

    setImage(B);

    awaitStalled(StallReason.POD_TERMINATING);
    stays(() -> assertThat(podDeletes()).isEqualTo(1));
    assertThat(images()).containsExactly(A);
    operator.restart();
    kubelet.clearAll();
    awaitUpToDate(B);
    assertThat(podDeletes()).isEqualTo(1);
    assertThat(images()).containsExactly(A, B);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  /** A node says how it stands to its chain, when that changes and at no other time. */
  @Tag("long")
  @Test
  void nodeAtHeightZeroIsNotCalledWellAndNewBlocksAreNotWritten() {
    chain.chain().at(0, Instant.EPOCH).peers(0);
    chain.fault(namespace, NODE, ChainSimulator.Fault.CATCHING_UP);
    create(spec(A));
    awaitUpToDate(A);
    letItLastAt(0);
    awaitCondition(TYPE, ConditionStatus.FALSE, NodeReason.NO_PEERS);
    assertThat(condition(TYPE).message()).contains("no peer", "spec.peers");

    chain.chain().at(7, Instant.EPOCH).furthest(5000).peers(4);
    letItLastAt(7);
    awaitCondition(TYPE, ConditionStatus.FALSE, NodeReason.CATCHING_UP);
    assertThat(why())
        .contains("CaughtUp", "CatchingUp", "seid fetches the blocks", "kubectl sei status");
    Condition said = condition(TYPE);
    awaitAnotherLook();
    operator.requests().clear();
    chain.chain().at(4000, Instant.EPOCH);
    eventuallySeldom(() -> assertThat(gauge("sei_node_height")).isEqualTo(4000));
    assertThat(gauge("sei_node_lag_blocks")).isEqualTo(1000);
    assertThat(gauge("sei_node_peers")).isEqualTo(4);
    assertThat(operator.requests().matching(Request::isWrite)).isEmpty();
    assertThat(condition(TYPE)).isEqualTo(said);

    chain.fault(namespace, NODE, null);
    chain.chain().at(5000, Instant.now());
    awaitCondition(TYPE, ConditionStatus.TRUE, NodeReason.CAUGHT_UP);
    eventually(() -> assertThat(events("CaughtUp")).hasSize(1));
    eventually(() -> assertThat(events("NoPeers")).hasSize(1));
  }

  @Tag("long")
  @Test
  void stoppedNodeIsNotAsked() {
    createRunning();
    awaitCondition(TYPE, ConditionStatus.TRUE, NodeReason.CAUGHT_UP);

    patch("{'spec':{'paused':true}}");

    awaitCondition(NodeConditionType.PAUSED, ConditionStatus.TRUE, NodeReason.PAUSED);
    assertCondition(TYPE, ConditionStatus.UNKNOWN, NodeReason.NOT_ASKED);
    patch("{'spec':{'paused':false}}");
    awaitCondition(TYPE, ConditionStatus.TRUE, NodeReason.CAUGHT_UP);
    assertThat(events("CaughtUp")).isEmpty();
  }

  /** Lets a state last a minute: it was heard, and the operator's clock has advanced since. */
  private void letItLastAt(double height) {
    eventuallySeldom(() -> assertThat(gauge("sei_node_height")).isEqualTo(height));
    operator.clock().jumpTo(jumped = jumped.plus(Duration.ofMinutes(2)));
  }

  private String why() {
    return new KubectlSei(controlPlane, namespace).run("why", "snode/" + NODE).stdout();
  }

  private double gauge(String name) {
    return operator
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + "{"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .findFirst()
        .orElseThrow();
  }

  /** The node lags by so much that it is polled every other second. */
  @Tag("long")
  @Test
  void isToldWithItsLogForAsLongAsItLasts() {
    chain.chain().at(99, Instant.now()).furthest(500);
    createRunning();
    chain.chain().at(100, Instant.now());
    eventuallySeldom(
        () -> assertThat(operator.scrape()).containsPattern("sei_node_height\\{.*} 100\\.0"));

    try (var logs = new LocalHttps(this::answer)) {
      kubelet.serveLogs(logs.port());
      chain.chain().furthest(530);
      operator.clock().jumpTo(Duration.ofMinutes(3));

      awaitStalled(StallReason.HEIGHT_STANDS_STILL);
      assertThat(condition(NodeConditionType.STALLED).message())
          .contains("height 100", "went on to 530", "no block from peer");
      assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
      assertThat(node().getStatus().reason()).isEqualTo("HeightStandsStill");
      chain.chain().furthest(540);
      awaitAnotherLook();
      assertThat(reads).hasValue(1);
      assertThat(condition(NodeConditionType.STALLED).message()).contains("went on to 530");
    }

    chain.chain().at(541, Instant.now());
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.NOT_STALLED);
    eventually(() -> assertThat(events("Recovered")).hasSize(1));
    assertThat(images()).containsExactly(A);
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (exchange.getRequestURI().getPath().contains("/containerLogs/")) {
      reads.incrementAndGet();
    }
    exchange.sendResponseHeaders(200, LOG.length);
    exchange.getResponseBody().write(LOG);
    exchange.close();
  }

  /** A seid that takes its time to start is neither stalled nor disturbed. */
  @Tag("long")
  @Test
  void isToldWithItsWorkUntilItListens() {
    createRunning(1);
    kubelet.injectForImage(B, PodFault.SLOW_SEID);

    try (var logs = new LocalHttps(StallTest::answerWithTheLogOfAStart)) {
      kubelet.serveLogs(logs.port());
      setImage(B);

      awaitStarting();
      final SeidStart start = node().getStatus().start();
      awaitPast(1, NodeConditionType.READY);
      assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
      assertThat(node().getStatus().reason()).isEqualTo("Starting");

      operator.clock().jumpTo(Duration.ofMinutes(1));
      awaitAnotherLook();
      eventually(
          () ->
              assertThat(condition(NodeConditionType.READY).message())
                  .contains(
                      "has been starting since " + start.since(),
                      "it replays blocks, at height 833"));
      operator.restart();
      awaitAnotherLook();
      awaitStarting();
      assertThat(node().getStatus().start().since()).isEqualTo(start.since());

      operator.clock().jumpTo(Duration.ofHours(7));
      awaitAnotherLook();
      awaitStalled(StallReason.START_DEADLINE_EXCEEDED);
      patch("{'spec':{'startDeadlineSeconds':86400}}");
      awaitStarting();
      awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.RECOVERING);
    }

    kubelet.clearImage(B);
    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(node().getStatus().start()).isNull();
  }

  private void awaitStarting() {
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, NodeReason.STARTING);
  }

  private static void answerWithTheLogOfAStart(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, LOG_OF_A_START.length);
    exchange.getResponseBody().write(LOG_OF_A_START);
    exchange.close();
  }

  /**
   * Events and machines are read only about a pod in trouble, and then rarely; and a machine before
   * a node is taken down there.
   */
  @Tag("long")
  @Test
  void rolloutReadsTheMachineOfThePodThatGoesAndNothingElse() {
    createRunning();

    setImage(B);

    awaitUpToDate(B);
    assertThat(readsOfThePod()).hasSize(1).first().asString().contains(kubelet.nodeName());
  }

  @Test
  @Tag("long")
  void eventsOfAMissingPodAreReadOnceInAWhile() {
    createStalled();

    stays(() -> assertThat(readsOfThePod()).hasSize(1));

    refusal.end().accept(stage());
    awaitUpToDate(Fault.IMAGE);
    assertThat(readsOfThePod()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  @Tag("long")
  void restartOfTheOperatorForgetsNoStall() {
    createStalled();
    eventually(() -> assertThat(occurrences("Stalled")).isEqualTo(1));

    operator.restart();

    stays(
        () ->
            assertCondition(
                NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.QUOTA_EXCEEDED));
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertThat(events("Recovered")).isEmpty();
  }

  @Tag("long")
  @Test
  void machineThatMayNotBeReadIsPresumedLostFromItsPodAndAskedForOnce() {
    Fault lost = Faults.named("node-lost").orElseThrow();
    operatorBehindADoor().start();
    door.inject(100, StallTest::isRead, ApiFault.error(403, "Forbidden"));
    createRunning(lost);
    lost.begin().accept(stage());

    awaitStalled(StallReason.NODE_LOST);

    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("the operator may not read it");
    assertThat(readsOfThePod()).hasSize(1);
    lost.end().accept(stage());
    awaitUpToDate(Fault.IMAGE);
  }

  private void createStalled() {
    createRefused();
    awaitStalled(StallReason.QUOTA_EXCEEDED);
  }

  private void createRefused() {
    createRunning(refusal);
    refusal.begin().accept(stage());
  }

  /** The node gets the fault's deadline once it runs: how long the start takes does not count. */
  private void createRunning(Fault fault) {
    SeiNode node = fault.node(namespace, NODE);
    node.setSpec(node.getSpec().withProgressDeadlineSeconds(null));
    client.resource(node).create();
    awaitUpToDate(Fault.IMAGE);
    patch("{'spec':{'progressDeadlineSeconds':%d}}".formatted(fault.deadlineSeconds()));
    awaitUpToDate(Fault.IMAGE);
    operator.requests().clear();
  }

  private FaultStage stage() {
    return new FaultStage(client, kubelet, sidecar, namespace, NODE);
  }

  private List<Request> readsOfThePod() {
    return operator.requests().matching(StallTest::isRead);
  }

  private static boolean isRead(Request request) {
    return request.method().equals("GET")
        && (request.path().endsWith("/events") || request.path().contains("/api/v1/nodes/"));
  }

  static Stream<Fault> faults() {
    return Cases.of(2, all().stream().filter(fault -> !isResize(fault)).toList());
  }

  private static boolean isResize(Fault fault) {
    return fault.reason() == StallReason.POD_RESIZE_PENDING;
  }

  private static List<Fault> all() {
    return Stream.concat(Faults.all().stream(), Stream.of(Faults.standstill(), Faults.hang()))
        .toList();
  }

  /** A test that failed may have left the machine silent, or claims unbound. */
  @AfterEach
  void endAllFaults() {
    kubelet.recoverNode();
    kubelet.holdVolumeBinding(false);
    sidecarFaults().clear();
  }

  /** Every way to be stuck has a name, and is named for as long as it lasts. */
  @Tag("long")
  @Tag("since-1.33")
  @Test
  void resizeThatDoesNotFitIsToldOnceAndGoesWithItsCause() {
    Fault resize = all().stream().filter(StallTest::isResize).findFirst().orElseThrow();
    isToldOnceWithEvidenceAndNextStepAndGoesWithItsCause(resize);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void isToldOnceWithEvidenceAndNextStepAndGoesWithItsCause(Fault fault) {
    var stage = new FaultStage(client, kubelet, sidecar, namespace, NODE).on(chain);
    if (fault.isThereFirst()) {
      fault.begin().accept(stage);
      client.resource(fault.node(namespace, NODE)).create();
    } else {
      create(fault.node(namespace, NODE).getSpec().withProgressDeadlineSeconds(null));
      awaitUpToDate(Fault.IMAGE);
      setDeadline(fault.deadlineSeconds());
      fault.begin().accept(stage);
      letMinutesPass(fault);
    }

    awaitStalled(fault.reason());
    assertTold(fault);
    assertPluginSaysSo(fault);

    fault.end().accept(stage);
    // From here on everything may take as long as the machine needs.
    setDeadline(null);

    awaitUpToDate(node().getSpec().image());
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.NOT_STALLED);
    eventually(() -> assertThat(stalledSeries()).isEmpty());
    // A busy machine may outlast the short deadline once more before it is lifted.
    eventually(() -> assertThat(occurrences("Recovered")).isBetween(1, occurrences("Stalled")));
  }

  @Test
  void everyReasonHasAFault() {
    assertThat(all())
        .extracting(Fault::reason)
        .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(NOT_SIMULATED));
  }

  /**
   * A node that stands still is stalled once that has lasted, and its pod is Ready all the while;
   * one that hangs is at its deadline.
   */
  private void letMinutesPass(Fault fault) {
    if (fault.reason() == StallReason.SEID_NOT_RESPONDING) {
      eventually(
          () ->
              assertCondition(
                  NodeConditionType.READY, ConditionStatus.FALSE, StallReason.SEID_NOT_RESPONDING));
      operator.clock().jumpTo(Duration.ofMinutes(10));
    }
    if (fault.reason() == StallReason.HEIGHT_STANDS_STILL) {
      String said = "sei_node_height{name=\"%s\",namespace=\"%s\"} %.1f";
      eventually(
          () ->
              assertThat(operator.scrape())
                  .contains(said.formatted(NODE, namespace, (double) Faults.STANDSTILL)));
      operator.clock().jumpTo(Duration.ofMinutes(3));
    }
  }

  private static boolean isReadyAllTheWhile(Fault fault) {
    return List.of(StallReason.HEIGHT_STANDS_STILL, StallReason.POD_RESIZE_PENDING)
        .contains(fault.reason());
  }

  @Test
  void haltThatIsNotListedIsAStallAtTheDeadline() {
    createRunning(1);

    kubelet.halt(namespace, POD, "v6.2", 190000000);

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.HALTED_AT_UPGRADE);
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.HALTED_AT_UPGRADE);
    assertCondition(NodeConditionType.RECONCILING, ConditionStatus.FALSE);
    assertThat(node().getStatus().reason()).isEqualTo(StallReason.HALTED_AT_UPGRADE.toString());
    assertCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE);
    assertThat(condition(NodeConditionType.UPGRADES_READY).reason()).isEqualTo("NotListed");
    assertThat(upgrades()).contains("    v6.2                190000000  HALTED, not listed\n");
    assertThat(events("UpgradeNotListed")).isEmpty();
    assertThat(operator.scrape()).contains("sei_node_halted{name=\"node\"");
    eventually(() -> assertThat(events("Stalled")).hasSize(1));
  }

  private String upgrades() {
    return new KubectlSei(controlPlane, namespace).run("upgrades").stdout();
  }

  private void setDeadline(Integer seconds) {
    patch("{'spec':{'progressDeadlineSeconds':%d}}".formatted(seconds));
  }

  private void assertTold(Fault fault) {
    Condition stalled = condition(NodeConditionType.STALLED);
    assertThat(stalled.message()).contains(fault.says());
    assertCondition(
        NodeConditionType.READY,
        isReadyAllTheWhile(fault) ? ConditionStatus.TRUE : ConditionStatus.FALSE);
    eventually(
        () ->
            assertThat(stalledSeries())
                .singleElement()
                .asString()
                .contains("reason=\"" + fault.reason() + "\""));
    eventually(
        () ->
            assertThat(eventsOf(NODE))
                .filteredOn(event -> event.getReason().equals("Stalled"))
                .as(() -> "one of " + told())
                .singleElement()
                .returns(1, Event::getCount));
    assertThat(events("Stalled").get(0).getMessage())
        .startsWith(fault.reason() + ": ")
        .contains(fault.says());
    assertThat(events("Stalled").get(0).getType()).isEqualTo("Warning");
  }

  /** A script that waits stops at once, and the on-call finds the page. */
  private void assertPluginSaysSo(Fault fault) {
    var plugin = new KubectlSei(controlPlane, namespace);

    KubectlResult waited = plugin.run("wait", "snode/" + NODE, "--timeout=0s");
    KubectlResult why = plugin.run("why", "snode/" + NODE);

    assertThat(waited.exitCode()).as("%s", waited).isEqualTo(1);
    assertThat(waited.stderr()).contains(fault.reason() + ": ");
    assertThat(why.exitCode()).as("%s", why).isEqualTo(1);
    assertThat(why.stdout()).contains("runbooks/" + fault.reason() + ".md");
  }

  private List<String> told() {
    return eventsOf(NODE).stream()
        .map(event -> event.getLastTimestamp() + " " + event.getReason())
        .toList();
  }

  private List<String> stalledSeries() {
    return operator.scrape().lines().filter(line -> line.startsWith("sei_node_stalled{")).toList();
  }
}
