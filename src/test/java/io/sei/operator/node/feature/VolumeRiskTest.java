package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that put a node's data at risk. */
class VolumeRiskTest {

  @ParameterizedTest
  @CsvSource({
    "Bound,   false, Bound,    false, claim,   ",
    "Bound,   true,  Bound,    false, claim,   ClaimTerminating",
    "Bound,   true,  Released, true,  claim,   ClaimTerminating",
    "Lost,    false, '',       false, claim,   ClaimLost",
    "Pending, false, '',       false, claim,   ",
    "Bound,   false, Bound,    true,  claim,   VolumeTerminating",
    "Bound,   false, Failed,   false, claim,   VolumeFailed",
    "Bound,   false, Released, false, claim,   VolumeReleased",
    // The volume is of another claim by now.
    "Bound,   false, Released, false, another, ",
  })
  void claimOrVolumeThatGoesIsARisk(
      String phase, boolean deleted, String volumePhase, boolean going, String of, String reason) {
    var volume = Optional.of(volume(volumePhase, going, of, false));

    Optional<VolumeRisk> risk = VolumeRisk.of(node(), claim(phase, deleted), volume);

    assertThat(risk.map(volumeRisk -> volumeRisk.reason().toString()).orElse(null))
        .isEqualTo(reason);
  }

  @ParameterizedTest
  @CsvSource({
    "SeiNode, me,      ,        true",
    "SeiNode, another, ,        false",
    // Imported from there.
    "Other,   another, me,      true",
    ",        ,        me,      true",
    // Orphaned with its pod, on which the node made again runs.
    ",        ,        another, true",
    // Made again from a backup, and adopted since.
    "SeiNode, me,      another, true",
  })
  void claimThatAnEarlierNodeOfTheNameOwnsGoesAsItShould(
      String kind, String owner, String mark, boolean ours) {
    PersistentVolumeClaim claim = claim("Bound", true);
    if (owner != null) {
      claim
          .getMetadata()
          .setOwnerReferences(
              List.of(
                  yaml(
                      OwnerReference.class,
                      """
                      {kind: %s, name: node, uid: %s, controller: true}
                      """,
                      kind,
                      owner)));
    }
    if (mark != null) {
      claim.getMetadata().setAnnotations(Map.of(Annotations.CLAIM_OWNER_UID, mark));
    }

    assertThat(VolumeRisk.of(node(), claim, Optional.empty()).isPresent()).isEqualTo(ours);
  }

  @Test
  void claimAloneDecidesWhereTheVolumeCannotBeRead() {
    VolumeRisk risk = VolumeRisk.of(node(), claim("Bound", true), Optional.empty()).orElseThrow();

    assertThat(risk.message())
        .contains("could not read the volume")
        .endsWith(
            "kubectl patch pv pv -p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}'");
  }

  @Test
  void volumeThatIsRetainedIsStillNoReasonToEndThePod() {
    var volume = Optional.of(volume("Bound", false, "claim", true));

    VolumeRisk risk = VolumeRisk.of(node(), claim("Bound", true), volume).orElseThrow();

    assertThat(risk.accepted()).isFalse();
    assertThat(risk.message()).contains("volume pv is kept").doesNotContain("patch");
  }

  @ParameterizedTest
  @CsvSource({
    "false, claim,   ,        true",
    "false, another, ,        false",
    "false, ,        ,        false",
    "true,  claim,   ,        false",
    "true,  claim,   another, false",
    "true,  claim,   claim,   true",
    "true,  ,        claim,   false",
  })
  void lossIsAcceptedByTheUidOfTheClaimAndOfASignerTwice(
      boolean signs, String data, String signatures, boolean accepted) {
    SeiNodeSpec spec = signs ? signer() : spec();
    SeiNodeSpec accepting =
        spec.with(
            builder -> {
              builder.dataVolume(new DataVolume(null, null, null, null, data));
              if (signs) {
                builder.validator(spec.validator().withAcceptSigningStateLoss(signatures));
              }
            });

    assertThat(VolumeRisk.isAccepted(accepting, "claim")).isEqualTo(accepted);
  }

  private static SeiNode node() {
    SeiNode node = aNode("sei:a").build();
    node.getMetadata().setUid("me");
    return node;
  }

  private static SeiNodeSpec spec() {
    return node().getSpec();
  }

  private static SeiNodeSpec signer() {
    var secret = new Validator.SigningKey(new Validator.KeySecret("key"));
    return spec()
        .with(
            builder ->
                builder
                    .fullNode(null)
                    .validator(ValidatorBuilder.builder().signingKey(secret).build()));
  }

  private static VolumeFacts volume(String phase, boolean going, String claim, boolean retained) {
    return new VolumeFacts(
        "pv",
        Optional.of(claim),
        phase,
        going,
        retained,
        Optional.empty(),
        Optional.empty(),
        false);
  }

  private static PersistentVolumeClaim claim(String phase, boolean deleted) {
    return yaml(
        PersistentVolumeClaim.class,
        """
        metadata: {name: data-node, uid: claim, deletionTimestamp: %s}
        spec: {volumeName: pv}
        status: {phase: %s}
        """,
        deleted ? "2026-01-01T00:00:00Z" : null,
        phase);
  }
}
