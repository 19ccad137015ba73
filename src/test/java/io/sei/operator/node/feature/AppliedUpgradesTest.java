package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatusBuilder;
import io.sei.operator.render.Annotations;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Images are named by versions: 1 and 2 superseded each other at v2, 2 and 3 at v3. */
class AppliedUpgradesTest {

  private static final UpgradeStatus V2 = applied("v2", 100, "2", "1", "claim");
  private static final UpgradeStatus V3 = applied("v3", 200, "3", "1", "claim");
  private static final UpgradeStatus V3_AFTER_FOLDING = applied("v3", 200, "3", "2", "claim");

  @ParameterizedTest(name = "spec.image {1} after {0} runs {2}: {3}")
  @CsvSource({
    "none,     1,   1,   nothing was applied",
    "v2,       1,   2,   a GitOps tool writes the old image again",
    "v2,       2,   2,   the image was folded into spec.image",
    "v2,       2.1, 2.1, a person's hotfix",
    "v2 v3,    1,   3,   spec.image was never touched",
    "v2 v3,    2,   3,   behind the last upgrade",
    "v2 v3,    3.1, 3.1, a hotfix",
    "v2 v3',   2,   3,   the image before the last upgrade",
    "v2 v3',   1,   3,   behind both",
    "v2 v3',   3,   3,   folded again",
  })
  void imageOfTheLastUpgradeRunsUnlessSomebodyChangedSpecImageSince(
      String applied, String declared, String effective, String why) {
    assertThat(upgrades(applied).effective(aNode(declared).build().getSpec()).image())
        .as(why)
        .isEqualTo(effective);
  }

  @ParameterizedTest(name = "{1} after {0}: {2}")
  @CsvSource({
    "none,   1,   ",
    "v2,     1,   ",
    "v2,     2.1, ",
    "v2 v3,  1,   ",
    "v2 v3,  2,   v3",
    "v2 v3', 2,   ",
    "v2 v3', 1,   v3",
  })
  void imageThatTheVolumeLeftBehindEarlierIsRefused(
      String applied, String declared, String refusing) {
    assertThat(upgrades(applied).refusing(declared).map(UpgradeStatus::name))
        .isEqualTo(Optional.ofNullable(refusing));
  }

  @Test
  void imageCanBeCorrectedInTheEntry() {
    SeiNode node = listing(new Upgrade("v2", 100L, "2-corrected", null));

    assertThat(upgrades("v2").effective(node.getSpec()).image()).isEqualTo("2-corrected");
  }

  @Test
  void imageThatWasCorrectedStaysOnceTheEntryIsRemoved() {
    SeiNodeSpec listed = listing(new Upgrade("v3", 200L, "3-corrected", null)).getSpec();
    AppliedUpgrades recorded = upgrades("v2 v3");

    AppliedUpgrades corrected = recorded.with(recorded.correction(listed).orElseThrow());

    assertThat(corrected.effective(listing().getSpec()).image()).isEqualTo("3-corrected");
    assertThat(corrected.correction(listed)).isEmpty();
    assertThat(corrected.correction(listing().getSpec())).isEmpty();
    assertThat(recorded.correction(listing(new Upgrade("v2", 100L, "other", null)).getSpec()))
        .as("of an upgrade before the last one")
        .isEmpty();
  }

  @Test
  void entryThatIsRemovedLeavesItsImage() {
    assertThat(upgrades("v2").effective(listing().getSpec()).image()).isEqualTo("2");
  }

  @Test
  void recordOnTheClaimOutlivesTheStatus() {
    PersistentVolumeClaim claim = claim("claim", new AppliedUpgrades(List.of(V2)).annotation());

    assertThat(AppliedUpgrades.of(SeiNodeStatus.empty(), Optional.of(claim)).records())
        .containsExactly(V2);
  }

  @Test
  void statusOutlivesAClaimThatCannotBeRead() {
    assertThat(AppliedUpgrades.of(status(V2), Optional.empty()).records()).containsExactly(V2);
  }

  @Test
  void claimMadeAgainHasBeenThroughNothing() {
    PersistentVolumeClaim copied = claim("new", new AppliedUpgrades(List.of(V2)).annotation());

    assertThat(AppliedUpgrades.of(status(V2), Optional.of(copied)).records()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"{", "'[]'", "'{\"upgrades\":[{}]}'", "''"})
  void annotationOfAnotherHandHarmsNothing(String annotation) {
    assertThat(AppliedUpgrades.of(status(V2), Optional.of(claim("claim", annotation))).records())
        .containsExactly(V2);
  }

  @Test
  void statusListsWhatWasAppliedAndWhatIsToComeByHeight() {
    SeiNode node =
        listing(
            new Upgrade("v4", 400L, "4", null),
            new Upgrade("v3", 300L, "3", null),
            new Upgrade("v2", 1L, "2", null));

    assertThat(upgrades("v2").status(node.getSpec(), SeiNodeStatus.empty()))
        .extracting(UpgradeStatus::name, UpgradeStatus::height, UpgradeStatus::state)
        .containsExactly(
            tuple("v2", 100L, UpgradeState.APPLIED),
            tuple("v3", 300L, UpgradeState.SCHEDULED),
            tuple("v4", 400L, UpgradeState.SCHEDULED));
  }

  @Test
  void pullIsKeptForAsLongAsTheEntryHasTheImage() {
    UpgradeStatus pulled =
        UpgradeStatus.scheduled(new Upgrade("v4", 400L, "4", null))
            .pulled("digest", "m1", Instant.EPOCH)
            .on("m1");
    AppliedUpgrades none = upgrades("none");

    assertThat(none.status(listing(new Upgrade("v4", 401L, "4", null)).getSpec(), status(pulled)))
        .containsExactly(pulled.withHeight(401L));
    assertThat(none.status(listing(new Upgrade("v4", 400L, "5", null)).getSpec(), status(pulled)))
        .containsExactly(UpgradeStatus.scheduled(new Upgrade("v4", 400L, "5", null)));
    assertThat(none.status(listing().getSpec(), status(pulled))).isEmpty();
  }

  private static AppliedUpgrades upgrades(String names) {
    return new AppliedUpgrades(
        Stream.of(names.split(" "))
            .flatMap(
                name ->
                    switch (name) {
                      case "v2" -> Stream.of(V2);
                      case "v3" -> Stream.of(V3);
                      case "v3'" -> Stream.of(V3_AFTER_FOLDING);
                      default -> Stream.empty();
                    })
            .toList());
  }

  private static SeiNode listing(Upgrade... upgrades) {
    return aNode("1").spec(spec -> spec.withUpgrades(List.of(upgrades))).build();
  }

  private static SeiNodeStatus status(UpgradeStatus... upgrades) {
    return SeiNodeStatus.empty().withUpgrades(List.of(upgrades));
  }

  private static PersistentVolumeClaim claim(String uid, String annotation) {
    return new PersistentVolumeClaimBuilder(
            yaml(PersistentVolumeClaim.class, "metadata: {name: data-node, uid: %s}", uid))
        .editMetadata()
        .addToAnnotations(Annotations.APPLIED_UPGRADES, annotation)
        .endMetadata()
        .build();
  }

  private static UpgradeStatus applied(
      String name, long height, String image, String superseded, String claim) {
    return UpgradeStatusBuilder.builder()
        .name(name)
        .height(height)
        .image(image)
        .state(UpgradeState.APPLIED)
        .supersededImage(superseded)
        .reachedAt(Instant.EPOCH)
        .evidence("panic")
        .claimUid(claim)
        .build();
  }
}
