package io.sei.operator.node.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttributesClassTest {

  /** Classes: of the spec, of the claim, and of the volume; the claim's report of a change. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gold | gold | gold |||| True/Modified | the volume of claim data-node has"
            + " VolumeAttributesClass gold",
        " | gold | gold |||| True/Modified | the volume of claim data-node has"
            + " VolumeAttributesClass gold",
        "gold | | |||| False/Modifying | claim data-node changes from none to VolumeAttributesClass"
            + " gold",
        "silver | gold | gold |||| False/Modifying | claim data-node changes from gold to"
            + " VolumeAttributesClass silver",
        "silver | silver | gold |||| False/Modifying | claim data-node changes from gold to"
            + " VolumeAttributesClass silver; if this stays, its storage driver does not support"
            + " such classes",
        "silver | silver | gold | Pending ||| False/ModifyPending | claim data-node changes from"
            + " gold to VolumeAttributesClass silver and waits for it: create it, name another in"
            + " spec.dataVolume.storage.volumeAttributesClassName, and then this one, since it is"
            + " looked for once",
        "silver | silver | gold | InProgress ||| False/Modifying | claim data-node changes from"
            + " gold to VolumeAttributesClass silver",
        "silver | silver | gold | InProgress | Internal | busy | False/ModifyFailed | claim"
            + " data-node changes from gold to VolumeAttributesClass silver, and the storage driver"
            + " reports: busy; it is tried again, or name another class in"
            + " spec.dataVolume.storage.volumeAttributesClassName",
        "silver | silver | gold | Infeasible | InvalidArgument | too many iops | False/ModifyFailed"
            + " | claim data-node changes from gold to VolumeAttributesClass silver, and the"
            + " storage driver reports: too many iops; name a class that it accepts in"
            + " spec.dataVolume.storage.volumeAttributesClassName: a class itself cannot be"
            + " changed",
        // The driver's error is of an earlier attempt.
        "bronze | bronze | gold | Pending | InvalidArgument | too many iops | False/ModifyPending |"
            + " claim data-node changes from gold to VolumeAttributesClass bronze and waits for it:"
            + " create it, name another in spec.dataVolume.storage.volumeAttributesClassName, and"
            + " then this one, since it is looked for once",
        "gold | gold | gold | InProgress | DeadlineExceeded | | False/ModifyFailed | claim"
            + " data-node changes from gold to VolumeAttributesClass gold, and the storage driver"
            + " reports: DeadlineExceeded; it is tried again, or name another class in"
            + " spec.dataVolume.storage.volumeAttributesClassName",
      })
  void followsSpecClaimAndVolume(
      String spec,
      String named,
      String current,
      String status,
      String error,
      String words,
      String expected,
      String message) {
    PersistentVolumeClaimBuilder claim = claim("Bound", named, current);
    if (status != null) {
      claim
          .editStatus()
          .withNewModifyVolumeStatus()
          .withStatus(status)
          .withTargetVolumeAttributesClassName(named)
          .endModifyVolumeStatus()
          .endStatus();
    }
    if (error != null) {
      claim
          .editStatus()
          .addNewCondition()
          .withType("ModifyVolumeError")
          .withStatus("True")
          .withReason(error)
          .withMessage(words)
          .endCondition()
          .endStatus();
    }

    assertVerdict(claim.build(), spec, expected, message);
  }

  @Test
  void claimWithoutAVolumeIsNotChanged() {
    PersistentVolumeClaim claim = claim("Pending", "gold", null).build();

    assertVerdict(
        claim,
        "silver",
        "False/ModifyPending",
        "claim data-node changes from gold to VolumeAttributesClass silver once it has a volume; if"
            + " it gets none, delete the claim");
    assertThat(AttributesClass.of(claim, Optional.of("silver")))
        .hasValueSatisfying(attributesClass -> assertThat(attributesClass.isToChange()).isFalse());
    assertThat(AttributesClass.of(claim, Optional.of("gold")).orElseThrow().verdict()).isEmpty();
  }

  @Test
  void isSaidOnlyWhereThereIsSomethingToSay() {
    PersistentVolumeClaim plain = claim("Bound", null, null).build();
    PersistentVolumeClaim going =
        claim("Bound", "gold", "gold")
            .editMetadata()
            .withDeletionTimestamp("2026-06-01T10:00:00Z")
            .endMetadata()
            .build();

    assertThat(AttributesClass.of(plain, Optional.empty())).isEmpty();
    assertThat(AttributesClass.of(going, Optional.of("silver"))).isEmpty();
    assertThat(AttributesClass.none(plain).message())
        .isEqualTo("claim data-node names no VolumeAttributesClass");
  }

  private static void assertVerdict(
      PersistentVolumeClaim claim, String spec, String expected, String message) {
    ConditionProposal proposal =
        AttributesClass.of(claim, Optional.ofNullable(spec)).orElseThrow().verdict().orElseThrow();

    assertThat(proposal.status() + "/" + proposal.reason()).isEqualTo(expected);
    assertThat(proposal.message()).isEqualTo(message);
  }

  private static PersistentVolumeClaimBuilder claim(String phase, String named, String current) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName("data-node")
        .endMetadata()
        .withNewSpec()
        .withVolumeAttributesClassName(named)
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .withCurrentVolumeAttributesClassName(current)
        .endStatus();
  }
}
