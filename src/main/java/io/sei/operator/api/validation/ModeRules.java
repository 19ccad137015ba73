package io.sei.operator.api.validation;

import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import java.util.regex.Pattern;

/** Rules of full nodes, archives and replayers, and of the snapshots that all modes use. */
final class ModeRules {

  /** A duration of Go is one or more of these, one after the other. */
  private static final Pattern TERM = Pattern.compile("\\d+(\\.\\d+)?(ns|us|µs|ms|s|m|h)");

  private ModeRules() {}

  static void fullNode(Field at, FullNode node) {
    at.child("snapshot").ifSet(node.snapshot(), ModeRules::snapshot);
    at.child("snapshotGeneration").ifSet(node.snapshotGeneration(), ModeRules::generation);
  }

  static void archive(Field at, Archive node) {
    at.child("snapshotGeneration").ifSet(node.snapshotGeneration(), ModeRules::generation);
  }

  static void replayer(Field at, Replayer node) {
    at.child("snapshot").mustBeSet(node.snapshot());
    at.child("snapshot").ifSet(node.snapshot(), ModeRules::snapshot);
    at.child("snapshot")
        .ifSet(
            node.snapshot(),
            (field, snapshot) ->
                field
                    .child("s3")
                    .rejectIf(
                        snapshot.s3() == null && snapshot.stateSync() != null,
                        "must be set: a replayer starts from a snapshot in S3"));
    at.child("resultExport")
        .ifSet(
            node.resultExport(),
            (export, value) -> {
              export.child("shadowResult").mustBeSet(value.shadowResult());
              export
                  .child("shadowResult")
                  .ifSet(
                      value.shadowResult(),
                      (field, shadow) ->
                          field.child("canonicalRpc").mustNotBeEmpty(shadow.canonicalRpc()));
            });
  }

  static void snapshot(Field at, Snapshot snapshot) {
    at.rejectIf(
        SpecValidation.set(snapshot.s3(), snapshot.stateSync()) != 1,
        "exactly one of s3 or stateSync must be set");
    at.child("s3")
        .ifSet(
            snapshot.s3(), (s3, value) -> s3.child("targetHeight").mustBeSet(value.targetHeight()));
    at.child("trustPeriod")
        .rejectIf(
            !isGoDuration(snapshot.trustPeriod()),
            "must be a duration of hours, minutes or seconds, such as 168h: it has no unit for days");
    boolean bootstraps = snapshot.bootstrapImage() != null && !snapshot.bootstrapImage().isEmpty();
    at.child("bootstrapImage")
        .rejectIf(
            bootstraps && snapshot.s3() == null,
            "requires s3.targetHeight: it is the height up to which the image replays");
  }

  /** The sidecar takes any text, and what is none of these leaves a node that cannot be mended. */
  private static boolean isGoDuration(String text) {
    return text == null
        || text.isEmpty()
        || text.equals("0")
        || TERM.matcher(text).replaceAll("").isEmpty();
  }

  private static void generation(Field at, SnapshotGeneration generation) {
    at.child("tendermint").mustBeSet(generation.tendermint());
    at.child("tendermint")
        .ifSet(
            generation.tendermint(),
            (field, tendermint) -> {
              Field keepRecent = field.child("keepRecent");
              keepRecent.mustBeSet(tendermint.keepRecent());
              keepRecent.rejectIf(
                  tendermint.publish() != null
                      && Integer.valueOf(1).equals(tendermint.keepRecent()),
                  "must be at least 2 when publish is set");
            });
  }
}
