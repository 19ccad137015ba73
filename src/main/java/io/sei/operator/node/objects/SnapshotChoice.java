package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotStatus;
import io.sei.operator.api.v1alpha1.DataVolume.LabelRequirement;
import io.sei.operator.api.v1alpha1.DataVolume.SnapshotSelector;
import io.sei.operator.api.v1alpha1.DataVolume.SnapshotSource;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.Text;
import io.sei.operator.base.Times;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: which VolumeSnapshot a new claim is made from. One of another chain, or of an image that
 * the node would not run, is never taken: the data would not start, or be damaged.
 */
sealed interface SnapshotChoice {

  /** Longest mark that is quoted: any client may have written it. */
  int MAX_MARK = 400;

  /** A snapshot that is imported may be older than its object, by at most this. */
  Duration OLDEST_IMPORT = Duration.ofDays(2 * 365);

  /** A snapshot was chosen. */
  record Chosen(VolumeSnapshot snapshot) implements SnapshotChoice {}

  /** None, for what is wrong with the one that comes nearest. */
  record None(NodeReason reason, String why) implements SnapshotChoice {}

  /**
   * Returns the choice among the snapshots.
   *
   * @param spec as the user wrote it, of a node that is to be made from a snapshot
   * @param found all that {@link #options} selects
   */
  static SnapshotChoice of(SeiNodeSpec spec, List<VolumeSnapshot> found, Instant now) {
    SnapshotSource source = spec.snapshotSource().orElseThrow();
    if (found.isEmpty()) {
      return new None(
          NodeReason.SNAPSHOT_NOT_FOUND,
          source.name() == null
              ? "no VolumeSnapshot has the labels of spec.dataVolume.from.volumeSnapshot.selector"
              : "VolumeSnapshot " + source.name() + " does not exist");
    }
    Optional<VolumeSnapshot> newest =
        found.stream()
            .filter(snapshot -> defect(spec, snapshot, now).isEmpty())
            .max(
                Comparator.<VolumeSnapshot, Instant>comparing(
                        snapshot -> takenAt(snapshot, now).orElse(Instant.EPOCH))
                    .thenComparing(snapshot -> createdAt(snapshot).orElse(Instant.EPOCH)));
    return newest
        .<SnapshotChoice>map(Chosen::new)
        .orElseGet(
            () ->
                found.stream()
                    .max(
                        Comparator.comparing(
                            snapshot -> snapshot.getMetadata().getCreationTimestamp()))
                    .flatMap(snapshot -> defect(spec, snapshot, now))
                    .map(none -> ofAll(none, found.size()))
                    .orElseThrow());
  }

  /** Returns the options of the list request. */
  static ListOptions options(SnapshotSource source) {
    var options = new ListOptions();
    if (source.name() == null) {
      options.setLabelSelector(selector(source.selector()));
    } else {
      options.setFieldSelector("metadata.name=" + source.name());
    }
    return options;
  }

  /** The height that the data has at least, where the snapshot says so. */
  static Optional<Long> height(VolumeSnapshot snapshot) {
    return Labels.of(snapshot, Labels.HEIGHT)
        .filter(text -> text.matches("[0-9]{1,18}"))
        .map(Long::valueOf);
  }

  private static None ofAll(None ofNewest, int all) {
    return all == 1
        ? ofNewest
        : new None(
            ofNewest.reason(),
            "none of %d VolumeSnapshots fits; the newest: %s".formatted(all, ofNewest.why()));
  }

  private static Optional<None> defect(SeiNodeSpec spec, VolumeSnapshot snapshot, Instant now) {
    Optional<String> unfit =
        foreign(spec, snapshot).or(() -> bad(snapshot)).or(() -> image(spec, snapshot));
    return none(NodeReason.SNAPSHOT_REFUSED, snapshot, unfit)
        .or(() -> none(NodeReason.SNAPSHOT_NOT_READY, snapshot, notReady(snapshot)))
        .or(() -> none(NodeReason.SNAPSHOT_REFUSED, snapshot, tooOld(spec, snapshot, now)));
  }

  private static Optional<None> none(
      NodeReason reason, VolumeSnapshot snapshot, Optional<String> why) {
    return why.map(
        text ->
            new None(
                reason, "VolumeSnapshot %s %s".formatted(snapshot.getMetadata().getName(), text)));
  }

  private static Optional<String> foreign(SeiNodeSpec spec, VolumeSnapshot snapshot) {
    Optional<String> chain = Labels.of(snapshot, Labels.CHAIN);
    if (chain.isEmpty() || Annotations.of(snapshot, Annotations.IMAGE).isEmpty()) {
      return Optional.of(
          "does not say which chain and image its data is of: set its label %s to the chain, and its annotation %s to the image that seid ran with"
              .formatted(Labels.CHAIN, Annotations.IMAGE));
    }
    return chain
        .filter(text -> !text.equals(spec.chainId()))
        .map(text -> "is of chain %s, but the node follows %s".formatted(text, spec.chainId()));
  }

  /** A snapshot named in the spec is checked as well: the user removes the mark to use it. */
  private static Optional<String> bad(VolumeSnapshot snapshot) {
    return Annotations.of(snapshot, Annotations.BAD_DATA)
        .map(
            text ->
                "is marked as bad: %s; to use it all the same, remove its annotation %s"
                    .formatted(Text.line(text, MAX_MARK), Annotations.BAD_DATA));
  }

  private static Optional<String> image(SeiNodeSpec spec, VolumeSnapshot snapshot) {
    Stream<String> known =
        Stream.concat(
            Stream.of(spec.image()), AppliedUpgrades.listed(spec).map(upgrade -> upgrade.image()));
    String image = Annotations.of(snapshot, Annotations.IMAGE).orElseThrow();
    return known.anyMatch(image::equals)
        ? Optional.empty()
        : Optional.of(
            "was taken with image %s, which is neither spec.image (%s) nor the image of an upgrade in spec.upgrades"
                .formatted(image, spec.image()));
  }

  private static Optional<String> notReady(VolumeSnapshot snapshot) {
    VolumeSnapshotStatus status = snapshot.getStatus();
    if (snapshot.isMarkedForDeletion()) {
      return Optional.of("is being deleted");
    }
    if (status != null && Boolean.TRUE.equals(status.getReadyToUse())) {
      return Optional.empty();
    }
    return Optional.of(
        status == null || status.getError() == null
            ? "is not ready to use yet"
            : "is not ready to use, and the storage driver reports: "
                + status.getError().getMessage());
  }

  private static Optional<String> tooOld(SeiNodeSpec spec, VolumeSnapshot snapshot, Instant now) {
    Duration age = Duration.between(takenAt(snapshot, now).orElse(Instant.EPOCH), now);
    return spec.snapshotSource()
        .flatMap(SnapshotSource::oldest)
        .filter(oldest -> age.compareTo(oldest) > 0)
        .map(
            oldest ->
                "was taken at %s, longer ago than maxAge (%s)"
                    .formatted(
                        takenAt(snapshot, now).map(Instant::toString).orElse("an unknown time"),
                        spec.snapshotSource().get().maxAge()));
  }

  /**
   * Returns the time of the data by the driver; drivers were seen to report 1970, 1754 or the
   * future, so that a time that is years before the object's, or in the future, is replaced by the
   * object's.
   */
  private static Optional<Instant> takenAt(VolumeSnapshot snapshot, Instant now) {
    Optional<Instant> created = createdAt(snapshot);
    Optional<Instant> taken =
        Optional.ofNullable(snapshot.getStatus())
            .map(VolumeSnapshotStatus::getCreationTime)
            .flatMap(Times::parse);
    boolean isCredible =
        taken.isPresent()
            && !taken.get().isAfter(now)
            && !taken.get().plus(OLDEST_IMPORT).isBefore(created.orElse(now));
    return isCredible ? taken : created;
  }

  private static Optional<Instant> createdAt(VolumeSnapshot snapshot) {
    return Times.parse(snapshot.getMetadata().getCreationTimestamp());
  }

  private static String selector(SnapshotSelector selector) {
    Stream<String> labels =
        Optional.ofNullable(selector.matchLabels()).orElse(Map.of()).entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue());
    Stream<String> expressions =
        Optional.ofNullable(selector.matchExpressions()).orElse(List.of()).stream()
            .map(SnapshotChoice::requirement);
    return Stream.concat(labels, expressions).collect(Collectors.joining(","));
  }

  private static String requirement(LabelRequirement of) {
    String values = of.values() == null ? "" : String.join(",", of.values());
    return switch (of.operator()) {
      case IN -> "%s in (%s)".formatted(of.key(), values);
      case NOT_IN -> "%s notin (%s)".formatted(of.key(), values);
      case EXISTS -> of.key();
      case DOES_NOT_EXIST -> "!" + of.key();
    };
  }
}
