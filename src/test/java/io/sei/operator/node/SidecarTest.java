package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.api.v1alpha1.SidecarStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.testkit.SidecarVersion;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SidecarTest extends RolloutTestCase {

  private static final String DISCOVER_PEERS = "discover-peers";
  private static final PeerSource.Ec2Tags BY_TAGS =
      new PeerSource.Ec2Tags("eu-1", Map.of("chain", "atlantic-2"));

  @Test
  void restartedSidecarIsMarkedReadyAndThePodLives() {
    createRunning();
    String pod = podUid();
    int runs = markReadyRuns();
    try (var versions = new NodeVersions(client, namespace)) {
      sidecar.restart(namespace, NODE);

      eventually(() -> assertThat(markReadyRuns()).isEqualTo(runs + 1));
      awaitUpToDate(A);
      assertThat(versions.seen(SeiNodeStatus::plan).stream().map(TaskPlan::kind).distinct())
          .containsExactly(PlanKind.MARK_READY);
    }
    eventually(() -> assertCondition(NodeConditionType.SIDECAR_READY, ConditionStatus.TRUE));
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
    assertThat(markReadyRuns()).isEqualTo(runs + 1);
  }

  @Test
  void taskThatTheSidecarDoesNotKnowIsNotSubmittedAgainToTheSameImage() {
    sidecar.version(SidecarVersion.V0_0_62);
    create(spec(A).withPeers(List.of(new PeerSource(BY_TAGS, null, null))));
    awaitUnsupported();
    String first = plan().id();
    SidecarStatus known = node().getStatus().sidecar();
    assertThat(known.image()).isEqualTo(node().getStatus().currentSidecarImage());
    assertThat(known.unknownTaskTypes()).containsExactly(DISCOVER_PEERS);

    operator.restart();
    patch("{'spec':{'overrides':{'mempool.size':'10'}}}");

    eventually(() -> assertThat(plan().id()).isNotEqualTo(first));
    awaitUnsupported();
    assertThat(node().getStatus().sidecar()).isEqualTo(known);
    assertThat(
            sidecar.requests(namespace, NODE).stream()
                .filter(request -> request.is("POST", "/v0/tasks"))
                .filter(request -> request.body().contains(DISCOVER_PEERS)))
        .hasSize(1);

    sidecar.version(SidecarVersion.V0_0_50);
    patch("{'spec':{'sidecar':{'image':'seictl:older'}}}");

    awaitUpToDate(A);
    assertThat(node().getStatus().sidecar()).isNull();
  }

  /** It has no program seictl, and its entry point says {@code serve} itself. */
  @Tag("long")
  @Test
  void sidecarOfTheGoOperatorsTreeIsStartedToo() {
    sidecar.version(SidecarVersion.IN_TREE);
    create(spec(A).withSidecar(new SidecarSpec("sei-sidecar:186d65a", null, null)));

    awaitUpToDate(A);
    assertCondition(NodeConditionType.SIDECAR_READY, ConditionStatus.TRUE);
  }

  private void awaitUnsupported() {
    eventually(
        () -> {
          assertThat(plan().currentTask().orElseThrow().reason())
              .isEqualTo(StallReason.SIDECAR_UNSUPPORTED.toString());
          assertCondition(
              NodeConditionType.SIDECAR_READY,
              ConditionStatus.FALSE,
              NodeReason.SIDECAR_UNSUPPORTED);
        });
  }
}
