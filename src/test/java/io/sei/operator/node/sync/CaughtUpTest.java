package io.sei.operator.node.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.chain.SyncState;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Derives the condition of a node from the answers of its RPC. */
class CaughtUpTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");

  /** Height, seconds since its block, catching_up, what peers have, how many peers. */
  @ParameterizedTest
  @CsvSource({
    "900,    1, false, 900,  12, CAUGHT_UP",
    "900,    1, false, 1200, 12, CAUGHT_UP",
    "900,    1, false, 1201, 12, CATCHING_UP",
    "900,    1, true,  900,  12, CATCHING_UP",
    "900, 9999, true,  9000, 12, CATCHING_UP",
    "0,   9999, true,  ,     12, CATCHING_UP",
    "0,   9999, false, ,     12, CATCHING_UP",
    "0,   9999, true,  ,      0, NO_PEERS",
    "900, 9999, true,  9000,  0, NO_PEERS",
    "900,  121, false, 900,   0, NO_PEERS",
    // The only validator of its chain.
    "900,    1, false, ,      0, CAUGHT_UP",
    // A chain that has halted, or a program that does not say how many peers it has.
    "900, 9999, false, 900,  12, CAUGHT_UP",
    "900, 9999, false, ,       , CAUGHT_UP",
    "0,   9999, true,  ,       , CATCHING_UP",
  })
  void standing(
      long height,
      int age,
      boolean catchingUp,
      Long furthest,
      Integer peers,
      CatchUpState expected) {
    assertThat(CatchUpState.of(state(height, age, catchingUp, furthest, peers), NOW))
        .isEqualTo(expected);
  }

  @Test
  void onlyWhatLastsIsReported() {
    Sync unasked = Sync.unasked(NOW);
    assertThat(unasked.at(true, NOW.plusSeconds(119)).reported()).isEmpty();
    assertThat(unasked.at(true, NOW.plusSeconds(120)).reported()).contains(CatchUpState.SILENT);

    Sync up = unasked.heard(up(), false, 0, NOW);
    assertThat(up.at(true, NOW).reported()).contains(CatchUpState.CAUGHT_UP);
    assertThat(up.at(false, NOW).reported()).as("the pod will be Ready soon").isEmpty();
    assertThat(up.at(false, NOW.plusSeconds(10)).reported()).contains(CatchUpState.CAUGHT_UP);

    Sync behind = up.at(true, NOW).heard(behind(), false, 0, NOW);
    assertThat(behind.at(true, NOW.plusSeconds(29)).reported()).contains(CatchUpState.CAUGHT_UP);
    assertThat(behind.at(true, NOW.plusSeconds(30)).reported()).contains(CatchUpState.CATCHING_UP);

    Sync again = behind.heard(up(), false, 0, NOW.plusSeconds(20)).at(true, NOW.plusSeconds(20));
    assertThat(again.reported()).contains(CatchUpState.CAUGHT_UP);
  }

  @Test
  void whatWasSaidIsForgottenOnceTheNodeIsSilent() {
    Sync silent =
        Sync.unasked(NOW).heard(up(), false, 0, NOW).at(true, NOW).silent(NOW.plusSeconds(30));

    assertThat(silent.at(true, NOW.plusSeconds(149)).last()).isPresent();
    assertThat(silent.at(true, NOW.plusSeconds(150)).last()).isEmpty();
  }

  /** Condition that is drafted, the state that the RPC reports, and the condition after it. */
  @ParameterizedTest
  @CsvSource({
    ",                   CAUGHT_UP,   True/CaughtUp",
    ",                   CATCHING_UP, False/CatchingUp",
    ",                   NO_PEERS,    False/NoPeers",
    ",                   SILENT,      ",
    ",                   ,            ",
    "Unknown/NotAsked,   SILENT,      Unknown/NotAsked",
    "True/CaughtUp,      SILENT,      Unknown/NotAsked",
    "True/CaughtUp,      ,            True/CaughtUp",
    "True/CaughtUp,      CATCHING_UP, False/CatchingUp",
    "False/CatchingUp,   CAUGHT_UP,   True/CaughtUp",
    "False/NoPeers,      CATCHING_UP, False/CatchingUp",
    "False/CatchingUp,   FROZEN,      True/Frozen",
    "True/Frozen,        SILENT,      Unknown/NotAsked",
  })
  void condition(String said, CatchUpState reported, String expected) {
    var sync =
        new Sync(
            CatchUpState.SILENT,
            NOW,
            Optional.empty(),
            Optional.ofNullable(reported),
            Optional.empty(),
            Optional.empty());

    Optional<ConditionProposal> proposal = CaughtUp.proposal(said(said), sync, false);

    assertThat(
            proposal
                .map(
                    conditionProposal ->
                        conditionProposal.status() + "/" + conditionProposal.reason())
                .orElse(null))
        .isEqualTo(expected);
  }

  @Test
  void aFrozenNodeNeitherFallsBehindNorStandsStill() {
    Sync frozen = Sync.unasked(NOW).heard(behind(), true, 9000, NOW);
    Instant later = NOW.plusSeconds(3600);

    Sync still = frozen.heard(behind(), true, 9900, later).at(true, later);

    assertThat(frozen.at(true, NOW).reported()).contains(CatchUpState.FROZEN);
    assertThat(still.reported()).contains(CatchUpState.FROZEN);
    assertThat(still.heights()).isEmpty();
    assertThat(CaughtUp.proposal(Optional.empty(), still, false).orElseThrow().message())
        .isEqualTo("seid serves queries and executes no more blocks, as freeze.height asks for");
  }

  /** A block writes no condition, so a number in its message would soon be wrong. */
  @ParameterizedTest
  @EnumSource(CatchUpState.class)
  void noMessageHasANumberThatABlockChanges(CatchUpState standing) {
    var sync =
        new Sync(
            standing,
            NOW,
            Optional.of(behind()),
            Optional.of(standing),
            Optional.empty(),
            Optional.empty());

    ConditionProposal proposal = CaughtUp.proposal(said("False/Other"), sync, false).orElseThrow();

    assertThat(proposal.message().replace("port 26656", "")).doesNotContainPattern("[0-9]");
  }

  @Test
  void whatAPersonStopsIsSaidAtOnce() {
    var sync =
        new Sync(
            CatchUpState.SILENT,
            NOW,
            Optional.empty(),
            Optional.of(CatchUpState.CAUGHT_UP),
            Optional.empty(),
            Optional.empty());

    assertThat(CaughtUp.proposal(said("True/CaughtUp"), sync, true).get().message())
        .isEqualTo("seid is stopped");
    assertThat(CaughtUp.proposal(Optional.empty(), sync, true)).isEmpty();
  }

  private static SyncState up() {
    return state(900, 1, false, 900L, 12);
  }

  private static SyncState behind() {
    return state(20, 9999, true, 900L, 12);
  }

  private static SyncState state(
      long height, int age, boolean catchingUp, Long furthest, Integer peers) {
    return new SyncState(
        "atlantic-2",
        height,
        NOW.minusSeconds(age),
        catchingUp,
        Optional.ofNullable(furthest),
        Optional.ofNullable(peers),
        Optional.empty());
  }

  private static Optional<Condition> said(String said) {
    return Optional.ofNullable(said)
        .map(text -> text.split("/"))
        .map(
            value ->
                new Condition(
                    "CaughtUp",
                    ConditionStatus.of(value[0].equals("True")),
                    1L,
                    NOW,
                    value[1],
                    "as it was"))
        .map(condition -> said.startsWith("Unknown") ? unknown(condition) : condition);
  }

  private static Condition unknown(Condition said) {
    return new Condition(
        said.type(),
        ConditionStatus.UNKNOWN,
        said.observedGeneration(),
        said.lastTransitionTime(),
        said.reason(),
        said.message());
  }
}
