package io.sei.operator.node.signing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import io.sei.operator.node.signing.KeyEvidence.Presence;
import io.sei.operator.node.signing.KeyEvidence.User;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every record, with everything that can be seen beside it and every claim that a node may have.
 */
class KeyGrantsTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final String CHAIN = "chain-1";

  private enum Records {
    NONE,
    RESERVED_OWN,
    RESERVED,
    ARMED_OWN,
    ARMED,
    RELEASED,
    RELEASED_OWN
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
    THE_PRESENT
  }

  private record Row(
      Records record,
      boolean holderIsThere,
      boolean others,
      boolean kept,
      boolean silent,
      boolean ended,
      boolean otherChain,
      boolean leaving,
      boolean arming,
      Data data,
      Accepts accepts) {

    boolean own() {
      return record.name().endsWith("OWN");
    }

    boolean armed() {
      return record.name().startsWith("ARMED") || record.name().startsWith("RELEASED");
    }

    boolean exists() {
      return record != Records.NONE;
    }

    boolean sameData() {
      return data == Data.SAME_CLAIM || data == Data.SAME_VOLUME;
    }

    Signer signer() {
      Claim claim =
          switch (data) {
            case NONE -> null;
            case OTHER -> new Claim("data-bob", "claim-b", "volume-b");
            case SAME_CLAIM -> new Claim("data-alice", "claim-a", null);
            case SAME_VOLUME -> new Claim("data-bob", "claim-b", "volume-a");
          };
      String accepted =
          switch (accepts) {
            case NOTHING -> null;
            case THE_LAST -> "claim-a";
            case THE_PRESENT -> "claim-b";
          };
      return new Signer(
          "key",
          otherChain ? "chain-2" : CHAIN,
          "sei",
          "bob",
          "uid-bob",
          Optional.ofNullable(claim),
          false,
          Optional.ofNullable(accepted),
          NOW);
    }

    Optional<SeiSigningKeySpec> stored() {
      return exists() ? Optional.of(spec()) : Optional.empty();
    }

    SeiSigningKeySpec spec() {
      boolean released = record.name().startsWith("RELEASED");
      return new SeiSigningKeySpec(
          "key",
          CHAIN,
          armed() ? State.ARMED : State.RESERVED,
          new Holder(
              own() ? "sei" : "other",
              own() ? "bob" : "alice",
              own() ? "uid-bob" : "uid-alice",
              "pod-1",
              "machine-1",
              NOW,
              released ? NOW : null),
          armed() ? new Claim("data-alice", "claim-a", "volume-a") : null,
          null,
          ended ? "pod-1" : null);
    }

    KeyEvidence evidence() {
      var user = new User("Pod other/alice-0", new Row(Records.ARMED, this).spec());
      return new KeyEvidence(
          holderIsThere ? Presence.THERE : Presence.GONE,
          others ? List.of(user) : List.of(),
          kept ? Optional.of(new Row(Records.ARMED, this).spec()) : Optional.empty(),
          silent ? Machine.SILENT : Machine.ENDED);
    }

    Row(Records record, Row rest) {
      this(
          record,
          rest.holderIsThere,
          rest.others,
          rest.kept,
          rest.silent,
          false,
          rest.otherChain,
          rest.leaving,
          rest.arming,
          rest.data,
          rest.accepts);
    }

    KeyGrant decide() {
      return KeyGrants.decide(signer(), stored(), leaving, arming, evidence());
    }
  }

  static List<Row> rows() {
    var rows = new ArrayList<Row>();
    for (Records record : Records.values()) {
      for (int bits = 0; bits < 256; bits++) {
        for (Data data : Data.values()) {
          for (Accepts accepts : Accepts.values()) {
            rows.add(
                new Row(
                    record,
                    (bits & 1) != 0,
                    (bits & 2) != 0,
                    (bits & 4) != 0,
                    (bits & 8) != 0,
                    (bits & 16) != 0,
                    (bits & 32) != 0,
                    (bits & 64) != 0,
                    (bits & 128) != 0,
                    data,
                    accepts));
          }
        }
      }
    }
    return rows;
  }

  @Test
  void nobodyIsGrantedAKeyThatAnotherPodHas() {
    assertThat(rows()).filteredOn(Row::others).noneMatch(KeyGrantsTest::isGranted);
  }

  @Test
  void nobodyIsGrantedAKeyWhoseHolderIsThereAndHasNotReleasedIt() {
    assertThat(rows())
        .filteredOn(it -> it.record() == Records.ARMED || it.record() == Records.RESERVED)
        .filteredOn(Row::holderIsThere)
        .noneMatch(KeyGrantsTest::isGranted);
  }

  @Test
  void keyThatHasSignedIsGrantedWithItsStateOrAPersonsWord() {
    assertThat(rows())
        .filteredOn(Row::armed)
        .filteredOn(KeyGrantsTest::isGranted)
        .allMatch(
            it ->
                it.sameData()
                    || it.accepts() == Accepts.THE_LAST
                    || (it.own()
                        && it.data() == Data.OTHER
                        && it.accepts() == Accepts.THE_PRESENT));
  }

  @Test
  void keyWhoseLastPodMayLiveOnASilentMachineWaits() {
    assertThat(rows())
        .filteredOn(Row::armed)
        .filteredOn(it -> it.silent() && !it.ended())
        .noneMatch(KeyGrantsTest::isGranted);
  }

  @Test
  void keyOfAnotherChainIsRefused() {
    assertThat(rows())
        .filteredOn(it -> it.exists() && it.otherChain())
        .noneMatch(KeyGrantsTest::isGranted);
  }

  @Test
  void whoeverMaySignIsGrantedTheKey() {
    assertThat(rows())
        .filteredOn(it -> !it.others() && !it.silent() && !it.kept() && !it.leaving())
        .filteredOn(it -> !it.exists() || !it.otherChain())
        .filteredOn(
            it ->
                it.own() || !it.exists() || !it.holderIsThere() || it.record() == Records.RELEASED)
        .filteredOn(it -> !it.armed() || it.sameData() || it.accepts() == Accepts.THE_LAST)
        .allMatch(KeyGrantsTest::isGranted);
  }

  @Test
  void whatIsGrantedBeforeAPodSaysArmedAndWhoHoldsIt() {
    assertThat(rows())
        .filteredOn(Row::arming)
        .filteredOn(KeyGrantsTest::isGranted)
        .extracting(it -> ((KeyGrant.Granted) it.decide()).record())
        .allMatch(it -> it.state() == State.ARMED)
        .allMatch(it -> it.holder().uid().equals("uid-bob"))
        .allMatch(it -> it.holder().releasedAt() == null);
  }

  /** Else the next one could sign without the state of the last. */
  @Test
  void recordThatSaysArmedNeverSaysLessAgain() {
    assertThat(rows())
        .filteredOn(Row::armed)
        .filteredOn(KeyGrantsTest::isGranted)
        .extracting(it -> ((KeyGrant.Granted) it.decide()).record())
        .allMatch(it -> it.state() == State.ARMED && it.claim() != null);
  }

  @Test
  void missingRecordIsRebuiltOfWhatHasSigned() {
    assertThat(rows())
        .filteredOn(it -> !it.exists())
        .filteredOn(it -> it.others() || (it.kept() && !it.sameData()))
        .allMatch(it -> it.decide() instanceof KeyGrant.Rebuilt);
  }

  @Test
  void recordThatIsDeletedGoesOnceNobodyHoldsIt() {
    assertThat(rows())
        .filteredOn(it -> it.exists() && it.leaving() && !it.own() && !it.others())
        .filteredOn(it -> !it.holderIsThere() || it.record() == Records.RELEASED)
        .allMatch(it -> it.decide() instanceof KeyGrant.LetGo);
  }

  static List<Object[]> reasons() {
    var alone =
        new Row(
            Records.ARMED,
            false,
            false,
            false,
            false,
            false,
            false,
            false,
            true,
            Data.OTHER,
            Accepts.NOTHING);
    var silent =
        new Row(
            Records.ARMED,
            false,
            false,
            false,
            true,
            false,
            false,
            false,
            true,
            Data.SAME_CLAIM,
            Accepts.NOTHING);
    var taken =
        new Row(
            Records.ARMED,
            true,
            true,
            false,
            false,
            false,
            false,
            false,
            true,
            Data.SAME_CLAIM,
            Accepts.NOTHING);
    return List.of(
        new Object[] {
          alone,
          NodeReason.SIGNING_STATE_MISSING,
          "the signing key has signed as SeiNode other/alice, on claim data-alice with uid claim-a, which this node does not have"
        },
        new Object[] {
          silent,
          NodeReason.SIGNING_UNCERTAIN,
          "the last pod with the signing key, pod-1 of SeiNode other/alice, is gone, but its machine machine-1 is silent and may still run it"
        },
        new Object[] {
          taken,
          NodeReason.IN_USE,
          "the signing key is in use: Pod other/alice-0 has it (SeiSigningKey "
              + Signer.recordOf("key")
              + ")"
        });
  }

  @ParameterizedTest
  @MethodSource("reasons")
  void refusalSaysWhatIsInTheWay(Row row, NodeReason reason, String message) {
    assertThat(row.decide()).isEqualTo(new KeyGrant.Refused(reason, message));
  }

  private static boolean isGranted(Row row) {
    return row.decide() instanceof KeyGrant.Granted;
  }
}
