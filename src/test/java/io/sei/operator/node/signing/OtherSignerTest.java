package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.OwnSignatures;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SigningElsewhere;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.node.hold.Hold;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.PodSample;
import io.sei.operator.testkit.samples.Samples;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Once something else was seen to sign with the key, a person says when seid starts. */
class OtherSignerTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

  /** Records the findings of a poll of seid, in minutes since own signatures were first found. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          finds signatures, ,   true
          finds signatures, 0,  false
          finds signatures, 29, false
          finds signatures, 30, true
          dies otherwise,   ,   false
          runs,             ,   false
          """)
  void foundWhereTheNodeHasNotSigned(String seid, Integer minutes, boolean found) {
    SeiNodeStatus before =
        SeiNodeStatus.empty()
            .withOwnSignatures(
                minutes == null ? null : new OwnSignatures(null, NOW.minusSeconds(60L * minutes)));

    SeiNodeStatus after = OtherSigner.after(before, Optional.of(seid(seid)), "1", NOW);

    assertThat(after.signingElsewhere())
        .isEqualTo(found ? new SigningElsewhere(null, NOW, "1") : null);
  }

  @ParameterizedTest
  @CsvSource({", , false", "1, 1, false", "1, , false", ", 1, true", "1, 2, true"})
  void newValueOfTheAnnotationLetsSeidStart(String then, String now, boolean released) {
    SeiNodeStatus before =
        SeiNodeStatus.empty()
            .withSigningElsewhere(new SigningElsewhere("key", NOW.minusSeconds(9), then));

    SeiNodeStatus after =
        OtherSigner.after(before, Optional.of(seid("finds signatures")), now, NOW);

    if (released) {
      assertThat(after.signingElsewhere()).isNull();
      assertThat(after.ownSignatures()).isEqualTo(new OwnSignatures("key", NOW));
    } else {
      assertThat(after).isEqualTo(before);
    }
  }

  @Test
  void validatorIsHeldUntilThenAndNothingElseIs() {
    SeiNodeStatus found =
        SeiNodeStatus.empty().withSigningElsewhere(new SigningElsewhere("key", NOW, null));
    SeiNodeSpec full = Samples.fullNode("sei:a");
    SeiNodeSpec validator =
        full.with(builder -> builder.fullNode(null).validator(ValidatorBuilder.builder().build()));
    var hold = new Hold();

    assertThat(hold.overlay(validator, found, Optional.empty()).holding())
        .contains(Maintenance.Hold.IMMEDIATE);
    assertThat(hold.overlay(validator, SeiNodeStatus.empty(), Optional.empty()))
        .isEqualTo(validator);
    assertThat(hold.overlay(full, found, Optional.empty())).isEqualTo(full);
  }

  private static Pod seid(String does) {
    return switch (does) {
      case "runs" -> pod().status("seid", sample -> sample.running()).build();
      case "finds signatures" -> ended(SeidDeaths.foundSignature());
      default -> ended(SeidDeaths.causes().findFirst().orElseThrow());
    };
  }

  private static Pod ended(SeidDeaths.Death death) {
    return pod()
        .status("seid", sample -> sample.ended(End.exit(death.exit(), death.log())))
        .condition("Ready", "False")
        .build();
  }

  private static PodSample pod() {
    return aPod("val-0").container("seid", "sei:v1");
  }
}
