package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.node.NodeTestCase;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Checks the tasks that {@code kubectl sei vote} and {@code unjail} create, and their exit codes.
 */
class KubectlTaskTest extends NodeTestCase {

  private KubectlSei plugin;

  @BeforeEach
  void prepare() {
    plugin = new KubectlSei(controlPlane, namespace);
    sidecar.version(SidecarVersion.V0_0_70);
    createRunning();
  }

  @Test
  void aVoteIsWaitedForAndNotRepeatedAndWhatCannotBeDoneIsSaid() {
    KubectlResult dry = vote(5, "--dry-run=server");
    assertThat(dry.exitCode()).as(dry.stderr()).isZero();
    assertThat(readAll(SeiNodeTask.class)).isEmpty();

    KubectlResult voted = vote(5, "--key=admin");
    assertThat(voted.exitCode()).as(voted.stderr()).isZero();
    assertThat(voted.stdout())
        .contains("seinodetask.sei.io/node-vote-5", "Confirmed: transaction ");
    assertThat(read(SeiNodeTask.class, "node-vote-5").getSpec().govVote().keyName())
        .isEqualTo("admin");

    KubectlResult again = vote(5, "--key=admin");
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.stderr()).contains("already exists");
    assertThat(sidecar.executions(namespace, NODE, "gov-vote")).isEqualTo(1);
    assertSaysWhatTheSidecarCannotDo();
    assertWaitingEndsAndTheTaskGoesOn();
  }

  private void assertSaysWhatTheSidecarCannotDo() {
    KubectlResult refused = plugin.run("unjail", NODE, "--fees=4000usei", "--gas=200000");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.stderr())
        .contains("SidecarUnsupported: sidecar image ", "does not know the task type unjail");
  }

  private void assertWaitingEndsAndTheTaskGoesOn() {
    sidecar.faults(namespace, NODE).hold("gov-vote");

    KubectlResult late = vote(6, "--timeout=5s");

    assertThat(late.exitCode()).isEqualTo(3);
    assertThat(late.stderr())
        .contains("timed out after 5s: snt/node-vote-6: Running", "; the task goes on");
    assertThat(sidecar.executions(namespace, NODE, "gov-vote")).isEqualTo(2);
  }

  private KubectlResult vote(int proposal, String flag) {
    return plugin.run(
        "vote",
        NODE,
        "--proposal=" + proposal,
        "--option=yes",
        "--fees=4000usei",
        "--gas=200000",
        flag);
  }
}
