package io.sei.operator.node.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.Answer;
import io.sei.operator.chain.SyncState;
import io.sei.operator.node.sync.HeightRecord.Standstill;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decides when a height stands still, and how that is reported. */
class HeightStandsStillTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final Standstill STANDSTILL = new Standstill(100, NOW, 120);

  /** Height and what its peers have, then both again some seconds later. */
  @ParameterizedTest
  @CsvSource({
    "100, 100, 100, 120, 180, true",
    "100, 100, 100, 120, 179, false",
    "100, 100, 101, 120, 180, false",
    // The chain has halted, with a peer that is a block ahead.
    "100, 100, 100, 100, 999, false",
    "100, 101, 100, 101, 999, false",
    // Peers that catch up to it do not go on.
    "100,  50, 100,  90, 999, false",
    // Nobody said how far they were at first.
    "100,    , 100, 120, 180, false",
    "0,   100,   0, 120, 180, true",
  })
  void stands(long then, Long others, long now, Long othersNow, long seconds, boolean expected) {
    Optional<HeightRecord> first = after(Optional.empty(), then, others, 0, NOW);

    assertThat(after(first, now, othersNow, 0, NOW.plusSeconds(seconds)).get().standstill())
        .isEqualTo(
            expected
                ? Optional.of(new Standstill(then, NOW, othersNow))
                : Optional.<Standstill>empty());
  }

  @Test
  void otherNodesOfTheChainCountAsPeersAndWhatIsReportedStays() {
    Optional<HeightRecord> record = after(Optional.empty(), 100, null, 100, NOW);
    record = after(record, 100, null, 110, NOW.plusSeconds(200));
    record = after(record, 100, null, 150, NOW.plusSeconds(230));

    assertThat(record.get().standstill()).contains(new Standstill(100, NOW, 110));
    assertThat(after(record, 101, null, 160, NOW.plusSeconds(260)).get().standstill()).isEmpty();
  }

  @Test
  void aRunThatWasSilentStartsOver() {
    Sync heard = Sync.unasked(NOW).heard(state(100, 100L), false, 0, NOW);

    assertThat(heard.silent(NOW).heights()).as("once may be a slow answer").isPresent();
    assertThat(heard.silent(NOW).silent(NOW).heights()).isEmpty();
  }

  @Test
  void nothingIsKnownOfARunThatHasYetToAnswer() {
    Sync heard = Sync.unasked(NOW).heard(state(100, 100L), false, 0, NOW);

    assertThat(heard.withoutRun().heights()).isEmpty();
    assertThat(heard.withoutRun().last()).isEqualTo(heard.last());
  }

  @Test
  void lineOfTheLogIsQuotedOnceItIsKnown() {
    assertThat(HeightStandsStill.finding(STANDSTILL, new Answer.Unasked<>())).isEmpty();
    assertThat(message(new Answer.Known<>("level=ERROR msg=\"no block\"")))
        .startsWith(
            "seid runs at height 100 since 2026-06-01T10:00:00Z, while its peers went on to 120;"
                + " its log: \"level=ERROR msg=\"no block\"\"; ")
        .endsWith("restart the node once (kubectl sei restart)");
    assertThat(message(new Answer.Known<>(""))).contains("; its log is empty; ");
    assertThat(message(new Answer.Failed<>(new IllegalStateException("forbidden"))))
        .contains("; its log cannot be read: forbidden; ");
  }

  private static String message(Answer<String> line) {
    return HeightStandsStill.finding(STANDSTILL, line)
        .filter(finding -> finding.reason() == StallReason.HEIGHT_STANDS_STILL)
        .orElseThrow()
        .message();
  }

  private static Optional<HeightRecord> after(
      Optional<HeightRecord> before, long height, Long furthest, long others, Instant now) {
    return Optional.of(HeightRecord.after(before, state(height, furthest), others, now));
  }

  private static SyncState state(long height, Long furthest) {
    return new SyncState(
        "atlantic-2",
        height,
        NOW,
        false,
        Optional.ofNullable(furthest),
        Optional.of(3),
        Optional.empty());
  }
}
