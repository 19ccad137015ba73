package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.OwnSignatures;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.PodSample;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose signatures those are that keep seid from starting. */
class SignatureRecordTest {

  private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant EARLIER = NOW.minusSeconds(300);
  private static final String KEY = "key";
  private static final OwnSignatures NONE = null;
  private static final OwnSignatures SIGNED = new OwnSignatures(KEY, null);
  private static final OwnSignatures FOUND = new OwnSignatures(KEY, EARLIER);
  private static final OwnSignatures OF_A_KEY_UNKNOWN = new OwnSignatures(null, null);

  static Stream<Arguments> passes() {
    return Stream.of(
        row("the first start", NONE, starting(), NONE),
        row("never signed with it", NONE, refusing(KEY), NONE),
        row("Ready for the first time", NONE, ready(KEY, NOW), SIGNED),
        row("Ready all the while", SIGNED, ready(KEY, EARLIER), SIGNED),
        row("restarted", SIGNED, starting(), SIGNED),
        row("finds its own", SIGNED, refusing(KEY), new OwnSignatures(KEY, NOW)),
        row("finds them again", FOUND, refusing(KEY), FOUND),
        row("tries again", FOUND, starting(), FOUND),
        row("Ready for a moment", FOUND, ready(KEY, NOW.minusSeconds(59)), FOUND),
        row("Ready for good", FOUND, ready(KEY, NOW.minusSeconds(60)), SIGNED),
        row("another death", SIGNED, dying(), SIGNED),
        row("another key finds signatures", SIGNED, refusing("other"), SIGNED),
        row("another key finds them later", FOUND, refusing("other"), SIGNED),
        row("another key is Ready", FOUND, ready("other", NOW), new OwnSignatures("other", null)),
        row("a key on the volume", OF_A_KEY_UNKNOWN, refusing(null), new OwnSignatures(null, NOW)),
        row(
            "a key that the pod before did not say",
            OF_A_KEY_UNKNOWN,
            refusing(KEY),
            new OwnSignatures(null, NOW)),
        row("a key that the pod does not say any more", SIGNED, refusing(null), SIGNED));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("passes")
  void recordAfterALook(String name, OwnSignatures before, Pod pod, OwnSignatures after) {
    assertThat(SignatureRecord.after(before, pod, NOW)).isEqualTo(after);
  }

  @Test
  void ownSignaturesExplainItForHalfAnHour() {
    Instant end = EARLIER.plus(OwnSignatures.LIMIT);

    assertThat(SIGNED.explainFor(NOW)).isEmpty();
    assertThat(FOUND.explainFor(EARLIER)).contains(OwnSignatures.LIMIT);
    assertThat(FOUND.explainFor(end.minusSeconds(1))).contains(Duration.ofSeconds(1));
    assertThat(FOUND.explainFor(end)).isEmpty();
  }

  /** Another process may have been the leader, with another clock; a status may say anything. */
  @Test
  void timeThatIsStillToComeExplainsNothingForGood() {
    assertThat(FOUND.explainFor(EARLIER.minusSeconds(5))).isPresent();
    assertThat(FOUND.explainFor(Instant.MIN)).isEmpty();
    assertThat(FOUND.explainFor(Instant.MAX)).isEmpty();
  }

  private static Arguments row(String name, OwnSignatures before, Pod pod, OwnSignatures after) {
    return Arguments.of(name, before, pod, after);
  }

  private static Pod ready(String key, Instant since) {
    return pod(key)
        .status("seid", sample -> sample.running().ready())
        .condition("Ready", "True", since)
        .build();
  }

  private static Pod starting() {
    return pod(KEY).status("seid", sample -> sample.running()).condition("Ready", "False").build();
  }

  private static Pod refusing(String key) {
    return ended(key, SeidDeaths.foundSignature());
  }

  private static Pod dying() {
    return ended(KEY, SeidDeaths.causes().findFirst().orElseThrow());
  }

  private static Pod ended(String key, SeidDeaths.Death death) {
    return pod(key)
        .status("seid", sample -> sample.ended(End.exit(death.exit(), death.log())))
        .condition("Ready", "False")
        .build();
  }

  private static PodSample pod(String key) {
    PodSample pod = aPod("val-0").container("seid", "sei:v1");
    return key == null
        ? pod
        : pod.edit(
            builder ->
                builder
                    .editSpec()
                    .editFirstContainer()
                    .withEnv(new EnvVar("SEI_SIGNING_PUBLIC_KEY", key, null))
                    .endContainer()
                    .endSpec());
  }
}
