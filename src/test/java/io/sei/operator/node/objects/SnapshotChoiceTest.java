package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotBuilder;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.LabelRequirement;
import io.sei.operator.api.v1alpha1.DataVolume.Operator;
import io.sei.operator.api.v1alpha1.DataVolume.SnapshotSelector;
import io.sei.operator.api.v1alpha1.DataVolume.SnapshotSource;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.node.objects.SnapshotChoice.Chosen;
import io.sei.operator.node.objects.SnapshotChoice.None;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.TestSnapshots;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The node is of atlantic-2, has image 1, lists v2 with image 2, and takes what is 24 h old. */
class SnapshotChoiceTest {

  private static final Instant NOW = NodeSample.NOW;
  private static final SnapshotSource BY_NAME = new SnapshotSource("one", null, "24h");

  private record Row(
      String what, UnaryOperator<VolumeSnapshotBuilder> change, NodeReason reason, String said) {

    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Row> refusals() {
    return Stream.concat(unfit(), notYet());
  }

  private static Stream<Row> unfit() {
    return Stream.of(
        row(
            "another chain",
            builder -> builder.editMetadata().addToLabels(Labels.CHAIN, "pacific-1").endMetadata(),
            NodeReason.SNAPSHOT_REFUSED,
            "is of chain pacific-1, but the node follows atlantic-2"),
        row(
            "marked as bad",
            builder ->
                builder
                    .editMetadata()
                    .addToAnnotations(Annotations.BAD_DATA, "node a died of DataCorrupt: line")
                    .endMetadata(),
            NodeReason.SNAPSHOT_REFUSED,
            "is marked as bad: node a died of DataCorrupt: line; to use it all the same, remove its"
                + " annotation sei.io/bad-data"),
        row(
            "nobody says of which chain",
            builder -> builder.editMetadata().removeFromLabels(Labels.CHAIN).endMetadata(),
            NodeReason.SNAPSHOT_REFUSED,
            "does not say which chain and image its data is of"),
        row(
            "nobody says of which image",
            builder ->
                builder.editMetadata().removeFromAnnotations(Annotations.IMAGE).endMetadata(),
            NodeReason.SNAPSHOT_REFUSED,
            "annotation sei.io/image"),
        row(
            "an image that is not known",
            builder ->
                builder.editMetadata().addToAnnotations(Annotations.IMAGE, "3").endMetadata(),
            NodeReason.SNAPSHOT_REFUSED,
            "was taken with image 3, which is neither spec.image (1)"),
        row(
            "too old",
            builder ->
                builder
                    .editStatus()
                    .withCreationTime(NOW.minus(Duration.ofHours(25)).toString())
                    .endStatus(),
            NodeReason.SNAPSHOT_REFUSED,
            "was taken at 2026-05-31T09:00:00Z, longer ago than maxAge (24h)"),
        row(
            "of an age that nobody knows",
            builder ->
                builder
                    .editStatus()
                    .withCreationTime(null)
                    .endStatus()
                    .editMetadata()
                    .withCreationTimestamp(null)
                    .endMetadata(),
            NodeReason.SNAPSHOT_REFUSED,
            "was taken at an unknown time"));
  }

  private static Stream<Row> notYet() {
    return Stream.of(
        row(
            "on its way out",
            builder -> builder.editMetadata().withDeletionTimestamp(NOW.toString()).endMetadata(),
            NodeReason.SNAPSHOT_NOT_READY,
            "is being deleted"),
        row(
            "nobody has looked at it",
            builder -> builder.withStatus(null),
            NodeReason.SNAPSHOT_NOT_READY,
            "is not ready to use yet"),
        row(
            "not ready",
            builder -> builder.editStatus().withReadyToUse(false).endStatus(),
            NodeReason.SNAPSHOT_NOT_READY,
            "is not ready to use yet"),
        row(
            "failed",
            builder ->
                builder
                    .editStatus()
                    .withReadyToUse(false)
                    .withNewError("backend is full", null)
                    .endStatus(),
            NodeReason.SNAPSHOT_NOT_READY,
            "the storage driver reports: backend is full"));
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void isRefusedForWhatIsWrongWithIt(Row row) {
    VolumeSnapshot one = row.change().apply(good("one", 1)).build();

    assertThat(SnapshotChoice.of(spec(BY_NAME), List.of(one), NOW))
        .isInstanceOfSatisfying(
            None.class,
            none -> {
              assertThat(none.reason()).isEqualTo(row.reason());
              assertThat(none.why()).startsWith("VolumeSnapshot one ").contains(row.said());
            });
  }

  @Test
  void oneOfAListedImageAndOfTheLastSecondOfItsTimeIsTaken() {
    VolumeSnapshot listed =
        good("one", 24)
            .editMetadata()
            .addToAnnotations(Annotations.IMAGE, "2")
            .endMetadata()
            .build();

    assertThat(SnapshotChoice.of(spec(BY_NAME), List.of(listed), NOW))
        .isEqualTo(new Chosen(listed));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1970-01-01T00:00:00Z", "1754-08-30T22:43:41Z", "2099-01-01T00:00:00Z"})
  @NullSource
  void aDriverWithAWrongClockLeavesTheOrderAndAgeOfTheObjects(String ofTheDriver) {
    List<VolumeSnapshot> all =
        Stream.of(23, 1, 2)
            .map(hours -> good("of-" + hours, hours))
            .map(builder -> builder.editStatus().withCreationTime(ofTheDriver).endStatus().build())
            .toList();

    assertThat(SnapshotChoice.of(spec(bySelector24h()), all, NOW))
        .isEqualTo(new Chosen(all.get(1)));
  }

  @Test
  void newestThatFitsIsTakenAndTheOthersDoNotMatter() {
    VolumeSnapshot foreign =
        good("foreign", 0)
            .editMetadata()
            .addToLabels(Labels.CHAIN, "pacific-1")
            .endMetadata()
            .build();
    VolumeSnapshot unready =
        good("unready", 0).editStatus().withReadyToUse(false).endStatus().build();
    VolumeSnapshot newest = good("newest", 1).build();
    var all = List.of(foreign, good("older", 2).build(), newest, unready);

    assertThat(SnapshotChoice.of(spec(bySelector()), all, NOW)).isEqualTo(new Chosen(newest));
    assertThat(SnapshotChoice.of(spec(bySelector()), List.of(foreign, unready), NOW))
        .isInstanceOfSatisfying(
            None.class, none -> assertThat(none.why()).startsWith("none of 2 VolumeSnapshots"));
  }

  @Test
  void ofNoneItIsSaidWhatWasLookedFor() {
    assertThat(SnapshotChoice.of(spec(BY_NAME), List.of(), NOW))
        .isEqualTo(new None(NodeReason.SNAPSHOT_NOT_FOUND, "VolumeSnapshot one does not exist"));
    assertThat(SnapshotChoice.of(spec(bySelector()), List.of(), NOW))
        .isEqualTo(
            new None(
                NodeReason.SNAPSHOT_NOT_FOUND,
                "no VolumeSnapshot has the labels of"
                    + " spec.dataVolume.from.volumeSnapshot.selector"));
  }

  @Test
  void selectorIsThatOfEveryOtherKind() {
    assertThat(SnapshotChoice.options(bySelector()).getLabelSelector())
        .isEqualTo("a=b,c in (d,e),f notin (g),h,!i");
    assertThat(SnapshotChoice.options(BY_NAME).getFieldSelector()).isEqualTo("metadata.name=one");
  }

  private static Row row(
      String what, UnaryOperator<VolumeSnapshotBuilder> change, NodeReason reason, String said) {
    return new Row(what, change, reason, said);
  }

  private static VolumeSnapshotBuilder good(String name, int hours) {
    Instant at = NOW.minus(Duration.ofHours(hours));
    return TestSnapshots.ready(TestSnapshots.of(name, "atlantic-2", "1"), at)
        .editMetadata()
        .withCreationTimestamp(at.toString())
        .endMetadata();
  }

  private static SnapshotSource bySelector24h() {
    return new SnapshotSource(null, bySelector().selector(), "24h");
  }

  private static SnapshotSource bySelector() {
    return new SnapshotSource(
        null,
        new SnapshotSelector(
            Map.of("a", "b"),
            List.of(
                new LabelRequirement("c", Operator.IN, List.of("d", "e")),
                new LabelRequirement("f", Operator.NOT_IN, List.of("g")),
                new LabelRequirement("h", Operator.EXISTS, null),
                new LabelRequirement("i", Operator.DOES_NOT_EXIST, List.of()))),
        null);
  }

  private static SeiNodeSpec spec(SnapshotSource source) {
    return aNode("1")
        .build()
        .getSpec()
        .with(
            builder ->
                builder
                    .upgrades(List.of(new Upgrade("v2", 100L, "2", null)))
                    .dataVolume(
                        new DataVolume(null, null, null, new DataVolume.From(source), null)));
  }
}
