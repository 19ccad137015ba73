package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.render.Annotations;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestoredVolumeTest {

  private static final Snapshot S3 = new Snapshot(new Snapshot.S3(9L), null, null, null, null);
  private static final RestoredFrom FROM = new RestoredFrom("name", "uid", "sei:v1", 9L);

  @ParameterizedTest(name = "claim {0}, from {1}, wiped for {2}: snapshot {3}")
  @CsvSource({
    // There is no claim yet.
    ",         false, ,      true",
    ",         true,  ,      false",
    // It was there before, whatever the spec says now.
    "empty,    true,  ,      true",
    "restored, false, ,      false",
    "restored, true,  other, false",
    "restored, true,  claim, true",
    "broken,   false, ,      true",
  })
  void volumeThatHasItsStateIsNotGivenAnother(
      String claim, boolean from, String wiped, boolean asked) {
    SeiNodeSpec spec = spec(from).withFullNode(new FullNode(S3, null));
    SeiNodeStatus status =
        SeiNodeStatus.empty().withDataReset(new DataReset(1L, wiped, null, null));

    assertThat(
            RestoredVolume.effective(spec, status, Optional.ofNullable(claim).map(this::claim))
                .initialSnapshot()
                .isPresent())
        .isEqualTo(asked);
  }

  @Test
  void nothingElseOfTheSpecChanges() {
    Stream.of(
            spec(true).withFullNode(new FullNode(null, null)),
            spec(true).withReplayer(new Replayer(null, null)),
            spec(true).withValidator(ValidatorBuilder.builder().build()))
        .forEach(
            spec ->
                assertThat(
                        RestoredVolume.effective(
                            with(spec, S3), SeiNodeStatus.empty(), Optional.empty()))
                    .isEqualTo(spec));
  }

  @Test
  void claimSaysWhatItWasMadeFrom() {
    assertThat(RestoredVolume.of(claim("restored"))).contains(FROM);
  }

  private static SeiNodeSpec with(SeiNodeSpec spec, Snapshot snapshot) {
    return spec.with(
        builder -> {
          if (spec.fullNode() != null) {
            builder.fullNode(new FullNode(snapshot, null));
          } else if (spec.replayer() != null) {
            builder.replayer(new Replayer(snapshot, null));
          } else {
            builder.validator(spec.validator().withSnapshot(snapshot));
          }
        });
  }

  private static SeiNodeSpec spec(boolean from) {
    var source = new DataVolume.SnapshotSource("name", null, null);
    return SeiNodeSpecBuilder.builder()
        .chainId("atlantic-2")
        .image("sei:v1")
        .dataVolume(
            new DataVolume(null, null, null, from ? new DataVolume.From(source) : null, null))
        .build();
  }

  private PersistentVolumeClaim claim(String kind) {
    return switch (kind) {
      case "restored" ->
          aClaim().annotation(Annotations.RESTORED_FROM, RestoredVolume.annotation(FROM)).build();
      case "broken" -> aClaim().annotation(Annotations.RESTORED_FROM, "{").build();
      default -> aClaim().build();
    };
  }
}
