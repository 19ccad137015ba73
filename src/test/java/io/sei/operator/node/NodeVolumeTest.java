package io.sei.operator.node;

import static io.sei.operator.progression.SidecarTaskTypes.CONFIGURE_GENESIS;
import static io.sei.operator.progression.SidecarTaskTypes.CONFIGURE_STATE_SYNC;
import static io.sei.operator.progression.SidecarTaskTypes.CONFIG_APPLY;
import static io.sei.operator.progression.SidecarTaskTypes.CONFIG_VALIDATE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarHome;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a sidecar has done is on the volume, and counts for whichever node has that volume. */
class NodeVolumeTest extends ConfigTestCase {

  private static final String PEERS =
      "'peers':[{'static':{'addresses':['a@h1:26656','b@h2:26656']}}]";
  private static final String SYNCING = "'fullNode':{'snapshot':{'stateSync':{}}}," + PEERS;
  private static final String MEMPOOL = ",'overrides':{'mempool.size':'10'}";
  private static final String RETAINED = ",'dataVolume':{'onDelete':'Retain'}";
  private static final String CLAIM = "data-node";

  @Test
  void nodeThatIsMadeAgainOnANewVolumeIsBootstrappedInFull() {
    create(specOf(SYNCING + MEMPOOL));
    awaitUpToDate(A);
    delete();
    eventually(() -> assertThat(read(PersistentVolumeClaim.class, CLAIM)).isNull());
    int tasks = submitted().size();

    create(specOf(SYNCING));

    awaitUpToDate(A);
    assertThat(types(tasks))
        .containsExactly(
            CONFIGURE_GENESIS,
            CONFIG_APPLY,
            CONFIG_APPLY,
            CONFIGURE_STATE_SYNC,
            CONFIG_VALIDATE,
            MARK_READY);
    assertThat(home().stateSyncEnabled()).isTrue();
    assertThat(home().settings()).doesNotContainKey("mempool.size");
  }

  @Test
  void nodeThatIsMadeAgainFindsWhatWasDoneOnItsRetainedVolume() {
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(specOf(SYNCING + RETAINED));
    eventually(() -> assertThat(markReadyRuns()).isEqualTo(1));
    SidecarHome before = home();
    assertThat(before.stateSyncEnabled()).isTrue();
    delete();

    create(specOf(SYNCING + RETAINED));

    eventually(() -> assertThat(markReadyRuns()).isEqualTo(2));
    assertThat(home()).isEqualTo(before);
  }

  private void delete() {
    client.resource(node()).delete();
    eventually(
        () -> {
          assertThat(node()).isNull();
          assertThat(statefulSet()).isNull();
          assertThat(pod()).isNull();
        });
  }

  private SidecarHome home() {
    return sidecar.home(namespace, NODE);
  }

  private List<String> types(int after) {
    return submittedAfter(after).stream().map(task -> task.split(" ")[0]).toList();
  }
}
