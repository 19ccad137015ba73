package io.sei.operator.sidecar;

import static io.sei.operator.sidecar.SidecarHealth.NOT_READY;
import static io.sei.operator.sidecar.SidecarHealth.READY;
import static io.sei.operator.sidecar.SidecarHealth.UNKNOWN;
import static io.sei.operator.sidecar.SidecarHealth.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Poller;
import io.sei.operator.testkit.ManualExecutor;
import io.sei.operator.testkit.StubbedSidecars;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SidecarsTest {

  private static final ResourceID NODE = new ResourceID("atlantic", "chain");
  private static final ResourceID ONE = new ResourceID("one", "chain");
  private static final ResourceID OTHER = new ResourceID("other", "chain");
  private static final String POD = "pod-1";
  private static final String IP = "10.0.0.1";
  private static final SidecarAddress ADDRESS = at(POD, IP);

  private final Queue<SidecarHealth> answers = new ArrayDeque<>();

  /** Answers that are yet to come; they are used up first. */
  private final Queue<CompletableFuture<SidecarHealth>> pending = new ArrayDeque<>();

  private final ManualExecutor<ResourceID> executor =
      ManualExecutor.eager(Instant.parse("2026-06-01T10:00:00Z"));
  private final List<ResourceID> woken = new ArrayList<>();

  /** Node names that the sidecars at each address report. */
  private final Map<String, String> nodeIds = new HashMap<>();

  private final List<String> askedForId = new ArrayList<>();

  private final PerObjectState<ResourceID> memory = new PerObjectState<>();
  private final Sidecars sidecars =
      new Sidecars(
          StubbedSidecars.client(this::health, this::nodeId),
          executor.polling(memory),
          (node, within) -> woken.add(node));

  static List<Arguments> answers() {
    return List.of(
        row("one request unanswered", READY, 1, READY, UNREACHABLE),
        row("two in a row", READY, 1, READY, UNREACHABLE, UNREACHABLE),
        row("three in a row", UNREACHABLE, 2, READY, UNREACHABLE, UNREACHABLE, UNREACHABLE),
        row("three, not in a row", READY, 1, READY, UNREACHABLE, UNREACHABLE, READY, UNREACHABLE),
        row("never answered, asked twice", null, 0, UNREACHABLE, UNREACHABLE),
        row("never answered", UNREACHABLE, 1, UNREACHABLE, UNREACHABLE, UNREACHABLE, UNREACHABLE),
        row("nobody asked in between", READY, 1, READY, UNKNOWN, UNKNOWN, UNKNOWN),
        row("nobody asked between two", READY, 1, READY, UNREACHABLE, UNKNOWN, UNREACHABLE),
        row("nobody asked at first", NOT_READY, 1, UNKNOWN, NOT_READY),
        row("back again", NOT_READY, 2, UNREACHABLE, UNREACHABLE, UNREACHABLE, NOT_READY));
  }

  private static Arguments row(
      String what, SidecarHealth health, int events, SidecarHealth... answers) {
    return Arguments.of(what, health, events, List.of(answers));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("answers")
  void sidecarIsUnreachableOnceItLeftThreeRequestsInARowUnanswered(
      String what, SidecarHealth health, int wakes, List<SidecarHealth> said) {
    answers.addAll(said);

    sidecars.watch(NODE, ADDRESS);
    while (!answers.isEmpty()) {
      executor.runNext();
    }

    assertThat(sidecars.health(NODE, POD)).isEqualTo(Optional.ofNullable(health));
    assertThat(woken).hasSize(wakes).allMatch(NODE::equals);
  }

  @Test
  void whatWasJustDoneIsKnownAndWakesNobody() {
    answers.addAll(List.of(NOT_READY, READY));
    sidecars.watch(NODE, ADDRESS);
    woken.clear();

    sidecars.note(NODE, "another pod", UNREACHABLE);
    sidecars.note(NODE, POD, READY);
    executor.runNext();

    assertThat(sidecars.health(NODE, POD)).contains(READY);
    assertThat(sidecars.health(NODE, "another pod")).isEmpty();
    assertThat(woken).isEmpty();
  }

  /** The pod reports another container, and the sidecar's ready flag ends with its process. */
  @Test
  void readySidecarIsPolledOnceAMinuteAndAnotherContainerAtOnce() {
    watch(ADDRESS);
    assertThat(executor.delays().getLast())
        .isBetween(Sidecars.CALM.multipliedBy(9).dividedBy(10), Sidecars.CALM);

    answers.add(NOT_READY);
    sidecars.watch(NODE, at(POD, IP, "container-2", "plan"));
    assertThat(sidecars.health(NODE, POD)).contains(NOT_READY);
  }

  @Test
  void podThatDoesNotRunIsNotAsked() {
    answers.add(READY);
    sidecars.watch(NODE, ADDRESS);

    sidecars.pause(NODE);
    executor.runNext();

    assertThat(sidecars.health(NODE, POD)).isEmpty();
    assertThat(executor.delays()).isEmpty();
    answers.add(READY);
    assertThat(sidecars.watch(NODE, ADDRESS)).isTrue();
    assertThat(sidecars.watch(NODE, ADDRESS)).isFalse();
  }

  @Test
  void answerOfAnotherPodContainerOrPlanIsDropped() {
    for (SidecarAddress next :
        List.of(
            at("pod-2", IP), at(POD, IP, "container-2", "plan"), at(POD, IP, "container", "2"))) {
      SidecarAddress before = at(POD, IP, "container", "plan");
      var late = new CompletableFuture<SidecarHealth>();
      answers.add(READY);
      sidecars.watch(NODE, before);
      pending.add(late);
      executor.runNext();
      answers.add(NOT_READY);
      sidecars.watch(NODE, next);
      assertThat(executor.delays()).as("of what is asked now").hasSize(1);
      woken.clear();

      late.complete(UNREACHABLE);

      assertThat(sidecars.health(NODE, next.podUid().orElseThrow())).contains(NOT_READY);
      assertThat(woken).isEmpty();
      assertThat(executor.delays()).as("nothing else is asked again").hasSize(1);
      sidecars.pause(NODE);
      executor.runNext();
    }
  }

  @Test
  void anotherPlanKeepsWhatIsKnownAndAnotherContainerDoesNot() {
    answers.add(READY);
    assertThat(sidecars.watch(NODE, at(POD, IP, "container", "plan"))).isTrue();

    pending.add(new CompletableFuture<>());
    assertThat(sidecars.watch(NODE, at(POD, IP, "container", "2"))).as("same pod").isFalse();
    assertThat(sidecars.health(NODE, POD)).contains(READY);

    pending.add(new CompletableFuture<>());
    assertThat(sidecars.watch(NODE, at(POD, IP, "container-2", "2"))).as("same pod").isFalse();
    assertThat(sidecars.health(NODE, POD)).as("it has yet to answer").isEmpty();
  }

  @Test
  void identityIsAskedForOncePerPodHoweverManyWantToKnow() {
    nodeIds.put(IP, "id-1");
    watch(ADDRESS);
    assertThat(askedForId).as("nobody wants to know").isEmpty();

    assertThat(sidecars.nodeId(NODE, ONE)).contains("id-1");
    assertThat(sidecars.nodeId(NODE, OTHER)).contains("id-1");
    askAgain();
    assertThat(askedForId).hasSize(1);

    watch(at("pod-2", IP));
    sidecars.nodeId(NODE, ONE);
    assertThat(askedForId).hasSize(2);
  }

  @Test
  void whoeverAskedBeforeThePodGotItsAddressIsWokenToo() {
    assertThat(sidecars.nodeId(NODE, ONE)).isEmpty();
    watch(at(POD, "10.0.0.9"));
    sidecars.nodeId(NODE, OTHER);
    woken.clear();
    nodeIds.put(IP, "id-1");

    watch(ADDRESS);

    assertThat(woken).contains(ONE, OTHER);
    assertThat(sidecars.nodeId(NODE, ONE)).contains("id-1");
  }

  @Test
  void sidecarThatDoesNotTellItsIdentityIsAskedAgain() {
    sidecars.nodeId(NODE, ONE);
    watch(ADDRESS);
    nodeIds.put(IP, "id-1");

    askAgain();

    assertThat(sidecars.nodeId(NODE, ONE)).contains("id-1");
  }

  @Test
  void identityOfTheLastPodStandsUntilTheNextOneAnswers() {
    nodeIds.put(IP, "id-1");
    watch(ADDRESS);
    sidecars.nodeId(NODE, ONE);

    sidecars.pause(NODE);
    assertThat(sidecars.nodeId(NODE, ONE)).contains("id-1");
    watch(at("pod-2", "10.0.0.2"));
    assertThat(sidecars.nodeId(NODE, ONE)).contains("id-1");
  }

  @Test
  void nodeThatIsGoneIsForgotten() {
    nodeIds.put(IP, "id-1");
    watch(ADDRESS);
    sidecars.nodeId(NODE, ONE);

    memory.drop(NODE);
    assertThat(sidecars.nodeId(NODE, ONE)).isEmpty();

    memory.drop(ONE);
    woken.clear();
    watch(ADDRESS);
    assertThat(woken).doesNotContain(ONE);
  }

  @Test
  void answerOfAnEarlierPodIsDroppedIfThePodIsReplacedMeanwhile() {
    var late = new CompletableFuture<SidecarHealth>();
    pending.add(late);
    sidecars.watch(NODE, ADDRESS);
    pending.add(new CompletableFuture<>());
    executor.onNextInstant(() -> sidecars.watch(NODE, at("pod-2", IP)));

    late.complete(READY);

    assertThat(sidecars.health(NODE, "pod-2")).isEmpty();
  }

  @Test
  void peerOfAnotherShardIsForgottenOnceNoNodeHasAskedForItForAWhile() {
    nodeIds.put(IP, "id-1");
    sidecars.nodeIdElsewhere(NODE, ADDRESS, ONE);
    executor.advance(Poller.RECONCILED.dividedBy(2));
    sidecars.nodeIdElsewhere(NODE, ADDRESS, ONE);
    executor.advance(Poller.RECONCILED.dividedBy(2));
    sidecars.nodeId(OTHER, ONE);
    sidecars.nodeIdElsewhere(NODE, ADDRESS, ONE);
    assertThat(askedForId).hasSize(1);

    executor.advance(Poller.RECONCILED);
    sidecars.nodeId(ONE, OTHER);
    sidecars.nodeIdElsewhere(NODE, ADDRESS, ONE);

    assertThat(askedForId).hasSize(2);
  }

  @Test
  void peerThatIsAskedForAfterItsDropIsForgottenAndOneThatOnlyStoppedIsNot() {
    nodeIds.put(IP, "id-1");
    watch(ADDRESS);
    sidecars.nodeId(NODE, ONE);
    sidecars.pause(NODE);
    executor.advance(Poller.RECONCILED);
    sidecars.nodeId(OTHER, ONE);
    assertThat(sidecars.nodeId(NODE, ONE)).as("stopped").contains("id-1");

    memory.drop(NODE);
    sidecars.nodeId(NODE, ONE);
    executor.advance(Poller.RECONCILED);
    sidecars.nodeId(ONE, OTHER);
    woken.clear();
    watch(ADDRESS);

    assertThat(woken).as("has not asked for a while").doesNotContain(ONE);
  }

  private void watch(SidecarAddress address) {
    answers.add(READY);
    sidecars.watch(NODE, address);
  }

  private void askAgain() {
    answers.add(READY);
    executor.runNext();
  }

  private static SidecarAddress at(String pod, String ip) {
    return new SidecarAddress("chain", "atlantic", Optional.of(pod), Optional.of(ip));
  }

  private static SidecarAddress at(String pod, String ip, String container, String plan) {
    return new SidecarAddress(
        "chain",
        "atlantic",
        Optional.of(pod),
        Optional.of(ip),
        Optional.of(container),
        Optional.of(plan));
  }

  private CompletableFuture<SidecarHealth> health() {
    return Optional.ofNullable(pending.poll())
        .orElseGet(() -> CompletableFuture.completedFuture(answers.remove()));
  }

  private Optional<String> nodeId(SidecarAddress address) {
    String ip = address.podIp().orElseThrow();
    askedForId.add(ip);
    return Optional.ofNullable(nodeIds.get(ip));
  }
}
