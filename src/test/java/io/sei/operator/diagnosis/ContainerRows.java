package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.CRASH_LOOP;
import static io.sei.operator.api.v1alpha1.StallReason.HALTED_AT_UPGRADE;
import static io.sei.operator.api.v1alpha1.StallReason.HALTED_BY_CONFIGURATION;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_PULL;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_TOO_EARLY;
import static io.sei.operator.api.v1alpha1.StallReason.REGISTRY_UNREACHABLE;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_FORBIDDEN;
import static io.sei.operator.diagnosis.DiagnosisRow.HALT;
import static io.sei.operator.diagnosis.DiagnosisRow.PAST;
import static io.sei.operator.diagnosis.DiagnosisRow.TOO_EARLY;
import static io.sei.operator.diagnosis.DiagnosisRow.nothing;
import static io.sei.operator.diagnosis.DiagnosisRow.row;
import static io.sei.operator.diagnosis.DiagnosisRow.terminal;
import static io.sei.operator.diagnosis.PodSamples.NOW;
import static io.sei.operator.diagnosis.PodSamples.backOff;
import static io.sei.operator.diagnosis.PodSamples.ended;
import static io.sei.operator.diagnosis.PodSamples.event;
import static io.sei.operator.diagnosis.PodSamples.of;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static io.sei.operator.diagnosis.PodSamples.readyAgain;
import static io.sei.operator.diagnosis.PodSamples.running;
import static io.sei.operator.diagnosis.PodSamples.upAgain;
import static io.sei.operator.diagnosis.PodSamples.waiting;
import static io.sei.operator.diagnosis.PodSamples.withInit;

import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.testkit.samples.End;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/** Rows of evidence that containers show. */
final class ContainerRows {

  private static final String HALT_WORDS = "UPGRADE \"v6.1\" NEEDED at height: 1200: {}";

  private static final String CONFIGURED =
      "time=1 level=INFO msg=\"halting node per configuration\" logger=cosmos/baseapp height=160";

  private static final String BEHIND =
      "panic: Wrong app version 0, upgrade handler is missing for v6.1 upgrade plan";

  private static final List<Upgrade> V6 = List.of(new Upgrade("v6.1", 1200L, "sei:v6.1", null));

  private ContainerRows() {}

  static Stream<DiagnosisRow> all() {
    return Stream.of(
            images(),
            registries(),
            crashes(),
            crashesAmongSeveral(),
            flapping(),
            severalContainers(),
            upgrades(),
            configuredHalts())
        .flatMap(rows -> rows);
  }

  private static final String PULLING = "Back-off pulling image \"x\"";
  private static final String UNAVAILABLE = "the registry is unavailable: connect failed";
  private static final String UNSIGNED = "the signature validation failed: no key";

  private static Stream<DiagnosisRow> images() {
    return Stream.of(
        terminal(
            "seid in ImagePullBackOff",
            waits("ImagePullBackOff", PULLING + ": ErrImagePull: x: not found"),
            IMAGE_PULL,
            "container seid: ImagePullBackOff: Back-off pulling image \"x\": ErrImagePull: x: not"
                + " found (image seid:seid); check spec.image and the pull secret of its registry,"
                + " then change spec.image"),
        terminal(
            "seid in ImagePullBackOff, and only the Event has the registry's answer",
            waits("ImagePullBackOff", PULLING)
                .withEvents(
                    List.of(
                        event("Pod", "Failed", "Error: ImagePullBackOff", NOW),
                        event("Pod", "Failed", "Failed to pull image \"x\": not found", PAST))),
            IMAGE_PULL),
        row(
            "seid in ImagePullBackOff, and nothing has the registry's answer",
            waits("ImagePullBackOff", PULLING),
            REGISTRY_UNREACHABLE,
            "check the registry, and the DNS and network of Kubernetes node worker-1"),
        terminal(
            "seid in ErrImagePull of an image that admission rewrote",
            waits("ErrImagePull", "m/x: not found")
                .withImageRewrite("admission control put image m/x in place of x"),
            IMAGE_PULL,
            "not found (image seid:seid); admission control put image m/x in place of x; check"),
        terminal(
            "seid without the image of a listed upgrade",
            waits("ErrImagePull", "not found").withUpgrade("v6.1"),
            IMAGE_PULL,
            "check the image of upgrade \"v6.1\" in spec.upgrades and the pull secret of its"
                + " registry, then change the image of upgrade \"v6.1\" in spec.upgrades"),
        terminal(
            "seid in ErrImagePull",
            waits("ErrImagePull", "image seid:seid: not found"),
            IMAGE_PULL,
            "ErrImagePull: image seid:seid: not found; check"),
        terminal(
            "seid in InvalidImageName",
            waits("InvalidImageName", null),
            IMAGE_PULL,
            "InvalidImageName"),
        terminal(
            "seid in ErrImageNeverPull",
            waits("ErrImageNeverPull", null),
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
            "change the operator's image setting for kube-rbac-proxy, and restart the node"),
        nothing("still creating", waits("ContainerCreating", null)),
        nothing("waiting without a reason", waits(null, null)));
  }

  private static Stream<DiagnosisRow> registries() {
    return Stream.of(
        row(
            "a registry that cannot be reached",
            waits(
                "ErrImagePull",
                "failed to do request: Head \"https://r.example/v2/x\": dial tcp: lookup r.example:"
                    + " no such host"),
            REGISTRY_UNREACHABLE,
            "the kubelet tries again by itself"),
        row(
            "a registry that is overloaded",
            waits("ErrImagePull", "unexpected status: 503 Service Unavailable"),
            REGISTRY_UNREACHABLE),
        row(
            "a registry that throttles",
            waits("ErrImagePull", "429 Too Many Requests - Server message: toomanyrequests"),
            REGISTRY_UNREACHABLE),
        row(
            "an error with a number that ends like a status",
            waits("ErrImagePull", "failed to copy: short read after 8404 bytes"),
            REGISTRY_UNREACHABLE),
        terminal(
            "a status that refuses the image", waits("ErrImagePull", "404 Missing"), IMAGE_PULL),
        row(
            "a registry that the container runtime calls unavailable",
            waits("RegistryUnavailable", "image pull failed for x because " + UNAVAILABLE),
            REGISTRY_UNREACHABLE),
        row(
            "such a registry, in back-off",
            waits("ImagePullBackOff", PULLING + ": RegistryUnavailable: because " + UNAVAILABLE),
            REGISTRY_UNREACHABLE),
        terminal(
            "an image without a valid signature",
            waits("SignatureValidationFailed", "image pull failed for x because " + UNSIGNED),
            IMAGE_PULL),
        terminal(
            "such an image, in back-off",
            waits("ImagePullBackOff", PULLING + ": SignatureValidationFailed: because " + UNSIGNED),
            IMAGE_PULL),
        row(
            "a registry of signatures that cannot be reached",
            waits("SignatureValidationFailed", UNSIGNED + ": dial tcp: i/o timeout"),
            REGISTRY_UNREACHABLE));
  }

  private static Stream<DiagnosisRow> crashes() {
    End exit = End.exit(2, "starting\npanic: no such file\n\ngoroutine 1");
    return Stream.of(
        row(
            "back-off",
            crashes(5, exit),
            CRASH_LOOP,
            "container seid crashes (restarts: 5): exit code 2: panic: no such file; see kubectl"
                + " logs -n sei val-0 -c seid --previous"),
        terminal(
            "back-off of a new pod after three restarts",
            crashes(3, exit).withNewPod(true),
            CRASH_LOOP,
            "restarts: 3"),
        row(
            "back-off of a new pod after two restarts",
            crashes(2, exit).withNewPod(true),
            CRASH_LOOP),
        row(
            "an error before its usage",
            crashes(1, End.exit(1, "Error: port taken\nUsage:\n  seid start\n\nFlags:\n  -h")),
            CRASH_LOOP,
            "exit code 1: Error: port taken; see kubectl logs"),
        row(
            "out of memory",
            of(
                pod(
                    running("seid"),
                    backOff("sei-sidecar", 1, End.exit(137, null).because("OOMKilled")))),
            CRASH_LOOP,
            "exit code 137 (OOMKilled); raise its memory limit: spec.sidecar.resources"),
        row(
            "out of memory in the exporter, whose limit is a setting",
            of(
                pod(
                    running("seid"),
                    backOff("cosmos-exporter", 1, End.exit(137, null).because("OOMKilled")))),
            CRASH_LOOP,
            "SEI_COSMOS_EXPORTER_MEMORY_LIMIT, and restart the node: kubectl sei restart"),
        row(
            "out of memory in the proxy, whose limit is fixed",
            of(
                pod(
                    running("seid"),
                    backOff("kube-rbac-proxy", 1, End.exit(137, null).because("OOMKilled")))),
            CRASH_LOOP,
            "exit code 137 (OOMKilled); no field or setting raises its memory limit; see kubectl"
                + " logs"),
        row(
            "out of memory in an init container, whose limit is fixed",
            of(
                withInit(
                    pod(waiting("seid", "PodInitializing", null)),
                    backOff("seid-init", 1, End.exit(137, null).because("OOMKilled")))),
            CRASH_LOOP,
            "exit code 137 (OOMKilled); no field or setting raises its memory limit; see kubectl"
                + " logs"),
        row(
            "killed",
            crashes(1, End.exit(137, null)),
            CRASH_LOOP,
            "exit code 137 (killed); check the events of pod val-0 for a failed probe"),
        row("ends well again and again", crashes(4, End.exit(0, null)), CRASH_LOOP, "exit code 0"),
        row("down, not restarted yet", of(pod(ended("seid", 0, exit))), CRASH_LOOP),
        row("flapping", isBack(3, exit), CRASH_LOOP, "restarts: 3"),
        nothing("up again after one crash", isBack(1, exit)),
        nothing("up again for long after crashes", isBack(9, exit.at(NOW.minusSeconds(3600)))),
        terminal(
            "image behind its data",
            crashes(1, End.exit(2, BEHIND)),
            CRASH_LOOP,
            "already past upgrade \"v6.1\"",
            "set spec.image to a version that has it"));
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

  /** A container without a probe is ready as soon as it runs, also between two crashes. */
  private static Stream<DiagnosisRow> flapping() {
    End shortRun = End.exit(1, "boom").after(Duration.ofMinutes(4));
    Instant justNow = NOW.minusSeconds(1);
    return Stream.of(
        row(
            "ready for a second between two crashes",
            of(pod(running("seid"), readyAgain("sei-sidecar", 3, shortRun, justNow))),
            CRASH_LOOP,
            "container sei-sidecar crashes (restarts: 3): exit code 1: boom"),
        row(
            "back-off at the kubelet's cap",
            isReadyAgain(9, shortRun.at(NOW.minusSeconds(899)), NOW.minusSeconds(599)),
            CRASH_LOOP),
        nothing(
            "runs for as long as the kubelet remembers",
            isReadyAgain(9, shortRun.at(NOW.minusSeconds(900)), NOW.minusSeconds(600))),
        nothing("ready after two crashes", isReadyAgain(2, End.exit(1, "boom"), justNow)),
        nothing(
            "ready after a crash that ended a long run, with many restarts in its past",
            isReadyAgain(9, End.exit(1, "boom").after(Duration.ofMinutes(10)), justNow)));
  }

  private static Stream<DiagnosisRow> severalContainers() {
    End exit = End.exit(1, "boom");
    var noExporter = waiting("cosmos-exporter", "ErrImagePull", "denied");
    String exporterToo = "; 1 more: container cosmos-exporter cannot pull its image";
    return Stream.of(
        terminal(
            "what keeps seid from running before what does not",
            of(withInit(pod(noExporter), backOff("sei-sidecar", 3, exit))),
            CRASH_LOOP,
            "container sei-sidecar crashes (restarts: 3): exit code 1: boom; see kubectl logs",
            "-c sei-sidecar --previous" + exporterToo),
        terminal(
            "a halt and an exporter without its image",
            of(pod(noExporter, backOff("seid", 5, End.exit(2, HALT)))),
            HALTED_AT_UPGRADE,
            "list it in spec.upgrades, or set spec.image to the version that has this upgrade"
                + exporterToo),
        terminal(
            "seid before its init container, that before the sidecar, that before the proxy",
            of(
                withInit(
                    pod(waiting("seid", "ErrImagePull", "denied")),
                    waiting("kube-rbac-proxy", "ErrImagePull", "denied"),
                    waiting("sei-sidecar", "ImagePullBackOff", "denied"),
                    waiting("seid-init", "ErrImagePull", "denied"))),
            IMAGE_PULL,
            "container seid: ErrImagePull",
            "; 3 more: container seid-init cannot pull its image, container sei-sidecar cannot pull"
                + " its image, container kube-rbac-proxy cannot pull its image"),
        terminal(
            "reasons of containers that seid needs go by their order",
            of(
                withInit(
                    pod(backOff("seid", 1, exit)),
                    waiting("kube-rbac-proxy", "ErrImagePull", "denied"),
                    waiting("sei-sidecar", "CreateContainerConfigError", "no secret"))),
            IMAGE_PULL,
            "container kube-rbac-proxy",
            "; 2 more: container seid crashes, container sei-sidecar cannot start"
                + " (CreateContainerConfigError)"),
        terminal(
            "the sidecar's refusal before an exporter",
            of(pod(running("seid"), noExporter)).withSidecarTrouble(SidecarTrouble.FORBIDDEN),
            SIDECAR_FORBIDDEN,
            exporterToo),
        terminal(
            "an injected init container blocks seid as well",
            of(
                withInit(
                    pod(waiting("seid", "PodInitializing", null), noExporter),
                    backOff("istio-proxy", 1, exit))),
            CRASH_LOOP,
            "container istio-proxy",
            exporterToo));
  }

  private static Stream<DiagnosisRow> configuredHalts() {
    return Stream.of(
        row(
            "halted by its configuration, by the signal",
            crashes(5, End.exit(143, CONFIGURED)).withNewPod(true),
            HALTED_BY_CONFIGURATION,
            "one more block at each restart (restarts: 5): level=INFO msg=\"halting node per",
            "height=160; remove chain.halt_height and chain.halt_time from spec.overrides, and"
                + " halt-height and halt-time from spec.configValues"),
        row(
            "halted by its configuration, by the other signal",
            crashes(5, End.exit(130, CONFIGURED)).withNewPod(true),
            HALTED_BY_CONFIGURATION),
        row(
            "halted by its configuration, cleanly, and up again",
            isBack(1, End.exit(0, CONFIGURED)),
            HALTED_BY_CONFIGURATION),
        row(
            "words of such a halt, but another end",
            crashes(1, End.exit(1, CONFIGURED)),
            CRASH_LOOP),
        row(
            "ended by a signal, without the words",
            crashes(1, End.exit(143, "time=1 level=INFO msg=\"bye\"")),
            CRASH_LOOP,
            "exit code 143"));
  }

  private static Stream<DiagnosisRow> upgrades() {
    return Stream.of(
        row(
            "halted",
            crashes(5, End.exit(2, HALT)),
            HALTED_AT_UPGRADE,
            "upgrade \"v6.1\" at height 1200; list it in spec.upgrades, or set spec.image"),
        row(
            "halted for an entry of the spec",
            crashes(5, End.exit(2, HALT)).withListed(V6),
            HALTED_AT_UPGRADE,
            "at height 1200; spec.upgrades has it, and the operator goes on with image sei:v6.1 unless"
                + " UpgradesReady objects to it"),
        row(
            "halted for an entry of the spec, whose name is cut off",
            crashes(1, End.exit(2, "x" + HALT_WORDS.substring(15) + "\n\ngoroutine 7 [running]:"))
                .withListed(V6),
            HALTED_AT_UPGRADE,
            "spec.upgrades has it, and the operator goes on with image sei:v6.1"),
        row(
            "halted for an entry of the spec, and upgrades are paused",
            crashes(5, End.exit(2, HALT)).withListed(V6).withUpgradesPaused(true),
            HALTED_AT_UPGRADE,
            "spec.upgrades has it, and spec.upgradesPaused keeps the node on its image; set that"),
        row(
            "halted on the image of the entry",
            crashes(5, End.exit(2, HALT)).withListed(V6).withImage("sei:v6.1"),
            HALTED_AT_UPGRADE,
            "correct its image in spec.upgrades"),
        row(
            "halted for an entry of the spec, and the log cannot be read",
            crashes(1, End.exit(2, "panic: " + HALT_WORDS + "; its log cannot be read: no right"))
                .withListed(V6),
            HALTED_AT_UPGRADE,
            "spec.upgrades has it, and the operator goes on with image sei:v6.1, unless UpgradesReady"
                + " objects to it, once it can read"),
        row(
            "halted for another upgrade than the spec has",
            crashes(5, End.exit(2, HALT))
                .withListed(List.of(new Upgrade("v7", 1300L, "sei:v7", null))),
            HALTED_AT_UPGRADE,
            "list it in spec.upgrades"),
        row("halted and up again", isBack(1, End.exit(2, HALT)), HALTED_AT_UPGRADE),
        nothing("halted once, ready now", of(pod(running("seid")))),
        nothing("words of a halt, but the exit was wanted", isBack(1, End.exit(0, HALT))),
        terminal(
            "too early",
            crashes(1, End.exit(2, TOO_EARLY)),
            IMAGE_TOO_EARLY,
            "upgrade \"v7\"",
            "set spec.image to the previous version"),
        terminal(
            "too early, the image of an entry",
            crashes(1, End.exit(2, TOO_EARLY)).withUpgrade("v6.1"),
            IMAGE_TOO_EARLY,
            "upgrade \"v7\"",
            "correct the image of upgrade \"v6.1\" in spec.upgrades"),
        row(
            "words of a halt inside another panic",
            crashes(1, End.exit(2, "panic: bad plan: " + HALT_WORDS)),
            CRASH_LOOP,
            "panic: bad plan: UPGRADE"),
        row(
            "a halt whose beginning was swallowed",
            crashes(1, End.exit(2, "x" + HALT_WORDS + "\n\ngoroutine 7 [running]:")),
            HALTED_AT_UPGRADE,
            "upgrade \"v6.1\" at height 1200"),
        row(
            "a halt whose log cannot be read",
            crashes(1, End.exit(2, "panic: " + HALT_WORDS + "; its log cannot be read: no right")),
            HALTED_AT_UPGRADE,
            "at height 1200; its log cannot be read: no right; list it"),
        row(
            "a panic about something else",
            crashes(1, End.exit(2, "panic: UPGRADE of the pump is NEEDED")),
            CRASH_LOOP));
  }

  private static Evidence crashes(int restarts, End end) {
    return of(pod(backOff("seid", restarts, end)));
  }

  private static Evidence waits(String reason, String message) {
    return of(pod(waiting("seid", reason, message)));
  }

  private static Evidence isBack(int restarts, End end) {
    return of(pod(upAgain("seid", restarts, end)));
  }

  private static Evidence isReadyAgain(int restarts, End end, Instant since) {
    return of(pod(readyAgain("seid", restarts, end, since)));
  }
}
