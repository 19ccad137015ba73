package io.sei.operator.node.signing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpecBuilder;
import io.sei.operator.api.v1alpha1.SigningKeyTransfer;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import io.sei.operator.node.signing.KeyEvidence.User;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every record, with everything that can be seen beside it and every claim that a node may have.
 */
class SigningKeyLockPolicyTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final String CHAIN = "chain-1";
  private static final Map<Row, SigningKeyLockDecision> DECISIONS = new HashMap<>();
  private static final List<Row> ROWS = rows();

  private enum Records {
    NONE,
    RESERVED,
    ARMED,
    RELEASED
  }

  /** The holder by the record: bob, another node of bob's namespace, or one of another. */
  private enum Holds {
    BOB,
    NEIGHBOUR,
    STRANGER
  }

  private enum Users {
    NONE,
    HERE,
    ELSEWHERE
  }

  private enum Last {
    ENDED,
    SILENT,
    /** A person says that the pod on the silent machine has ended. */
    NAMED
  }

  private enum Word {
    NONE,
    FOR_BOB,
    FOR_ANOTHER
  }

  private enum Data {
    NONE,
    OTHER,
    SAME_CLAIM,
    SAME_VOLUME
  }

  private enum Accepts {
    NOTHING,
    THE_LAST,
    /** By acceptSigningStateLoss alone, which may be meant for a reset of that claim. */
    A_RESET,
    THE_PRESENT
  }

  private record Row(
      Records record,
      Holds holds,
      Possession recorded,
      Possession possession,
      Users others,
      Last last,
      Word word,
      Data data,
      Accepts accepts,
      int bits) {

    boolean holderIsThere() {
      return (bits & 1) != 0;
    }

    boolean otherChain() {
      return (bits & 2) != 0;
    }

    boolean leaving() {
      return (bits & 4) != 0;
    }

    boolean arming() {
      return (bits & 8) != 0;
    }

    /**
     * Returns whether a claim was marked, or, where there is a record, a neighbour holds a
     * declaration.
     */
    boolean beside() {
      return (bits & 16) != 0;
    }

    boolean own() {
      return exists() && holds == Holds.BOB;
    }

    boolean foreign() {
      return exists() && holds == Holds.STRANGER;
    }

    boolean armed() {
      return record == Records.ARMED || record == Records.RELEASED;
    }

    boolean exists() {
      return record != Records.NONE;
    }

    boolean held() {
      return exists() && !own() && holderIsThere() && record != Records.RELEASED;
    }

    boolean neighbourDeclares() {
      return exists() && beside() && recorded == Possession.PROVED;
    }

    boolean sameData() {
      return data == Data.SAME_CLAIM || data == Data.SAME_VOLUME;
    }

    Row without(Users others) {
      return new Row(record, holds, recorded, possession, others, last, word, data, accepts, bits);
    }

    Signer signer() {
      Claim claim =
          switch (data) {
            case NONE -> null;
            case OTHER -> new Claim("data-bob", "claim-b", "volume-b", null);
            case SAME_CLAIM -> new Claim("data-alice", "claim-a", null, null);
            case SAME_VOLUME -> new Claim("data-bob", "claim-b", "volume-a", null);
          };
      String accepted =
          switch (accepts) {
            case NOTHING -> null;
            case THE_LAST, A_RESET -> "claim-a";
            case THE_PRESENT -> "claim-b";
          };
      return SignerBuilder.builder()
          .key("key")
          .possession(possession)
          .chainId(otherChain() ? "chain-2" : CHAIN)
          .namespace("sei")
          .node("bob")
          .uid("uid-bob")
          .volume(Optional.ofNullable(claim))
          .accepted(Optional.ofNullable(accepted))
          .acceptedData(Optional.ofNullable(accepts == Accepts.THE_LAST ? accepted : null))
          .grace(Duration.ofMinutes(2))
          .now(NOW)
          .build();
    }

    SeiSigningKeySpec spec() {
      Holder holder =
          switch (holds) {
            case BOB -> new Holder("sei", "bob", "uid-bob", null, null, null, null);
            case NEIGHBOUR -> new Holder("sei", "alice", "uid-alice", null, null, null, null);
            case STRANGER -> new Holder("other", "alice", "uid-alice", null, null, null, null);
          };
      return signed(recorded, holder)
          .with(
              builder ->
                  builder
                      .state(armed() ? State.ARMED : State.RESERVED)
                      .claim(armed() ? new Claim("data-alice", "claim-a", "volume-a", null) : null)
                      .holder(
                          holder.with(
                              next ->
                                  next.podUid("pod-1")
                                      .machine("machine-1")
                                      .since(NOW)
                                      .releasedAt(record == Records.RELEASED ? NOW : null)))
                      .endedPodUid(last == Last.NAMED ? "pod-1" : null)
                      .transferTo(
                          switch (word) {
                            case NONE -> null;
                            case FOR_BOB -> new SigningKeyTransfer("sei", "bob");
                            case FOR_ANOTHER -> new SigningKeyTransfer("sei", "carol");
                          }));
    }

    KeyRecord.Pair records() {
      if (!exists()) {
        return new KeyRecord.Pair(Optional.empty(), Optional.empty());
      }
      var binding = Optional.of(new KeyRecord(spec(), leaving(), own() || holderIsThere()));
      if (recorded == Possession.DECLARED) {
        return new KeyRecord.Pair(Optional.empty(), binding);
      }
      var neighbour = new Holder("sei", "dave", "uid-dave", null, null, NOW, null);
      return new KeyRecord.Pair(
          binding,
          beside()
              ? Optional.of(new KeyRecord(signed(Possession.DECLARED, neighbour), false, true))
              : Optional.empty());
    }

    KeyEvidence evidence() {
      List<User> users =
          switch (others) {
            case NONE -> List.of();
            case HERE -> List.of(user("sei"));
            case ELSEWHERE -> List.of(user("other"));
          };
      boolean kept = !exists() && beside();
      return new KeyEvidence(
          users,
          kept ? Optional.of(user("sei").record()) : Optional.empty(),
          last == Last.ENDED ? Machine.ENDED : Machine.SILENT);
    }

    private static User user(String namespace) {
      var holder = new Holder(namespace, "alice", "uid-alice", "pod-1", "machine-1", NOW, null);
      return new User("Pod " + namespace + "/alice-0", signed(Possession.PROVED, holder));
    }

    private static SeiSigningKeySpec signed(Possession possession, Holder holder) {
      return SeiSigningKeySpecBuilder.builder()
          .publicKey("key")
          .possession(possession)
          .chainId(CHAIN)
          .state(State.ARMED)
          .holder(holder)
          .claim(new Claim("data-alice", "claim-a", "volume-a", null))
          .build();
    }

    SigningKeyLockDecision decide() {
      return DECISIONS.computeIfAbsent(
          this, row -> SigningKeyLockPolicy.decide(signer(), records(), arming(), evidence()));
    }
  }

  /** A declaration of another namespace is no record of this one; some facts need a record. */
  private static boolean isPossible(Row row) {
    if (row.holds() == Holds.STRANGER && row.recorded() == Possession.DECLARED) {
      return false;
    }
    if (row.word() == Word.FOR_ANOTHER && row.holds() != Holds.STRANGER) {
      return false;
    }
    boolean nothingSigned = row.last() == Last.ENDED && row.accepts() == Accepts.NOTHING;
    return switch (row.record()) {
      case NONE ->
          row.holds() == Holds.BOB
              && row.recorded() == Possession.PROVED
              && nothingSigned
              && row.word() == Word.NONE
              && !row.leaving()
              && !row.holderIsThere();
      case RESERVED -> nothingSigned && !row.sameData();
      case ARMED, RELEASED -> true;
    };
  }

  private static List<Row> rows() {
    var rows = new ArrayList<Row>();
    for (Records record : Records.values()) {
      for (Holds holds : Holds.values()) {
        for (Possession recorded : Possession.values()) {
          for (Possession possession : Possession.values()) {
            for (Users others : Users.values()) {
              for (Last last : Last.values()) {
                for (Word word : Word.values()) {
                  for (Data data : Data.values()) {
                    for (Accepts accepts : Accepts.values()) {
                      for (int bits = 0; bits < 32; bits++) {
                        var row =
                            new Row(
                                record,
                                holds,
                                recorded,
                                possession,
                                others,
                                last,
                                word,
                                data,
                                accepts,
                                bits);
                        if (isPossible(row)) {
                          rows.add(row);
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
    return rows;
  }

  private static Stream<Row> where(Predicate<Row> condition) {
    return ROWS.stream().filter(condition);
  }

  private static void never(Stream<Row> rows, Predicate<Row> condition) {
    assertThat(rows.filter(condition).findFirst()).isEmpty();
  }

  private static void always(Stream<Row> rows, Predicate<Row> condition) {
    never(rows, condition.negate());
  }

  @Test
  void keyThatAnotherPodHasIsNotGranted() {
    never(
        where(row -> row.others() != Users.NONE && !row.own()),
        SigningKeyLockPolicyTest::comesToBob);
  }

  @Test
  void recordedHolderIsNotKeptFromItsKeyByPods() {
    always(
        where(row -> row.own() && row.others() != Users.NONE),
        row -> row.decide().equals(row.without(Users.NONE).decide()));
  }

  @Test
  void keyWhoseHolderIsThereAndHasNotReleasedItIsNotGranted() {
    never(where(Row::held), SigningKeyLockPolicyTest::comesToBob);
  }

  @Test
  void declarationOfANeighbourBindsTheHolderOfTheClustersRecord() {
    never(where(Row::neighbourDeclares), SigningKeyLockPolicyTest::comesToBob);
  }

  @Test
  void keyThatHasSignedIsGrantedWithItsStateOrAPersonsWord() {
    always(
        where(Row::armed).filter(SigningKeyLockPolicyTest::isGranted),
        row ->
            row.sameData()
                || row.accepts() == Accepts.THE_LAST
                || (row.own() && row.data() == Data.OTHER && row.accepts() == Accepts.THE_PRESENT));
  }

  @Test
  void keyThatHasSignedInAnotherNamespaceComesByTheWordOfThatOneAlone() {
    never(where(row -> row.foreign() && row.armed()), SigningKeyLockPolicyTest::isGranted);
    always(
        where(row -> row.foreign() && row.armed()).filter(SigningKeyLockPolicyTest::isTransferred),
        row -> row.word() == Word.FOR_BOB);
  }

  @Test
  void keyThatIsDeclaredComesFromNoOtherNamespaceWithoutAWord() {
    always(
        where(row -> row.foreign() && row.possession() == Possession.DECLARED)
            .filter(SigningKeyLockPolicyTest::comesToBob),
        row -> row.word() == Word.FOR_BOB);
  }

  /** The next look asks for it, as of a record of this namespace. */
  @Test
  void transferKeepsWhatTheKeyHasSigned() {
    always(
        where(SigningKeyLockPolicyTest::isTransferred),
        row -> {
          SeiSigningKeySpec next = ((SigningKeyLockDecision.Transferred) row.decide()).record();
          return next.possession() == Possession.PROVED
              && next.state() == State.ARMED
              && next.holder().uid().equals("uid-bob")
              && next.claim().equals(new Claim("data-alice", "claim-a", "volume-a", "other"))
              && next.transferTo() == null;
        });
  }

  @Test
  void holdersWordStaysUntilItIsUsed() {
    always(
        where(SigningKeyLockPolicyTest::isGranted).filter(Row::exists),
        row -> {
          SigningKeyTransfer word =
              ((SigningKeyLockDecision.Granted) row.decide()).record().transferTo();
          return row.own() ? row.spec().transferTo() == null || word != null : word == null;
        });
  }

  @Test
  void keyWhoseLastPodMayLiveOnASilentMachineWaits() {
    never(
        where(row -> row.armed() && row.last() == Last.SILENT),
        SigningKeyLockPolicyTest::comesToBob);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SILENT     | SigningUncertain | its machine machine-1 is silent and may still run it",
        "UNREADABLE | SigningUncertain | and the operator has no right to read that machine",
        "ENDING     | PodTerminating   | its machine machine-1 may still be ending it",
        "ENDED      | |",
      })
  void keyWhoseLastPodMayLiveOnWaitsWithTheReason(Machine machine, String reason, String told) {
    Row row = row(Holds.NEIGHBOUR, Users.NONE, Last.SILENT, Data.SAME_CLAIM, 8);

    Optional<SigningKeyLockDecision.Refused> refused =
        SigningKeyLockPolicy.uncertain(row.signer(), row.spec(), machine);

    assertThat(refused.map(found -> found.reason().toString()))
        .isEqualTo(Optional.ofNullable(reason));
    refused.ifPresent(found -> assertThat(found.message()).contains(told));
  }

  @Test
  void keyOfAnotherChainIsRefused() {
    never(where(row -> row.exists() && row.otherChain()), SigningKeyLockPolicyTest::comesToBob);
  }

  @Test
  void nodeThatMaySignIsGrantedTheKey() {
    always(
        where(row -> row.others() == Users.NONE || row.own())
            .filter(row -> row.last() != Last.SILENT && !row.beside() && !row.leaving())
            .filter(row -> !row.exists() || !row.otherChain())
            .filter(row -> !row.held())
            .filter(
                row ->
                    !row.foreign()
                        || row.word() == Word.FOR_BOB
                        || (!row.armed() && row.possession() == Possession.PROVED))
            .filter(
                row ->
                    !row.armed()
                        || row.foreign()
                        || row.sameData()
                        || row.accepts() == Accepts.THE_LAST),
        SigningKeyLockPolicyTest::comesToBob);
  }

  @Test
  void whatIsGrantedBeforeAPodSaysArmedAndWhoHoldsIt() {
    always(
        where(Row::arming).filter(SigningKeyLockPolicyTest::isGranted),
        row -> {
          SeiSigningKeySpec record = ((SigningKeyLockDecision.Granted) row.decide()).record();
          return record.state() == State.ARMED
              && record.holder().uid().equals("uid-bob")
              && record.holder().releasedAt() == null;
        });
  }

  /** Else the next one could sign without the state of the last. */
  @Test
  void recordThatSaysArmedNeverSaysLessAgain() {
    always(
        where(Row::armed).filter(SigningKeyLockPolicyTest::isGranted),
        row -> {
          SeiSigningKeySpec record = ((SigningKeyLockDecision.Granted) row.decide()).record();
          return record.state() == State.ARMED && record.claim() != null;
        });
  }

  @Test
  void possessionThatIsProvedIsNeverDeclaredAgain() {
    always(
        where(Row::exists).filter(SigningKeyLockPolicyTest::isGranted),
        row ->
            ((SigningKeyLockDecision.Granted) row.decide()).record().possession()
                == (row.recorded() == Possession.PROVED ? Possession.PROVED : row.possession()));
  }

  @Test
  void missingRecordIsRebuiltOfWhatHasSigned() {
    always(
        where(row -> !row.exists())
            .filter(row -> row.others() != Users.NONE || (row.beside() && !row.sameData())),
        row -> row.decide() instanceof SigningKeyLockDecision.Rebuilt);
  }

  @Test
  void recordThatIsDeletedGoesOnceNoNodeOfItsNamespaceHoldsIt() {
    always(
        where(row -> row.exists() && row.leaving() && !row.own() && !row.foreign())
            .filter(row -> row.others() == Users.NONE && !row.held() && !row.neighbourDeclares()),
        row -> row.decide() instanceof SigningKeyLockDecision.LetGo);
    never(where(Row::foreign), row -> row.decide() instanceof SigningKeyLockDecision.LetGo);
  }

  @Test
  void refusalNamesNothingOfAnotherNamespace() {
    always(
        where(row -> row.foreign() || row.others() == Users.ELSEWHERE)
            .filter(row -> row.others() != Users.HERE && !row.own())
            .filter(row -> row.decide() instanceof SigningKeyLockDecision.Refused),
        row ->
            Stream.of("alice", "claim-a", "volume-a", "pod-1", "machine-1", "other/")
                .noneMatch(((SigningKeyLockDecision.Refused) row.decide()).message()::contains));
  }

  private static Row row(Holds holds, Users others, Last last, Data data, int bits) {
    return new Row(
        Records.ARMED,
        holds,
        Possession.PROVED,
        Possession.PROVED,
        others,
        last,
        Word.NONE,
        data,
        Accepts.NOTHING,
        bits);
  }

  static List<Object[]> reasons() {
    String key = Signer.recordOf("key");
    return List.of(
        new Object[] {
          row(Holds.NEIGHBOUR, Users.NONE, Last.ENDED, Data.OTHER, 8),
          NodeReason.SIGNING_STATE_MISSING,
          "the signing key has signed as SeiNode sei/alice, on claim data-alice with uid claim-a,"
              + " which this node does not have"
        },
        new Object[] {
          row(Holds.NEIGHBOUR, Users.NONE, Last.SILENT, Data.SAME_CLAIM, 8),
          NodeReason.SIGNING_UNCERTAIN,
          "the last pod with the signing key, pod-1 of SeiNode sei/alice, is gone, but its machine"
              + " machine-1 is silent and may still run it"
        },
        new Object[] {
          row(Holds.NEIGHBOUR, Users.HERE, Last.ENDED, Data.SAME_CLAIM, 9),
          NodeReason.IN_USE,
          "the signing key is in use: Pod sei/alice-0 has it (SeiSigningKey " + key + ")"
        },
        new Object[] {
          row(Holds.NEIGHBOUR, Users.ELSEWHERE, Last.ENDED, Data.SAME_CLAIM, 9),
          NodeReason.IN_USE,
          ("the signing key is in use: a SeiNode of another namespace has it (SeiSigningKey %s); an"
                  + " administrator has to act: kubectl get seisigningkeys -l sei.io/signing-key=%s -o"
                  + " wide")
              .formatted(key, key)
        },
        new Object[] {
          row(Holds.STRANGER, Users.NONE, Last.ENDED, Data.OTHER, 8),
          NodeReason.IN_USE,
          ("the signing key is recorded for another namespace (SeiSigningKey %s), whose node has to"
                  + " stop and name this one in spec.validator.signingKeyTransferTo; or an"
                  + " administrator has to act: kubectl patch seisigningkey %s --type=merge -p"
                  + " '{\"spec\":{\"transferTo\":{\"namespace\":\"sei\",\"node\":\"bob\"}}}'")
              .formatted(key, key)
        });
  }

  @ParameterizedTest
  @MethodSource("reasons")
  void refusalSaysWhatIsInTheWay(Row row, NodeReason reason, String message) {
    assertThat(row.decide()).isEqualTo(new SigningKeyLockDecision.Refused(reason, message));
  }

  private static boolean comesToBob(Row row) {
    return isGranted(row) || isTransferred(row);
  }

  private static boolean isGranted(Row row) {
    return row.decide() instanceof SigningKeyLockDecision.Granted;
  }

  private static boolean isTransferred(Row row) {
    return row.decide() instanceof SigningKeyLockDecision.Transferred;
  }
}
