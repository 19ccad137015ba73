package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.APPLY_REFUSED;
import static io.sei.operator.api.v1alpha1.StallReason.CRASH_LOOP;
import static io.sei.operator.api.v1alpha1.StallReason.HALTED_AT_UPGRADE;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_PULL;
import static io.sei.operator.api.v1alpha1.StallReason.IMAGE_TOO_EARLY;
import static io.sei.operator.api.v1alpha1.StallReason.NODE_LOST;
import static io.sei.operator.api.v1alpha1.StallReason.POD_TERMINATING;
import static io.sei.operator.api.v1alpha1.StallReason.QUOTA_EXCEEDED;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_FORBIDDEN;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_NOT_ASKED;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_TASK_FAILED;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_UNREACHABLE;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_UNSUPPORTED;
import static io.sei.operator.api.v1alpha1.StallReason.STATEFUL_SET_CONFLICT;
import static io.sei.operator.api.v1alpha1.StallReason.UNKNOWN;
import static io.sei.operator.api.v1alpha1.StallReason.UNSCHEDULABLE;
import static io.sei.operator.diagnosis.DiagnosisRow.HALT;
import static io.sei.operator.diagnosis.DiagnosisRow.PAST;
import static io.sei.operator.diagnosis.DiagnosisRow.SILENT;
import static io.sei.operator.diagnosis.DiagnosisRow.SOON;
import static io.sei.operator.diagnosis.DiagnosisRow.TOO_EARLY;
import static io.sei.operator.diagnosis.DiagnosisRow.nothing;
import static io.sei.operator.diagnosis.DiagnosisRow.row;
import static io.sei.operator.diagnosis.DiagnosisRow.terminal;
import static io.sei.operator.diagnosis.PodSamples.NOW;
import static io.sei.operator.diagnosis.PodSamples.backOff;
import static io.sei.operator.diagnosis.PodSamples.event;
import static io.sei.operator.diagnosis.PodSamples.of;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static io.sei.operator.diagnosis.PodSamples.running;
import static io.sei.operator.diagnosis.PodSamples.terminating;
import static io.sei.operator.diagnosis.PodSamples.unscheduled;
import static io.sei.operator.diagnosis.PodSamples.waiting;
import static io.sei.operator.diagnosis.PodSamples.withInit;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.samples.End;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class DiagnosisTest {

  static Stream<DiagnosisRow> rows() {
    return Stream.of(
            ContainerRows.all(),
            DeathRows.all(),
            PlacementRows.all(),
            AwaitedRows.all(),
            creation(),
            refused(),
            sidecar(),
            sidecarTasks(),
            precedence())
        .flatMap(rows -> rows);
  }

  private static Stream<DiagnosisRow> creation() {
    String quota = "pods \"val-0\" is forbidden: exceeded quota: compute, requested: cpu=4";
    String policy = "pods \"val-0\" is forbidden: violates PodSecurity \"restricted\"";
    var refused = event("StatefulSet", "FailedCreate", quota, PAST);
    return Stream.of(
        row("quota", of(null, refused), QUOTA_EXCEEDED, "exceeded quota: compute", "raise"),
        nothing("quota, but a pod is there", of(pod(running("seid")), refused)),
        nothing(
            "quota, but created since",
            of(null, event("StatefulSet", "SuccessfulCreate", "created", NOW), refused)),
        row(
            "quota again",
            of(
                null,
                event("StatefulSet", "SuccessfulCreate", "created", PAST.minusSeconds(5)),
                refused),
            QUOTA_EXCEEDED),
        row(
            "forbidden for another reason",
            of(null, event("StatefulSet", "FailedCreate", policy, PAST)),
            UNKNOWN,
            "violates PodSecurity"),
        row(
            "quota for the pod of a bootstrap Job",
            of(null, event("Job", "FailedCreate", "Error creating: " + quota, PAST)),
            QUOTA_EXCEEDED,
            "exceeded quota: compute"),
        row(
            "pod of a bootstrap Job forbidden for another reason",
            of(null, event("Job", "FailedCreate", "Error creating: " + policy, PAST)),
            UNKNOWN,
            "violates PodSecurity"),
        row(
            "container cannot be made",
            of(pod(waiting("seid", "CreateContainerConfigError", "secret \"k\" not found"))),
            UNKNOWN,
            "container seid: CreateContainerConfigError: secret \"k\" not found"),
        nothing("nothing is known", Evidence.none()));
  }

  private static Stream<DiagnosisRow> refused() {
    String quota = "the API server refuses Service val: exceeded quota: objects, used: 5";
    String policy = "the API server refuses StatefulSet val: ValidatingAdmissionPolicy 'p' denied";
    var halted =
        of(pod(backOff("seid", 5, End.exit(2, HALT)))).withRefusal(Diagnosis.refused(policy));
    return Stream.of(
        terminal(
            "write over quota",
            Evidence.none().withRefusal(Diagnosis.refused(quota)),
            QUOTA_EXCEEDED,
            quota,
            "raise"),
        terminal(
            "write refused",
            of(pod(running("seid"))).withRefusal(Diagnosis.refused(policy)),
            APPLY_REFUSED,
            policy,
            "fix the policy"),
        row("refused, and the wanted pod halted", halted, HALTED_AT_UPGRADE),
        terminal("refused, and an old pod halted", halted.withStalePod(true), APPLY_REFUSED),
        terminal(
            "refused, and the pod is leaving",
            of(terminating(pod(running("seid")), SOON)).withRefusal(Diagnosis.refused(policy)),
            APPLY_REFUSED),
        terminal(
            "refused, and the StatefulSet is foreign",
            Evidence.none()
                .withRefusal(Diagnosis.refused(policy))
                .withStatefulSetConflict("owned by x"),
            STATEFUL_SET_CONFLICT));
  }

  private static Stream<DiagnosisRow> sidecar() {
    Evidence up = of(pod(running("seid"))).withCurrentTask("mark-ready");
    return Stream.of(
        row(
            "unreachable",
            up.withSidecarTrouble(SidecarTrouble.UNREACHABLE).withSidecarMessage("timed out"),
            SIDECAR_UNREACHABLE,
            "task mark-ready: the sidecar does not respond: timed out"),
        nothing(
            "not started yet",
            of(pod(waiting("seid", "ContainerCreating", null)))
                .withSidecarTrouble(SidecarTrouble.UNREACHABLE)),
        nothing("just started", startedAgo(Duration.ofSeconds(14))),
        row("started a while ago", startedAgo(Duration.ofSeconds(15)), SIDECAR_UNREACHABLE),
        row("started in an hour", startedAgo(Duration.ofHours(-1)), SIDECAR_UNREACHABLE),
        nothing("no pod to reach", Evidence.none().withSidecarTrouble(SidecarTrouble.UNREACHABLE)),
        row(
            "forbidden",
            up.withSidecarTrouble(SidecarTrouble.FORBIDDEN).withSidecarMessage("403"),
            SIDECAR_FORBIDDEN,
            "task mark-ready: the operator may not use the sidecar: 403",
            "may create serviceaccounts/token of the account in SEI_SIDECAR_SERVICE_ACCOUNT",
            "may get, create and delete seinodes/sidecar",
            "system:auth-delegator"),
        row(
            "not asked",
            up.withSidecarTrouble(SidecarTrouble.NOT_ASKED)
                .withSidecarMessage("no request was sent; run: kubectl sei restart node -n sei"),
            SIDECAR_NOT_ASKED,
            "the operator does not call the sidecar: no request was sent",
            "kubectl sei restart node -n sei"),
        nothing("no trouble", up),
        terminal(
            "foreign StatefulSet",
            up.withStatefulSetConflict("StatefulSet val is controlled by Helm release x"),
            STATEFUL_SET_CONFLICT,
            "Helm release x"));
  }

  private static Stream<DiagnosisRow> sidecarTasks() {
    Evidence up = of(pod(running("seid"))).withCurrentTask("mark-ready");
    return Stream.of(
        row(
            "task failed",
            up.withSidecarTrouble(SidecarTrouble.TASK_FAILED).withSidecarMessage("no snapshot"),
            SIDECAR_TASK_FAILED,
            "no snapshot; fix the cause, then change the spec or set a new value of the"
                + " annotation sei.io/retry"),
        row(
            "task failed, and is tried again",
            up.withSidecarTrouble(SidecarTrouble.TASK_FAILED)
                .withSidecarMessage("no snapshot")
                .withRetried(true),
            SIDECAR_TASK_FAILED,
            "no snapshot; the operator retries; if it keeps failing, fix the cause"),
        terminal(
            "task failed for good",
            up.withSidecarTrouble(SidecarTrouble.TASK_GIVEN_UP)
                .withSidecarMessage("no snapshot")
                .withRetried(true),
            SIDECAR_TASK_FAILED,
            "task mark-ready: the sidecar reports a failure: no snapshot; the operator retries"),
        terminal(
            "configuration refused",
            up.withSidecarTrouble(SidecarTrouble.CONFIGURATION_REFUSED)
                .withCurrentTask("config-apply")
                .withSidecarMessage("unknown override key \"no.such\"")
                .withRetried(true),
            SIDECAR_TASK_FAILED,
            "task config-apply: the sidecar refuses the configuration: unknown override key"
                + " \"no.such\"; correct spec.overrides, spec.configValues or spec.peers, or take"
                + " the change back"),
        nothing(
            "machine is back, and its kubelet has yet to report",
            of(aPod(pod(running("seid"))).overruled().build())
                .withNode(new NodeFacts(PodSamples.NODE, NodeFacts.State.READY))
                .withSidecarTrouble(SidecarTrouble.UNREACHABLE)),
        terminal(
            "unsupported",
            up.withSidecarTrouble(SidecarTrouble.UNSUPPORTED)
                .withSidecarMessage(
                    "sidecar image seictl:v1 does not support the task type discover-peers"),
            SIDECAR_UNSUPPORTED,
            "sidecar image seictl:v1 does not support the task type discover-peers",
            "v0.0.56 or older"));
  }

  private static Stream<DiagnosisRow> precedence() {
    var halted = backOff("seid", 5, End.exit(2, HALT));
    var noImage = waiting("sei-sidecar", "ErrImagePull", "denied");
    var crashing = backOff("seid", 5, End.exit(1, "boom"));
    Evidence everything =
        of(terminating(pod(halted, noImage), PAST))
            .withNode(SILENT)
            .withSidecarTrouble(SidecarTrouble.FORBIDDEN)
            .withStatefulSetConflict("owned by x");
    return Stream.of(
        terminal("conflict before all", everything, STATEFUL_SET_CONFLICT),
        row("lost node before the pod", everything.withStatefulSetConflict(null), NODE_LOST),
        row(
            "termination before containers",
            everything.withStatefulSetConflict(null).withNode(null),
            POD_TERMINATING),
        nothing(
            "within its grace period even a halt is old news",
            of(terminating(pod(halted), SOON)).withSidecarTrouble(SidecarTrouble.FORBIDDEN)),
        terminal("halt before missing image", of(pod(halted, noImage)), HALTED_AT_UPGRADE),
        terminal(
            "too early before missing image",
            of(pod(noImage, backOff("seid", 5, End.exit(2, TOO_EARLY)))),
            IMAGE_TOO_EARLY),
        terminal("missing image before crash", of(pod(crashing, noImage)), IMAGE_PULL),
        row(
            "crash before sidecar",
            of(pod(crashing, running("sei-sidecar")))
                .withSidecarTrouble(SidecarTrouble.UNREACHABLE),
            CRASH_LOOP),
        row(
            "no place before sidecar",
            of(unscheduled("no room")).withSidecarTrouble(SidecarTrouble.TASK_FAILED),
            UNSCHEDULABLE));
  }

  private static Evidence startedAgo(Duration ago) {
    ContainerStatus sidecar = running("sei-sidecar");
    sidecar.getState().getRunning().setStartedAt(NOW.minus(ago).toString());
    return of(pod(running("seid"), sidecar)).withSidecarTrouble(SidecarTrouble.UNREACHABLE);
  }

  @ParameterizedTest
  @MethodSource("rows")
  void findsTheCause(DiagnosisRow row) {
    var finding = Diagnosis.of(row.evidence(), NOW);
    if (row.reason() == null) {
      assertThat(finding).isEmpty();
      return;
    }
    assertThat(finding).isPresent();
    assertThat(finding.get().reason()).isEqualTo(row.reason());
    assertThat(finding.get().terminal()).isEqualTo(row.terminal());
    for (String words : row.says()) {
      assertThat(finding.get().message()).contains(words);
    }
  }

  @Test
  void everyReasonIsFound() {
    assertThat(
            rows()
                .map(DiagnosisRow::reason)
                .filter(reason -> reason != null)
                .collect(Collectors.toSet()))
        // An invalid spec, or a rollback of the fleet, is found without a look at the pod.
        .containsExactlyInAnyOrderElementsOf(
            EnumSet.complementOf(
                EnumSet.of(
                    StallReason.POD_NOT_STARTED,
                    StallReason.INVALID_SPEC,
                    StallReason.ROLLED_BACK)));
  }

  /** At the deadline of a node without another cause. */
  static Stream<Arguments> pods() {
    Pod creating = pod(waiting("seid", "ContainerCreating", null));
    Pod initializing = pod(waiting("seid", "PodInitializing", null));
    Pod sandbox = aPod(creating).condition("PodReadyToStartContainers", "True", null, null).build();
    return Stream.of(
        arguments(
            creating, StallReason.POD_NOT_STARTED, "has not mounted the volumes of pod val-0"),
        arguments(sandbox, StallReason.POD_NOT_STARTED, "has not started the next container"),
        arguments(pod(), StallReason.POD_NOT_STARTED, "has not mounted"),
        arguments(pod(running("seid")), StallReason.UNKNOWN, "waits"),
        arguments(unscheduled(null), StallReason.UNKNOWN, "waits"),
        arguments(
            inits(initializing, waiting("sei-sidecar", "PodInitializing", null)),
            StallReason.POD_NOT_STARTED,
            "has not mounted"),
        arguments(
            inits(initializing, running("sei-sidecar")), StallReason.UNKNOWN, "an init that runs"),
        arguments(null, StallReason.UNKNOWN, "no pod"));
  }

  @ParameterizedTest
  @MethodSource("pods")
  void aPodThatItsKubeletHasNotStartedIsNoFaultOfItsTemplate(
      Pod pod, StallReason reason, String words) {
    Finding finding = Diagnosis.atDeadline(pod, "waits", "look");

    assertThat(finding.reason()).isEqualTo(reason);
    assertThat(finding.seen()).contains(reason == StallReason.UNKNOWN ? "waits" : words);
    assertThat(finding.terminal()).isFalse();
  }

  private static Pod inits(Pod pod, ContainerStatus status) {
    return aPod(withInit(pod, status))
        .edit(
            builder ->
                builder
                    .editSpec()
                    .addNewInitContainer()
                    .withName(status.getName())
                    .withRestartPolicy("Always")
                    .endInitContainer()
                    .endSpec())
        .build();
  }

  @Test
  void neverAdvisesToForceAnything() {
    assertThat(rows().map(row -> Diagnosis.of(row.evidence(), NOW)).flatMap(f -> f.stream()))
        .allSatisfy(finding -> assertThat(finding.message()).doesNotContainIgnoringCase("force"));
  }

  @Test
  void reasonsAreCamelCase() {
    assertThat(Arrays.stream(StallReason.values()).map(StallReason::toString))
        .allMatch(reason -> reason.matches("([A-Z][a-z]+)+"))
        .doesNotHaveDuplicates();
  }
}
