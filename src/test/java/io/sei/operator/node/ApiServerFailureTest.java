package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.TcpProxy;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Operates on an API server that refuses, fails or falls silent. */
class ApiServerFailureTest extends NodeTestCase {

  @Override
  protected void startOperator() {
    operatorBehindADoor().with("SEI_RECONCILE_THREADS", "1").start();
  }

  @Test
  void aConflictOnTheStatusIsReadAgainAndOverwritesNothing() {
    createRunning();
    // A write that is left of the start would have the image set to C before it is set to B.
    door.inject(
        1,
        request -> isStatusWrite(request) && node().getSpec().image().equals(B),
        ApiFault.after(() -> setImage(C)));

    setImage(B);
    SeiNode node = awaitUpToDate(C);

    assertThat(door.answered())
        .filteredOn(answered -> isStatusWrite(answered.request()) && answered.status() == 409)
        // More than once where the watch is slow to bring what to read.
        .isNotEmpty();
    assertThat(node.getStatus().planHistory()).as("the plan for B was never accepted").hasSize(2);
    assertThat(podDeletions()).hasSize(1);
  }

  @Tag("long")
  @Test
  void eventsOfAStatusWriteWhoseResponseIsLostAreRecorded() {
    door.inject(1, ApiServerFailureTest::isStatusWrite, ApiFault.lostAnswer());

    createRunning();

    eventually(() -> assertThat(events("PlanComplete")).hasSize(1));
    eventually(() -> assertThat(events("PhaseTransition")).hasSize(2));
  }

  @Tag("long")
  @Test
  void anExpiredWatchIsListedAgain() {
    createRunning();
    // Two controllers watch nodes.
    door.inject(2, request -> request.isWatch() && isNodes(request), ApiFault.expiredWatch());
    long lists = lists();
    door.dropWatches();

    setImage(B);

    awaitUpToDate(B);
    // More often where a watch is dropped again before its list is read.
    eventually(() -> assertThat(lists()).isGreaterThanOrEqualTo(lists + 2));
  }

  @Tag("long")
  @Test
  void aPodIsDeletedOnceHoweverLateTheWatchIs() {
    createRunning();
    door.holdWatches(request -> request.path().endsWith("/pods"));

    setImage(B);
    eventually(() -> assertThat(podDeletions()).hasSize(1));
    awaitAnotherLookAtNodes();
    door.releaseWatches();

    awaitUpToDate(B);
    assertThat(door.deletions()).allMatch(FaultyApiServer.Deletion::isAccepted);
  }

  @Tag("long")
  @Test
  void anOverloadedServerIsAskedAgainAfterAPause() {
    createRunning();
    door.inject(2, ApiServerFailureTest::isStatusWrite, ApiFault.tooManyRequests(1));

    setImage(B);

    awaitUpToDate(B);
    List<Instant> writes =
        door.received().stream()
            .filter(ApiServerFailureTest::isStatusWrite)
            .map(Request::at)
            .toList();
    assertThat(door.answered())
        .filteredOn(FaultyApiServer.Answered::byFault)
        .hasSize(2)
        .allSatisfy(
            refused -> {
              Instant at = refused.request().at();
              Instant next = writes.get(writes.indexOf(at) + 1);
              assertThat(Duration.between(at, next)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            });
    assertThat(podDeletions()).hasSize(1);
  }

  @Test
  void aServerThatHasNotReadItsRolesYetStallsNothing() {
    createRunning();
    long before = stalledEvents();
    door.inject(2, ApiServerFailureTest::isStatefulSetWrite, ApiFault.error(403, "Forbidden"));
    door.inject(1, ApiServerFailureTest::isStatefulSetWrite, ApiFault.reset());

    setImage(B);

    awaitUpToDate(B);
    assertThat(door.faults()).as("the reset and both denials").isEqualTo(3);
    assertThat(stalledEvents()).isEqualTo(before);
  }

  private long stalledEvents() {
    return eventsOf(NODE).stream().filter(event -> event.getType().equals("Warning")).count();
  }

  private static boolean isStatefulSetWrite(Request request) {
    return request.isWrite() && request.path().contains("/statefulsets/");
  }

  @Test
  void whatFailedForAWhileConvergesAfterwards() {
    createRunning();
    door.inject(request -> true, ApiFault.error(503, "ServiceUnavailable"));
    door.dropWatches();

    setImage(B);
    eventually(() -> assertThat(door.faults()).isGreaterThan(20));
    assertThat(runningImage()).isEqualTo(A);
    door.heal();

    awaitUpToDate(B);
    assertThat(podDeletions()).hasSize(1);
  }

  @Tag("long")
  @Test
  void aSilentServerCostsNoThread() {
    createRunning();
    var answering = new CountDownLatch(1);
    door.inject(request -> true, ApiFault.hangUntil(answering));
    int before = door.received().size();

    setImage(B);
    // The same once more: the first was given up.
    eventually(() -> assertThat(door.received()).hasSizeGreaterThan(before + 1));
    door.heal();
    answering.countDown();

    awaitUpToDate(B);
    setImage(C);
    awaitUpToDate(C);
  }

  private long lists() {
    return door.received().stream()
        .filter(request -> isNodes(request) && !request.isWatch())
        .count();
  }

  private List<FaultyApiServer.Answered> podDeletions() {
    return door.answered().stream()
        .filter(answered -> answered.request().method().equals("DELETE"))
        .filter(answered -> answered.request().path().contains("/pods/"))
        // A delete that came too late is refused by its preconditions, as it should be.
        .filter(answered -> answered.status() < 300)
        .toList();
  }

  private static boolean isNodes(Request request) {
    return request.path().endsWith("/seinodes");
  }

  private static boolean isStatusWrite(Request request) {
    return request.method().equals("PATCH") && request.path().endsWith("/seinodes/node/status");
  }

  @Test
  void aRolloutContinuesAfterAProxyStopsForwarding() {
    try (var proxy = new TcpProxy(controlPlane.config(ControlPlane.OPERATOR))) {
      operatorAs(proxy.config()).with("SEI_WATCH_SILENCE", "2s").start();
      createRunning();

      proxy.stopForwarding();
      setImage(B);

      awaitUpToDate(B);
      assertThat(operator.watchMonitor().renewals()).isPositive();
      assertThat(operator.watchMonitor().deaf()).isEmpty();
    }
  }
}
