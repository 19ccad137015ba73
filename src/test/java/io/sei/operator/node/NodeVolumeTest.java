package io.sei.operator.node;

import static io.sei.operator.plan.SidecarTaskTypes.CONFIGURE_GENESIS;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIGURE_STATE_SYNC;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIG_APPLY;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIG_VALIDATE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarHome;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The work of a sidecar is on the volume, and counts for whichever node has that volume. */
class NodeVolumeTest extends ConfigTestCase {

  private static final String PEERS =
      "'peers':[{'static':{'addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h1:26656','e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h2:26656']}}]";
  private static final String SYNCING = "'fullNode':{'snapshot':{'stateSync':{}}}," + PEERS;
  private static final String MEMPOOL = ",'overrides':{'mempool.size':'10'}";
  private static final String RETAINED = ",'dataVolume':{'onDelete':'Retain'}";
  private static final String CLAIM = "data-node";
  private static final String BROUGHT = "brought";
  private static final String EARLIER = "earlier";
  private static final String REPLACED_FILES =
      task(
          "config-apply {'mode':'full','incremental':false,'targetVersion':0,"
              + "'overrides':{'logging.level':'info'}}");

  @Tag("long")
  @Test
  void nodeThatIsMadeAgainOnANewVolumeIsBootstrappedInFull() {
    create(specOf(SYNCING + MEMPOOL));
    awaitUpToDate(A);
    delete(NODE);
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

  @Tag("long")
  @Test
  void nodeThatIsMadeAgainFindsWhatWasDoneOnItsRetainedVolume() {
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(specOf(SYNCING + RETAINED));
    eventually(() -> assertThat(markReadyRuns()).isEqualTo(1));
    SidecarHome before = home();
    assertThat(before.stateSyncEnabled()).isTrue();
    delete(NODE);
    awaitLaterSecondThan(read(PersistentVolumeClaim.class, CLAIM));

    create(specOf(SYNCING + RETAINED));

    eventually(() -> assertThat(markReadyRuns()).isEqualTo(2));
    assertThat(home()).isEqualTo(before);
  }

  @Tag("long")
  @Test
  void importedVolumeThatNobodyUsedIsConfiguredInFull() {
    createClaim(BROUGHT);

    create(specOf(SYNCING + importing(BROUGHT)));

    awaitUpToDate(A);
    assertThat(submitted()).contains(REPLACED_FILES);
    assertThat(home().stateSyncEnabled()).isTrue();
  }

  @Test
  @Tag("long")
  void importedHomeOfANodeThatPlayedTheChainIsConfiguredInFull() {
    leave(EARLIER, "'fullNode':{}" + MEMPOOL);

    create(specOf(SYNCING + importing("data-" + EARLIER)));

    awaitUpToDate(A);
    assertThat(submitted()).contains(REPLACED_FILES);
    assertThat(home().settings()).doesNotContainKey("mempool.size");
    assertThat(home().stateSyncEnabled()).isTrue();
  }

  @Test
  void importedHomeKeepsItsStateSyncAndIsConfiguredInFullOnceTheNodeHasSynced() {
    leave(EARLIER, SYNCING + MEMPOOL);
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);

    create(specOf(SYNCING + importing("data-" + EARLIER)));

    eventually(() -> assertThat(markReadyRuns()).isEqualTo(1));
    assertThat(submitted()).doesNotContain(REPLACED_FILES);
    assertThat(home().stateSyncEnabled()).isTrue();
    eventually(() -> assertThat(node().getStatus().config().inherited()).isTrue());

    kubelet.clear(namespace, POD);

    eventually(() -> assertThat(submitted()).contains(REPLACED_FILES));
    awaitUpToDate(A);
    assertThat(home().settings()).doesNotContainKey("mempool.size");
    assertThat(node().getStatus().config().inherited()).isNull();
    assertThat(images()).containsExactly(A);
  }

  /** Has another node use a volume, and go without it before seid was ever Ready. */
  private void leave(String name, String fields) {
    kubelet.inject(namespace, name + "-0", PodFault.NEVER_READY);
    client.resource(Samples.node(namespace, name, specOf(fields + RETAINED))).create();
    eventually(() -> assertThat(sidecar.executions(namespace, name, MARK_READY)).isEqualTo(1));
    delete(name);
  }

  private void delete(String name) {
    client.resource(read(SeiNode.class, name)).delete();
    eventually(
        () -> {
          assertThat(read(SeiNode.class, name)).isNull();
          assertThat(read(StatefulSet.class, name)).isNull();
          assertThat(read(Pod.class, name + "-0")).isNull();
        });
  }

  /** The API server's times are whole seconds: in the same second neither object is older. */
  private void awaitLaterSecondThan(PersistentVolumeClaim claim) {
    Instant created = Instant.parse(claim.getMetadata().getCreationTimestamp());
    eventually(() -> assertThat(Instant.now()).isAfterOrEqualTo(created.plusSeconds(1)));
  }

  private static String importing(String claim) {
    return ",'dataVolume':{'import':{'pvcName':'%s'}}".formatted(claim);
  }

  private SidecarHome home() {
    return sidecar.home(namespace, NODE);
  }

  private List<String> types(int after) {
    return submittedAfter(after).stream().map(task -> task.split(" ")[0]).toList();
  }
}
