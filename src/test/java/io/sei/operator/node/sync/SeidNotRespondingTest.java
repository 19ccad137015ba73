package io.sei.operator.node.sync;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.SyncState;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.ManualExecutor;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A seid whose process runs, and whose RPC has stopped answering. */
class SeidNotRespondingTest {

  private static final String A = "sei:a";
  private static final NodeSample RUNNING = aNode(A).running();
  private static final Instant BEGAN = NOW.minusSeconds(600);

  private final List<String> woken = new ArrayList<>();
  private final ManualExecutor<ResourceID> executor = ManualExecutor.lazy(NOW);
  private final Clock clock = executor.clock();
  private boolean hangs;

  private final SyncPoller poller =
      new SyncPoller(
          (rpc, chain) ->
              hangs
                  ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
                  : CompletableFuture.completedFuture(upToDate()),
          clock,
          executor.polling(new PerObjectState<>(node -> woken.add(node.getName()))));

  private final CaughtUp feature = new CaughtUp(poller);

  @Test
  void silentSeidIsFoundWithinAMinuteAndGoesWithItsCause() {
    runFor(120, ready());
    hangs = true;
    runFor(36, ready());
    runFor(23, unready("run-1"));

    Finding finding = found(unready("run-1")).orElseThrow();
    assertThat(finding.reason()).isEqualTo(StallReason.SEID_NOT_RESPONDING);
    assertThat(finding.terminal()).isFalse();
    assertThat(finding.message())
        .startsWith("the process of seid runs, and its RPC has not answered since 2026-06-01T10:0")
        .contains("the operator does not restart it");
    assertThat(caughtUp(unready("run-1")))
        .returns("SeidNotResponding", Condition::reason)
        .extracting(Condition::message)
        .asString()
        .doesNotContain("replayed");

    hangs = false;
    runFor(4, unready("run-1"));

    assertThat(found(unready("run-1"))).isEmpty();
    assertThat(caughtUp(unready("run-1")).isTrue()).isTrue();
  }

  @Test
  void silenceRequestsAReconcile() {
    runFor(120, ready());
    hangs = true;
    runFor(1, unready("run-1"));
    woken.clear();
    runFor(24, unready("run-1"));

    assertThat(woken).containsExactly("node");
  }

  @Test
  void readyNodeDoesNotHang() {
    runFor(120, ready());
    hangs = true;
    runFor(120, ready());

    assertThat(found(ready())).as("a NetworkPolicy keeps the operator from it").isEmpty();
  }

  @Test
  void aRunThatHasYetToServeStarts() {
    runFor(120, ready());
    hangs = true;
    runFor(600, unready("run-2"));

    assertThat(found(unready("run-2"))).isEmpty();
  }

  @Test
  void hangBeforeTheOperatorStartedIsKnownByItsPod() {
    hangs = true;
    runFor(26, unready("run-1"));

    assertThat(found(unready("run-1")))
        .map(Finding::reason)
        .contains(StallReason.SEID_NOT_RESPONDING);
  }

  @Test
  void runThatAPlanIsAboutToEndHasLonger() {
    runFor(120, ready());
    hangs = true;
    runFor(60, unready("run-1"));
    NodeSample planned = RUNNING.plan(aPlan(PlanKind.UPDATE, A, "some-task").build());

    assertThat(found(planned, unready("run-1"))).isEmpty();
    runFor(120, unready("run-1"));
    assertThat(found(planned, unready("run-1"))).isPresent();
  }

  private SyncState upToDate() {
    return new SyncState(
        "atlantic-2",
        900,
        clock.instant(),
        false,
        Optional.of(900L),
        Optional.of(3),
        Optional.empty());
  }

  /** Reconciles, and then lets time pass. */
  private void runFor(int seconds, Pod pod) {
    found(pod);
    executor.advance(Duration.ofSeconds(seconds));
  }

  private Optional<Finding> found(Pod pod) {
    return found(RUNNING, pod);
  }

  private Optional<Finding> found(NodeSample node, Pod pod) {
    NodePass pass = pass(node, pod);
    feature.record(pass);
    return pass.found();
  }

  private Condition caughtUp(Pod pod) {
    NodePass pass = pass(RUNNING, pod);
    feature.report(pass);
    return Conditions.find(pass.draft().conditions(), NodeConditionType.CAUGHT_UP).orElseThrow();
  }

  private NodePass pass(NodeSample node, Pod pod) {
    return node.withPod(pod).sidecar(SidecarHealth.READY).now(clock.instant()).pass();
  }

  private static Pod ready() {
    return aPod(aNode(A))
        .condition("Ready", "True", BEGAN.plusSeconds(20))
        .status("seid", seid -> seid.run("run-1").running(BEGAN).started(true).ready())
        .build();
  }

  /** A kubelet may say of a run that it has started because the one before had. */
  private static Pod unready(String run) {
    Instant began = run.equals("run-1") ? BEGAN : NOW.plusSeconds(149);
    return aPod(aNode(A))
        .condition("Ready", "False", NOW.plusSeconds(150))
        .status("seid", seid -> seid.run(run).running(began).started(true))
        .build();
  }
}
