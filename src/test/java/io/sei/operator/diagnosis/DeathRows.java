package io.sei.operator.diagnosis;

import static io.sei.operator.diagnosis.DiagnosisRow.row;
import static io.sei.operator.diagnosis.DiagnosisRow.terminal;
import static io.sei.operator.diagnosis.PodSamples.backOff;
import static io.sei.operator.diagnosis.PodSamples.of;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static io.sei.operator.diagnosis.PodSamples.running;
import static io.sei.operator.diagnosis.PodSamples.upAgain;
import static io.sei.operator.diagnosis.PodSamples.waiting;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.SeidDeaths;
import io.sei.operator.testkit.samples.SeidDeaths.Death;
import java.util.Set;
import java.util.stream.Stream;

/** Rows of causes of seid's death. */
final class DeathRows {

  private static final Set<StallReason> AT_ONCE =
      Set.of(
          StallReason.APP_HASH_MISMATCH,
          StallReason.DATA_CORRUPT,
          StallReason.DISK_FAILING,
          StallReason.GENESIS_MISMATCH,
          StallReason.SIGNING_ELSEWHERE,
          StallReason.SIGNING_KEY_CHANGED,
          StallReason.SIGNING_STATE_UNREADABLE);

  private static final Set<StallReason> AFTER_CRASHES =
      Set.of(
          StallReason.CONFIG_INVALID,
          StallReason.FILES_MISSING,
          StallReason.CRASH_LOOP,
          StallReason.OUT_OF_MEMORY,
          StallReason.RUNTIME_CRASH);

  private static final String HASH =
      "Error: error starting node: error on replay: block.AppHash does not match AppHash after"
          + " replay. Got 'E3B0', expected '9F86'.";

  private static final String FULL = "write /sei/data/upgrade-info.json: no space left on device";

  private DeathRows() {}

  static Stream<DiagnosisRow> all() {
    return Stream.of(
            named().map(DeathRows::first),
            named().map(DeathRows::third),
            SeidDeaths.ofUpgrades().map(DeathRows::ofUpgrade),
            againAndAgain(),
            signatures(),
            both())
        .flatMap(rows -> rows);
  }

  private static Stream<Death> named() {
    return Stream.concat(SeidDeaths.causes(), SeidDeaths.unnamed());
  }

  private static DiagnosisRow ofUpgrade(Death death) {
    return new DiagnosisRow(
        death.name(),
        of(pod(backOff("seid", 1, end(death)))),
        death.reason(),
        death.reason() == StallReason.IMAGE_TOO_EARLY || death.reason() == StallReason.CRASH_LOOP);
  }

  private static DiagnosisRow first(Death death) {
    return new DiagnosisRow(
        death.name(),
        of(pod(backOff("seid", 1, end(death)))),
        death.reason(),
        AT_ONCE.contains(death.reason()),
        "container seid crashes (restarts: 1): exit code " + death.exit(),
        quoted(death));
  }

  private static DiagnosisRow third(Death death) {
    return new DiagnosisRow(
        "a new pod: " + death.name(),
        of(pod(backOff("seid", 3, end(death)))).withNewPod(true),
        death.reason(),
        AT_ONCE.contains(death.reason()) || AFTER_CRASHES.contains(death.reason()));
  }

  private static Stream<DiagnosisRow> againAndAgain() {
    return Stream.of(
        terminal(
            "what no start ends, while seid is started again",
            of(pod(upAgain("seid", 1, End.exit(1, HASH)))),
            StallReason.APP_HASH_MISMATCH,
            "a validator with a signing key first needs spec.validator.acceptSigningStateLoss",
            "do not roll the image back"),
        DiagnosisRow.nothing(
            "what may go by itself, while seid is started again",
            of(pod(upAgain("seid", 1, End.exit(2, "panic: " + FULL))))),
        terminal(
            "what no start ends, before a sidecar without its image",
            of(
                pod(
                    waiting("sei-sidecar", "ErrImagePull", "denied"),
                    backOff("seid", 1, End.exit(1, HASH)))),
            StallReason.APP_HASH_MISMATCH,
            "1 more: container sei-sidecar cannot pull its image"),
        terminal(
            "what a rollback would harm, before a refused write",
            of(pod(backOff("seid", 1, End.exit(1, HASH))))
                .withRefusal(Diagnosis.refused("the policy says no")),
            StallReason.APP_HASH_MISMATCH),
        row(
            "of another container the words say nothing",
            of(pod(running("seid"), backOff("sei-sidecar", 1, End.exit(1, "panic: " + FULL)))),
            StallReason.CRASH_LOOP),
        row(
            "an error that was logged",
            of(pod(backOff("seid", 1, End.exit(1, "time=1 level=ERROR msg=\"" + FULL + "\"")))),
            StallReason.CRASH_LOOP,
            FULL),
        row(
            "killed for want of memory",
            of(pod(backOff("seid", 1, End.exit(137, null).because("OOMKilled")))),
            StallReason.OUT_OF_MEMORY,
            "exit code 137 (OOMKilled); raise its memory limit: spec.resources"),
        row(
            "a panic whose beginning was swallowed",
            of(
                pod(
                    backOff(
                        "seid",
                        1,
                        End.exit(2, "xwrong Block.Header.AppHash\n\ngoroutine 7 [running]:")))),
            StallReason.APP_HASH_MISMATCH));
  }

  private static Stream<DiagnosisRow> signatures() {
    String found =
        "panic: critical task failed: name=state.Run, service=Consensus: found signature from the"
            + " same key";
    return Stream.of(
        row(
            "signatures that may be its own",
            of(pod(backOff("seid", 3, End.exit(2, found))))
                .withNewPod(true)
                .withOwnSignatures(true),
            StallReason.WAITING_OUT_OWN_SIGNATURES,
            "found signature from the same key",
            "seid starts by itself"),
        terminal(
            "signatures of another signer",
            of(pod(backOff("seid", 1, End.exit(2, found)))),
            StallReason.SIGNING_ELSEWHERE,
            "find what else signs with this key"),
        terminal(
            "another death of a validator that has signed",
            of(pod(backOff("seid", 1, End.exit(1, HASH)))).withOwnSignatures(true),
            StallReason.APP_HASH_MISMATCH));
  }

  private static Stream<DiagnosisRow> both() {
    return Stream.of(
        row(
            "a halt, and a disk that is full at its height",
            of(
                pod(
                    backOff(
                        "seid",
                        1,
                        End.exit(
                            2, "panic: unable to write upgrade info to filesystem: " + FULL)))),
            StallReason.DISK_FULL,
            "seid stopped for an upgrade and cannot write that to its volume: container seid",
            FULL,
            "grow the volume",
            "then seid halts for the upgrade, which spec.upgrades has to list"));
  }

  private static End end(Death death) {
    return End.exit(death.exit(), death.log());
  }

  private static String quoted(Death death) {
    return death.line().substring(0, Math.min(death.line().length(), 250));
  }
}
