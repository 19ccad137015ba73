package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WatchMonitorTest {

  private static final Duration SILENCE = Duration.ofMinutes(2);
  private static final String PODS = "https://api/api/v1/pods?labelSelector=a%3Db&";
  private static final URI WATCH = URI.create(PODS + "resourceVersion=7&watch=true");
  private static final URI OTHER_WATCH = URI.create("https://api/api/v1/secrets?watch=true");
  private static final URI WATCH_OF_ONE =
      URI.create(
          "https://api/api/v1/namespaces/n/persistentvolumeclaims"
              + "?fieldSelector=metadata.name%3Dclaim&watch=true");
  private static final HttpRequest LIST = get(PODS + "limit=500");
  private static final HttpRequest OTHER = get("https://api/api/v1/nodes/a");

  private Instant now = Instant.EPOCH;
  private final WatchMonitor monitor = new WatchMonitor(() -> now);
  private final FakeConnection first = new FakeConnection();
  private final FakeConnection second = new FakeConnection();
  private final FakeConnection third = new FakeConnection();

  @Test
  void aWatchThatGetsBookmarksIsNotRenewed() {
    WatchMonitor.Watch watch = open(first);

    for (int minute = 0; minute < 60; minute++) {
      pass(Duration.ofMinutes(1));
      monitor.heard(watch, first);
    }

    assertThat(monitor.renewals()).isZero();
    assertThat(first.ends).isEmpty();
    assertThat(monitor.age()).isZero();
  }

  @Test
  void aSilentWatchIsRenewedOnceAndThenListedAnew() {
    open(first);

    pass(SILENCE);
    assertThat(first.ends).containsExactly("end");
    open(second);
    pass(SILENCE);

    assertThat(second.ends).containsExactly("expire");
    assertThat(monitor.renewals()).isEqualTo(2);
    assertThat(monitor.age()).isEqualTo(SILENCE.multipliedBy(2));
  }

  @Test
  void anEndedConnectionIsNotEndedAgainAndRenewsNothing() {
    WatchMonitor.Watch watch = open(first);
    pass(SILENCE);

    monitor.heard(watch, first);
    monitor.lost(watch, first);
    monitor.closed(watch, first);

    assertThat(first.ends).hasSize(1);
    assertThat(monitor.age()).isEqualTo(SILENCE);
  }

  @Test
  void theTimeSinceTheRequestCountsWhileTheApiServerDoesNotAnswerIt() {
    monitor.requested(WATCH, first);

    pass(SILENCE);

    assertThat(first.ends).containsExactly("end");
  }

  @Test
  void theTimeSinceTheAcceptanceCountsFromThenOn() {
    WatchMonitor.Watch watch = monitor.requested(WATCH, first);
    pass(SILENCE.minusSeconds(1));
    monitor.accepted(watch, first);

    pass(SILENCE.minusSeconds(1));

    assertThat(first.ends).isEmpty();
  }

  @Test
  void twoInformersOfOneKindAreMeasuredApart() {
    WatchMonitor.Watch one = open(first);
    open(second);

    pass(Duration.ofMinutes(1));
    monitor.heard(one, first);
    pass(Duration.ofMinutes(1));

    assertThat(first.ends).isEmpty();
    assertThat(second.ends).containsExactly("end");
    assertThat(monitor.age()).isEqualTo(SILENCE);
  }

  @Test
  void aWatchThatStaysSilentAfterTwoRenewalsIsDeaf() {
    renewTwice();
    assertThat(monitor.deaf()).as("four minutes").isEmpty();

    pass(Duration.ofMinutes(1));

    assertThat(monitor.deaf()).as("nothing else was answered").isEmpty();
    monitor.answered(OTHER);
    assertThat(monitor.deaf()).containsExactly("/api/v1/pods?labelSelector=a%3Db");
    WatchMonitor.Watch watch = open(third);
    monitor.heard(watch, third);
    assertThat(monitor.deaf()).isEmpty();
  }

  @Test
  void aWatchWhoseKindWasListedIsNotDeaf() {
    renewTwice();
    monitor.requested(LIST);
    monitor.answered(LIST);
    assertThat(monitor.age()).isZero();

    pass(Duration.ofMinutes(1));
    monitor.answered(OTHER);

    assertThat(monitor.deaf()).isEmpty();
    assertThat(monitor.age()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void aWatchThatTheLibraryDoesNotConnectAgainAgesUntilItIsDeaf() {
    monitor.lost(open(first), first);
    pass(SILENCE);
    pass(SILENCE);
    assertThat(monitor.deaf()).as("four minutes").isEmpty();

    pass(Duration.ofMinutes(1));
    monitor.answered(OTHER);

    assertThat(monitor.age()).isEqualTo(Duration.ofMinutes(5));
    assertThat(monitor.deaf()).containsExactly("/api/v1/pods?labelSelector=a%3Db");
    assertThat(monitor.renewals()).as("there is no connection to end").isZero();
    WatchMonitor.Watch watch = open(second);
    monitor.heard(watch, second);
    assertThat(monitor.deaf()).isEmpty();
  }

  @Test
  void aWatchThatTheLibraryDoesNotConnectAgainAfterARenewalIsDeafToo() {
    open(first);
    for (int silence = 0; silence < 3; silence++) {
      pass(SILENCE);
    }
    pass(Duration.ofMinutes(1));
    monitor.answered(OTHER);

    assertThat(monitor.age()).isEqualTo(SILENCE.multipliedBy(3).plusMinutes(1));
    assertThat(monitor.deaf()).containsExactly("/api/v1/pods?labelSelector=a%3Db");
  }

  /** The informer of an imported claim is stopped with its node, perhaps between connections. */
  @Test
  void aWatchOfOneObjectThatIsNotConnectedAgainIsForgotten() {
    monitor.lost(monitor.requested(WATCH_OF_ONE, first), first);

    pass(SILENCE);

    assertThat(monitor.age()).isZero();
  }

  @Test
  void anApiServerThatIsAwayOrRefusesMakesNoWatchDeaf() {
    for (boolean listIsRefused : List.of(true, false)) {
      renewTwice();
      if (listIsRefused) {
        monitor.failed(LIST);
      } else {
        monitor.failed(open(third), third);
      }
      pass(Duration.ofMinutes(1));
      monitor.answered(OTHER);
      assertThat(monitor.deaf()).isEmpty();
      monitor.answered(LIST);
    }
  }

  @Test
  void aWatchThatWasClosedIsForgotten() {
    monitor.closed(open(first), first);

    pass(Duration.ofMinutes(10));

    assertThat(monitor.age()).isZero();
  }

  @Test
  void anOutageCountsAsSilenceOverAllAttempts() {
    monitor.lost(open(first), first);
    for (int attempt = 0; attempt < 10; attempt++) {
      pass(Duration.ofSeconds(30));
      monitor.failed(monitor.requested(WATCH, second), second);
    }

    assertThat(monitor.age()).isEqualTo(Duration.ofMinutes(5));
    assertThat(monitor.renewals()).isZero();
  }

  @Test
  void aConnectionThatCannotBeEndedDoesNotKeepOthersFromBeingRenewed() {
    first.failure = new IllegalStateException("closed");
    open(first);
    WatchMonitor.Watch other = monitor.requested(OTHER_WATCH, second);
    monitor.accepted(other, second);

    pass(SILENCE);

    assertThat(second.ends).containsExactly("end");
  }

  private void renewTwice() {
    open(first);
    pass(SILENCE);
    open(second);
    pass(SILENCE);
  }

  private WatchMonitor.Watch open(FakeConnection connection) {
    WatchMonitor.Watch watch = monitor.requested(WATCH, connection);
    monitor.accepted(watch, connection);
    return watch;
  }

  private void pass(Duration time) {
    now = now.plus(time);
    monitor.renewSilent(SILENCE);
  }

  private static HttpRequest get(String uri) {
    return new StandardHttpRequest.Builder().uri(uri).build();
  }

  private static final class FakeConnection implements WatchMonitor.Connection {

    private final List<String> ends = new ArrayList<>();
    private RuntimeException failure;

    @Override
    public void end(String cause) {
      ended("end");
    }

    @Override
    public void expire() {
      ended("expire");
    }

    private void ended(String how) {
      ends.add(how);
      if (failure != null) {
        throw failure;
      }
    }
  }
}
