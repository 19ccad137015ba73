package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.CRASH_LOOP;
import static io.sei.operator.api.v1alpha1.StallReason.HALTED_AT_UPGRADE;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_PULL;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_TOO_EARLY;
import static io.sei.operator.diagnosis.DiagnosisRow.HALT;
import static io.sei.operator.diagnosis.DiagnosisRow.TOO_EARLY;
import static io.sei.operator.diagnosis.DiagnosisRow.nothing;
import static io.sei.operator.diagnosis.DiagnosisRow.row;
import static io.sei.operator.diagnosis.DiagnosisRow.terminal;
import static io.sei.operator.diagnosis.PodSamples.NOW;
import static io.sei.operator.diagnosis.PodSamples.backOff;
import static io.sei.operator.diagnosis.PodSamples.ended;
import static io.sei.operator.diagnosis.PodSamples.of;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static io.sei.operator.diagnosis.PodSamples.running;
import static io.sei.operator.diagnosis.PodSamples.upAgain;
import static io.sei.operator.diagnosis.PodSamples.waiting;
import static io.sei.operator.diagnosis.PodSamples.withInit;

import io.sei.operator.diagnosis.PodSamples.End;
import java.util.stream.Stream;

/** What containers show. */
final class ContainerRows {

  private static final String BEHIND =
      "panic: Wrong app version 0, upgrade handler is missing for v6.1 upgrade plan";

  private ContainerRows() {}

  static Stream<DiagnosisRow> all() {
    return Stream.of(images(), crashes(), crashesAmongSeveral(), upgrades()).flatMap(rows -> rows);
  }

  private static Stream<DiagnosisRow> images() {
    String pulling = "Back-off pulling image \"x\"";
    return Stream.of(
        terminal(
            "seid in ImagePullBackOff",
            of(pod(waiting("seid", "ImagePullBackOff", pulling))),
            IMAGE_PULL,
            "container seid: ImagePullBackOff: Back-off pulling image \"x\" (image seid:seid);"
                + " check spec.image and the registry's pull secret, then change spec.image"),
        terminal(
            "seid in ErrImagePull",
            of(pod(waiting("seid", "ErrImagePull", "image seid:seid: not found"))),
            IMAGE_PULL,
            "ErrImagePull: image seid:seid: not found; check"),
        terminal(
            "seid in InvalidImageName",
            of(pod(waiting("seid", "InvalidImageName", null))),
            IMAGE_PULL,
            "InvalidImageName"),
        terminal(
            "seid in ErrImageNeverPull",
            of(pod(waiting("seid", "ErrImageNeverPull", null))),
            IMAGE_PULL,
            "ErrImageNeverPull"),
        terminal(
            "sidecar as an init container",
            of(
                withInit(
                    pod(waiting("seid", "PodInitializing", null)),
                    waiting("sei-sidecar", "ErrImagePull", "denied"))),
            IMAGE_PULL,
            "container sei-sidecar",
            "spec.sidecar.image"),
        terminal(
            "a container of the operator's own",
            of(pod(running("seid"), waiting("kube-rbac-proxy", "ErrImagePull", "denied"))),
            IMAGE_PULL,
            "the operator's image setting for kube-rbac-proxy"),
        nothing("still creating", of(pod(waiting("seid", "ContainerCreating", null)))),
        nothing("waiting without a reason", of(pod(waiting("seid", null, null)))));
  }

  private static Stream<DiagnosisRow> crashes() {
    End exit = End.exit(2, "starting\npanic: no such file\n\ngoroutine 1");
    return Stream.of(
        row(
            "back-off",
            of(pod(backOff("seid", 5, exit))),
            CRASH_LOOP,
            "container seid crashes (restarts: 5): exit code 2: panic: no such file; see kubectl"
                + " logs -n sei val-0 -c seid --previous"),
        terminal(
            "back-off of a new pod after three restarts",
            of(pod(backOff("seid", 3, exit))).withNewPod(true),
            CRASH_LOOP,
            "restarts: 3"),
        row(
            "back-off of a new pod after two restarts",
            of(pod(backOff("seid", 2, exit))).withNewPod(true),
            CRASH_LOOP),
        row(
            "out of memory",
            of(pod(backOff("seid", 1, End.exit(137, null).because("OOMKilled")))),
            CRASH_LOOP,
            "exit code 137 (OOMKilled); give it more memory: spec.resources"),
        row(
            "killed",
            of(pod(backOff("seid", 1, End.exit(137, null)))),
            CRASH_LOOP,
            "exit code 137 (killed); look for a failed probe"),
        row(
            "ends well again and again",
            of(pod(backOff("seid", 4, End.exit(0, null)))),
            CRASH_LOOP,
            "exit code 0"),
        row("down, not restarted yet", of(pod(ended("seid", 0, exit))), CRASH_LOOP),
        row("flapping", of(pod(upAgain("seid", 3, exit))), CRASH_LOOP, "restarts: 3"),
        nothing("up again after one crash", of(pod(upAgain("seid", 1, exit)))),
        nothing(
            "up again for long after crashes",
            of(pod(upAgain("seid", 9, exit.at(NOW.minusSeconds(3600)))))),
        terminal(
            "image behind its data",
            of(pod(backOff("seid", 1, End.exit(2, BEHIND)))),
            CRASH_LOOP,
            "already past upgrade \"v6.1\"",
            "set spec.image to a version that does"));
  }

  private static Stream<DiagnosisRow> crashesAmongSeveral() {
    End exit = End.exit(2, "starting\npanic: no such file\n\ngoroutine 1");
    return Stream.of(
        row(
            "init container",
            of(
                withInit(
                    pod(waiting("seid", "PodInitializing", null)), ended("seid-init", 2, exit))),
            CRASH_LOOP,
            "container seid-init"),
        row(
            "the worst of several",
            of(pod(backOff("cosmos-exporter", 2, exit), backOff("seid", 6, exit))),
            CRASH_LOOP,
            "container seid crashes"),
        nothing(
            "init container that did its work",
            of(withInit(pod(running("seid")), ended("seid-init", 4, End.exit(0, null))))));
  }

  private static Stream<DiagnosisRow> upgrades() {
    return Stream.of(
        row(
            "halted",
            of(pod(backOff("seid", 5, End.exit(2, HALT)))),
            HALTED_AT_UPGRADE,
            "upgrade \"v6.1\" at height 1200; set spec.image"),
        row(
            "halted and up again",
            of(pod(upAgain("seid", 1, End.exit(2, HALT)))),
            HALTED_AT_UPGRADE),
        nothing("halted once, ready now", of(pod(running("seid")))),
        nothing(
            "words of a halt, but the exit was wanted",
            of(pod(upAgain("seid", 1, End.exit(0, HALT))))),
        terminal(
            "too early",
            of(pod(backOff("seid", 1, End.exit(2, TOO_EARLY)))),
            IMAGE_TOO_EARLY,
            "upgrade \"v7\"",
            "back to the version before"),
        row(
            "a panic about something else",
            of(pod(backOff("seid", 1, End.exit(2, "panic: UPGRADE of the pump is NEEDED")))),
            CRASH_LOOP));
  }
}
