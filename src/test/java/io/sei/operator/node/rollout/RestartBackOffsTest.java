package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The run that ended is the one that the operator ended, where nothing else is said. */
class RestartBackOffsTest {

  private static final String A = "sei:a";
  private static final String RUN = "containerd://1";

  private boolean machineTakesPods = true;
  private Pod reported = backingOff("1m20s", NOW, 0);
  private final RestartBackOffs backOffs =
      new RestartBackOffs(
          node -> Optional.of(reported), new PerObjectState<>(), pod -> machineTakesPods);

  @ParameterizedTest(name = "{0} of {1}, {2} s ago")
  @CsvSource({
    "a replacement of unknown length takes 60 s, 1m20s, 0,  true",
    "a replacement of unknown length takes 60 s, 1m20s, 19, true",
    "a replacement of unknown length takes 60 s, 1m20s, 20, false",
    "a replacement of unknown length takes 60 s, 40s,   0,  false",
    "the longest back-off,                       5m0s,  0,  true",
    "it is over,                                 5m0s, 300, false",
  })
  void replacesThePodWhereThatIsFaster(String why, String length, int ago, boolean replaced) {
    reported = backingOff(length, NOW.minusSeconds(ago), 0);

    assertThat(planTrigger(ended(RUN))).as(why).matches(trigger -> trigger.isPresent() == replaced);
  }

  @ParameterizedTest(name = "{0} left, {1} s for the last replacement")
  @CsvSource({
    "20s, 8, true",
    "20s, 20, false",
    "10s, 2, false",
    "11s, 2, true",
    "1m20s, 90, false"
  })
  void lengthOfTheLastReplacementDecides(String left, int took, boolean replaced) {
    replacementTook(took);
    reported = backingOff(left, NOW, 0);

    assertThat(planTrigger(ended(RUN))).matches(trigger -> trigger.isPresent() == replaced);
  }

  @Test
  void planUpdatesThePodAndNamesTheCause() {
    assertThat(planTrigger(ended(RUN)))
        .contains(
            PlanTrigger.of(
                PlanTrigger.Rank.START,
                PlanKind.UPDATE,
                "the kubelet would start seid at 2026-06-01T10:01:20Z, and a new pod starts it"
                    + " sooner"));
  }

  @Test
  void keepsThePodWhereItCannotBeReplaced() {
    machineTakesPods = false;
    assertThat(planTrigger(ended(RUN))).as("cordoned, lost or unknown machine").isEmpty();
    machineTakesPods = true;

    assertThat(planTrigger(ended(RUN).atRisk())).as("data at risk").isEmpty();
  }

  @Test
  void crashOfItsOwnIsNotCutShort() {
    assertThat(planTrigger(ended("containerd://0"))).as("another run was ended").isEmpty();
    assertThat(planTrigger(ended(null))).as("none was ended").isEmpty();
    assertThat(reason(ended("containerd://0"))).isEmpty();
  }

  @Test
  void podIsNotReplacedWithoutAMessageOfTheKubelet() {
    reported = backingOff(null, NOW, 0);

    assertThat(planTrigger(ended(RUN))).isEmpty();
    assertThat(reason(ended(RUN)))
        .contains(
            "RestartBackOff: seid was ended for a restart; the kubelet backs off and starts it"
                + " again within five minutes");
  }

  @Test
  void reasonNamesTheEnd() {
    assertThat(reason(ended(RUN)))
        .contains(
            "RestartBackOff: seid was ended for a restart; the kubelet backs off and starts it"
                + " again at 2026-06-01T10:01:20Z");

    reported = backingOff("40s", NOW, 2);
    assertThat(reason(ended(RUN)))
        .contains(
            "RestartBackOff: the configuration was changed after seid crashed with exit code 2; the"
                + " kubelet backs off and starts it again at 2026-06-01T10:00:40Z");
  }

  private Optional<PlanTrigger> planTrigger(NodeSample node) {
    return backOffs.ofBackOff(node.view());
  }

  private Optional<String> reason(NodeSample node) {
    NodePass pass = node.pass();
    backOffs.record(pass);
    return pass.offered(Rank.Ready.POD_NOT_READY)
        .map(offer -> offer.reason() + ": " + offer.message());
  }

  private void replacementTook(int seconds) {
    Pod leaving = aPod(aNode(A)).uid("pod-0").terminating(NOW).build();
    Pod next =
        aPod(aNode(A)).status("seid", seid -> seid.running(NOW.plusSeconds(seconds))).build();
    backOffs.record(of(leaving, null).pass());
    backOffs.record(of(next, null).pass());
  }

  private static NodeSample ended(String run) {
    return of(aPod(aNode(A)).build(), run);
  }

  private static NodeSample of(Pod pod, String endedRun) {
    return aNode(A)
        .running()
        .status(stored -> stored.withEndedRun(endedRun))
        .withPod(pod)
        .sidecar(SidecarHealth.READY);
  }

  private static Pod backingOff(String length, Instant endedAt, int exitCode) {
    String message =
        length == null
            ? null
            : "back-off " + length + " restarting failed container=seid pod=node-0_default(pod-1)";
    return aPod(aNode(A))
        .status(
            "seid",
            seid ->
                seid.waiting("CrashLoopBackOff", message)
                    .lastEnd(End.exit(exitCode, null).ofRun(RUN).at(endedAt)))
        .build();
  }
}
