package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.APPLY_REFUSED;
import static io.sei.operator.api.v1alpha1.StallReason.CEREMONY_FAILED;
import static io.sei.operator.api.v1alpha1.StallReason.CRASH_LOOP;
import static io.sei.operator.api.v1alpha1.StallReason.GENESIS_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.HEIGHT_STANDS_STILL;
import static io.sei.operator.api.v1alpha1.StallReason.KEY_SECRET_INVALID;
import static io.sei.operator.api.v1alpha1.StallReason.KEY_SECRET_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.POD_RESIZE_PENDING;
import static io.sei.operator.api.v1alpha1.StallReason.SEID_NOT_RESPONDING;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_KEY_INVALID;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_KEY_IN_USE;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_KEY_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_STATE_UNKNOWN;
import static io.sei.operator.api.v1alpha1.StallReason.START_DEADLINE_EXCEEDED;
import static io.sei.operator.api.v1alpha1.StallReason.STATEFUL_SET_CONFLICT;
import static io.sei.operator.api.v1alpha1.StallReason.WITNESSES_MISSING;
import static io.sei.operator.diagnosis.DiagnosisRow.PAST;
import static io.sei.operator.diagnosis.DiagnosisRow.SILENT;
import static io.sei.operator.diagnosis.DiagnosisRow.row;
import static io.sei.operator.diagnosis.DiagnosisRow.terminal;
import static io.sei.operator.diagnosis.PodSamples.backOff;
import static io.sei.operator.diagnosis.PodSamples.of;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static io.sei.operator.diagnosis.PodSamples.running;
import static io.sei.operator.diagnosis.PodSamples.terminating;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.samples.End;
import java.util.stream.Stream;

/** Rows of input that a user has to provide, beside the node's own objects. */
final class AwaitedRows {

  private AwaitedRows() {}

  static Stream<DiagnosisRow> all() {
    Evidence none = Evidence.none();
    var crashing = pod(backOff("seid", 5, End.exit(1, "boom")));
    return Stream.of(
        row(
            "no key",
            none.withAwaited(mayPass(SIGNING_KEY_MISSING)),
            SIGNING_KEY_MISSING,
            "seen; do"),
        terminal("bad key", none.withAwaited(lasting(SIGNING_KEY_INVALID)), SIGNING_KEY_INVALID),
        row("no genesis", none.withAwaited(mayPass(GENESIS_MISSING)), GENESIS_MISSING),
        terminal("no chain", none.withAwaited(lasting(CEREMONY_FAILED)), CEREMONY_FAILED),
        row("no identity", none.withAwaited(mayPass(KEY_SECRET_MISSING)), KEY_SECRET_MISSING),
        terminal("bad keyring", none.withAwaited(lasting(KEY_SECRET_INVALID)), KEY_SECRET_INVALID),
        row(
            "a key in use before a pod that is to be replaced",
            of(terminating(crashing, PAST))
                .withNode(SILENT)
                .withAwaited(mayPass(SIGNING_KEY_IN_USE)),
            SIGNING_KEY_IN_USE),
        terminal(
            "conflict before a key",
            none.withStatefulSetConflict("owned by x").withAwaited(mayPass(SIGNING_KEY_MISSING)),
            STATEFUL_SET_CONFLICT),
        terminal(
            "a refused write before a key",
            none.withRefusal(Diagnosis.refused("denied")).withAwaited(mayPass(SIGNING_KEY_MISSING)),
            APPLY_REFUSED),
        terminal(
            "lost signatures before a key",
            none.withLostSignatures("is gone").withAwaited(mayPass(SIGNING_KEY_MISSING)),
            SIGNING_STATE_UNKNOWN),
        row("no witness", none.withAwaited(mayPass(WITNESSES_MISSING)), WITNESSES_MISSING),
        row(
            "a height that stands still before the exporter",
            of(pod(running("seid"), backOff("cosmos-exporter", 5, End.exit(1, "boom"))))
                .withAwaited(mayPass(HEIGHT_STANDS_STILL)),
            HEIGHT_STANDS_STILL),
        row(
            "a hang before a sidecar that does not answer either",
            of(pod(running("seid"), running("sei-sidecar")))
                .withSidecarTrouble(SidecarTrouble.UNREACHABLE)
                .withAwaited(mayPass(SEID_NOT_RESPONDING)),
            SEID_NOT_RESPONDING),
        terminal(
            "a start that takes too long before the exporter",
            of(pod(running("seid"), backOff("cosmos-exporter", 5, End.exit(1, "boom"))))
                .withAwaited(lasting(START_DEADLINE_EXCEEDED)),
            START_DEADLINE_EXCEEDED),
        terminal(
            "a resize that cannot be before the exporter",
            of(pod(running("seid"), backOff("cosmos-exporter", 5, End.exit(1, "boom"))))
                .withAwaited(lasting(POD_RESIZE_PENDING)),
            POD_RESIZE_PENDING),
        row(
            "a crash before witnesses",
            of(crashing).withAwaited(mayPass(WITNESSES_MISSING)),
            CRASH_LOOP),
        row(
            "witnesses before what the task failed with when it had them",
            of(pod(running("seid"), running("sei-sidecar")))
                .withSidecarTrouble(SidecarTrouble.TASK_FAILED)
                .withAwaited(mayPass(WITNESSES_MISSING)),
            WITNESSES_MISSING));
  }

  private static Finding mayPass(StallReason reason) {
    return Finding.of(reason, "seen", "do");
  }

  private static Finding lasting(StallReason reason) {
    return Finding.terminal(reason, "seen", "do");
  }
}
