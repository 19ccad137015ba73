package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.SidecarVersion;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Hands a changed configuration to the sidecar: overrides, values for files, and what the sidecar
 * refuses.
 */
class ConfigPlanTest extends ConfigTestCase {

  private static final String VALIDATE = SidecarTaskTypes.CONFIG_VALIDATE;
  private static final String MEMPOOL = "{'spec':{'overrides':{'mempool.size':'10'}}}";
  private static final String MEMPOOL_APPLIED =
      apply(true, "'logging.level':'info','mempool.size':'10'");

  private static final String UNKNOWN_KEY = "{'spec':{'overrides':{'no.such':'1'}}}";
  private static final String TAKEN_BACK = "{'spec':{'overrides':null}}";

  @BeforeEach
  void newSidecar() {
    sidecar.version(SidecarVersion.V0_0_70);
  }

  @Test
  void changedConfigurationIsGivenToTheSidecarAndSeidIsRestartedOnceInItsPod() {
    createRunning();
    String before = configHash();
    int tasks = submitted().size();

    patch(
        "{'spec':{'overrides':{'mempool.size':'10'},'externalAddress':'x:1',"
            + "'peers':[{'static':{'addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1']}}]}}");

    eventually(() -> assertThat(configHash()).isNotEqualTo(before));
    awaitUpToDate(A);
    assertThat(submittedAfter(tasks))
        .containsExactly(
            apply(
                true,
                "'logging.level':'info','mempool.size':'10','network.p2p.external_address':'x:1'"),
            task(
                "config-apply {'incremental':true,"
                    + "'overrides':{'network.p2p.persistent_peers':'86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1'}}"),
            VALIDATE,
            SidecarTaskTypes.RESTART_SEID);
    assertThat(node().getStatus().planHistory().get(1)).contains("Config", "Complete");
    stays(() -> assertThat(executions(SidecarTaskTypes.RESTART_SEID)).isEqualTo(1));
    assertThat(
            pod().getStatus().getContainerStatuses().stream()
                .filter(container -> container.getName().equals("seid"))
                .map(ContainerStatus::getRestartCount))
        .containsExactly(1);
    assertThat(images()).containsExactly(A);
    assertThat(podDeletes()).isZero();
    assertThat(node().getStatus().unreadConfig()).isNull();
    assertThat(occurrences("SeidRestarting")).isEqualTo(1);
    assertThat(sidecar.tasks(namespace, NODE))
        .as("nothing is left that a sidecar could do again")
        .noneMatch(task -> task.type().equals(SidecarTaskTypes.RESTART_SEID));
  }

  @Tag("long")
  @Test
  void keyThatIsTakenBackHasTheFilesWrittenAnew() {
    create(spec(A).withOverrides(Map.of("mempool.size", "10")));
    awaitUpToDate(A);
    int tasks = submitted().size();

    patch("{'spec':{'overrides':null}}");

    eventually(() -> assertThat(submittedAfter(tasks)).hasSize(3));
    awaitUpToDate(A);
    assertThat(submittedAfter(tasks))
        .containsExactly(
            apply(false, "'logging.level':'info'"), VALIDATE, SidecarTaskTypes.RESTART_SEID);
    assertThat(images()).containsExactly(A);
  }

  @Tag("long")
  @Test
  void updateConfiguresTheNewPodSoThatADeadSidecarIsNotInItsWay() {
    createRunning(2);
    int tasks = submitted().size();
    sidecarFaults().down();
    patch(MEMPOOL);
    eventually(() -> assertThat(plan().kind()).isEqualTo(PlanKind.CONFIG));
    awaitStalled(StallReason.SIDECAR_UNREACHABLE);

    setImage(B);
    eventually(() -> assertThat(images()).containsExactly(A, B));
    assertThat(submittedAfter(tasks)).isEmpty();
    sidecarFaults().clear();

    awaitUpToDate(B);
    assertThat(submittedAfter(tasks)).containsExactly(MEMPOOL_APPLIED, VALIDATE, MARK_READY);
    assertThat(images()).containsExactly(A, B);
    eventually(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE));
  }

  @Tag("long")
  @Test
  void configurationChangedWhileANodeIsPausedIsThereBeforeItStarts() {
    createRunning();
    patch("{'spec':{'paused':true}}");
    eventually(() -> assertThat(pod()).isNull());
    patch(MEMPOOL);
    int tasks = submitted().size();
    stays(() -> assertThat(submittedAfter(tasks)).isEmpty());

    patch("{'spec':{'paused':false}}");

    awaitUpToDate(A);
    assertThat(submittedAfter(tasks)).containsExactly(MEMPOOL_APPLIED, VALIDATE, MARK_READY);
  }

  @Tag("long")
  @Test
  void configurationChangedMeanwhileIsHandedOverOnceNothingElseWritesTheVolume() {
    sidecarFaults().hold(SidecarTaskTypes.CONFIG_APPLY);
    create(spec(A));
    eventually(() -> assertThat(executions(SidecarTaskTypes.CONFIG_APPLY)).isEqualTo(1));
    String first = plan().id();

    patch(MEMPOOL);
    stays(() -> assertThat(plan().id()).isEqualTo(first));
    sidecarFaults().release(SidecarTaskTypes.CONFIG_APPLY);

    awaitUpToDate(A);
    assertThat(sidecar.requests(namespace, NODE))
        .noneMatch(request -> request.method().equals("DELETE"));
    assertThat(submitted())
        .filteredOn(text -> text.startsWith(SidecarTaskTypes.CONFIG_APPLY))
        .containsExactly(
            apply(false, "'logging.level':'info'"),
            apply(false, "'logging.level':'info','mempool.size':'10'"));
    assertThat(images()).containsExactly(A);
  }

  @Tag("long")
  @Test
  void verdictOfTheValidationIsHeardBeforeTheNodeMayStart() {
    sidecarFaults().failAlways(VALIDATE, "storage.pruning: unknown word often");
    create(spec(A));

    // The backoff adds up to 31 seconds.
    eventually(Duration.ofSeconds(90), () -> assertThat(phase()).isEqualTo(NodePhase.FAILED));
    assertThat(plan().failedTaskDetail().type()).isEqualTo(VALIDATE);
    assertThat(plan().failedTaskDetail().error()).contains("storage.pruning: unknown word often");
    assertThat(executions(VALIDATE)).isEqualTo(6);
    assertThat(markReadyRuns()).isZero();
    assertThat(node().getStatus().config().hash()).as("written, not validated").isEmpty();
    sidecarFaults().clear();

    patch(MEMPOOL);

    awaitUpToDate(A);
    assertThat(images()).containsExactly(A);
  }

  @Test
  void rejectedParametersEndAPlanAndAreNamedUntilTheyChange() {
    createRunning();
    sidecarFaults().reject(SidecarTaskTypes.CONFIG_APPLY, "unknown key mempool.siz");
    patch("{'spec':{'overrides':{'mempool.siz':'10'}}}");

    eventually(() -> assertThat(plan().isFailed()).isTrue());
    assertThat(plan().failedTaskDetail().error())
        .contains("config-apply", "overrides", "unknown key mempool.siz");
    assertThat(plan().failedTaskDetail().retryCount()).isZero();
    assertThat(phase()).isEqualTo(NodePhase.RUNNING);
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, "PlanFailed");
    sidecarFaults().clear();

    patch("{'spec':{'overrides':{'mempool.siz':null,'mempool.size':'10'}}}");

    awaitUpToDate(A);
    assertThat(submitted()).contains(MEMPOOL_APPLIED);
    assertThat(images()).containsExactly(A);
  }

  @Tag("long")
  @Test
  void uploadOfSnapshotsIsStartedOnceAndNotWaitedFor() {
    create(
        specOf("'fullNode':{'snapshotGeneration':{'tendermint':{'keepRecent':2,'publish':{}}}}"));
    awaitUpToDate(A);
    int tasks = submitted().size();

    setImage(B);
    awaitUpToDate(B);

    assertThat(submitted()).filteredOn(SidecarTaskTypes.SNAPSHOT_UPLOAD::equals).hasSize(1);
    assertThat(submittedAfter(tasks)).containsExactly(MARK_READY);
  }

  static Stream<Arguments> uploads() {
    return Cases.of(
        1,
        Arguments.of(SidecarVersion.V0_0_70, 1),
        Arguments.of(SidecarVersion.V0_0_62, 1),
        Arguments.of(SidecarVersion.V0_0_50, 2));
  }

  @ParameterizedTest
  @MethodSource("uploads")
  void uploadThatEndedWithItsSidecarIsStartedAgain(SidecarVersion version, int submissions) {
    sidecar.version(version);
    sidecarFaults().failInterrupted();
    create(
        specOf("'fullNode':{'snapshotGeneration':{'tendermint':{'keepRecent':2,'publish':{}}}}"));
    awaitUpToDate(A);
    int runs = markReadyRuns();

    sidecar.restart(namespace, NODE);

    eventually(() -> assertThat(markReadyRuns()).isEqualTo(runs + 1));
    awaitUpToDate(A);
    assertThat(submitted())
        .filteredOn(SidecarTaskTypes.SNAPSHOT_UPLOAD::equals)
        .hasSize(submissions);
    assertThat(submittedIds()).doesNotHaveDuplicates();
    assertThat(images()).containsExactly(A);
  }

  private NodePhase phase() {
    return node().getStatus().phase();
  }

  private static String apply(boolean incremental, String keys) {
    return task(
        "config-apply {'mode':'full','incremental':%s,'targetVersion':0,'overrides':{%s}}"
            .formatted(incremental, keys));
  }

  /**
   * Reports at once the faults that the sidecar finds in a configuration, and recovers by an edit.
   */
  @Test
  void nodeThatRunsSaysTheSidecarsWordsAtOnce() {
    createRunning();

    patch(UNKNOWN_KEY);

    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("the sidecar refuses the configuration", "unknown override key \"no.such\"");
    assertCondition(NodeConditionType.READY, ConditionStatus.TRUE, NodeReason.POD_READY);
    assertThat(plan().isActive()).as("the plan still tries").isTrue();

    patch(TAKEN_BACK);

    awaitUpToDate(A);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.NOT_STALLED);
    eventually(() -> assertThat(occurrences("Recovered")).isEqualTo(1));
    assertThat(occurrences("Stalled")).isEqualTo(1);
    assertThat(podDeletes()).isZero();
  }

  @Tag("long")
  @Test
  void newNodeSaysTheSidecarsWordsAtOnce() {
    create(specOf("'fullNode':{},'overrides':{'no.such':'1'}"));

    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("unknown override key \"no.such\"");

    patch(TAKEN_BACK);

    awaitUpToDate(A);
  }

  /** Its files have what was refused, so that nothing but writing them again takes that back. */
  @Test
  void configurationThatIsWrittenAndNotFoundValidIsWrittenAgainOnceItIsTakenBack() {
    createRunning();
    sidecarFaults().reject(SidecarTaskTypes.CONFIG_VALIDATE, "no such file");
    int before = submitted().size();
    patch("{'spec':{'overrides':{'mempool.size':'10'}}}");
    awaitStalled(StallReason.SIDECAR_TASK_FAILED);
    sidecarFaults().clear();

    patch(TAKEN_BACK);

    awaitUpToDate(A);
    assertThat(submittedAfter(before))
        .contains(
            task(
                "config-apply {'incremental':false,'mode':'full','targetVersion':0,"
                    + "'overrides':{'logging.level':'info'}}"));
  }

  /** Keys that a user sets in seid's files as they are. */
  @Test
  void valuesAreSetBeforeTheFirstStartChangedTakenOutAndRefusedByName() {
    create(
        specOf(
            "'fullNode':{},'configValues':["
                + "{'fileName':'app.toml','key':'giga.workers','value':16},"
                + "{'fileName':'client.toml','key':'broadcast-mode','value':'sync'}]"));
    awaitUpToDate(A);
    assertValues("16.0", "sync");
    int tasks = submitted().size();

    patch(
        "{'spec':{'configValues':[{'fileName':'app.toml','key':'giga.workers','value':32}],"
            + "'overrides':{'mempool.size':'10'}}}");

    eventually(() -> assertValues("32.0", ""));
    awaitUpToDate(A);
    assertThat(submittedAfter(tasks))
        .containsExactly(
            apply(true, "'logging.level':'info','mempool.size':'10'"),
            task(
                "config-patch {'files':{'app.toml':{'giga':{'workers':32}},"
                    + "'client.toml':{'broadcast-mode':null}}}"),
            VALIDATE,
            SidecarTaskTypes.RESTART_SEID);
    int changed = submitted().size();

    patch("{'spec':{'configValues':null,'overrides':null}}");

    eventually(() -> assertValues("", ""));
    awaitUpToDate(A);
    assertThat(submittedAfter(changed))
        .containsExactly(
            apply(false, "'logging.level':'info'"), VALIDATE, SidecarTaskTypes.RESTART_SEID);
    assertThat(images()).containsExactly(A);
    assertThat(podDeletes()).isZero();
    assertRefusedByName();
  }

  private void assertRefusedByName() {
    assertThatThrownBy(
            () ->
                patch(
                    "{'spec':{'configValues':[{'fileName':'app.toml','key':'a','value':1},"
                        + "{'fileName':'app.toml','key':'a.b','value':1}]}}"))
        .hasMessageContaining("a key and another one within it cannot both be set");
    assertThatThrownBy(
            () ->
                patch("{'spec':{'configValues':[{'fileName':'app.toml','key':'a','value':null}]}}"))
        .hasMessageContaining("spec.configValues[0].value");
    patch(
        "{'spec':{'configValues':[{'fileName':'app.toml','key':'a','value':[9007199254740993]}]}}");

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.INVALID_SPEC);
    assertThat(condition(NodeConditionType.READY).message())
        .contains("spec.configValues[0].value[0]: must be a number");
    patch("{'spec':{'configValues':null}}");

    awaitUpToDate(A);
  }

  /** The sidecar writes them, and seid panics: a validator's configuration has no state store. */
  @Tag("long")
  @Test
  void snapshotsOfAValidatorAreAnInvalidConfiguration() {
    create(specOf("'validator':{},'overrides':{'storage.snapshot_interval':'50'}"));

    awaitCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, StallReason.CONFIG_INVALID);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("SeiDB SS store needs to be enabled when snapshot interval 50 > 0");
    patch("{'spec':{'overrides':null}}");

    awaitUpToDate(A);
  }

  private void assertValues(String workers, String mode) {
    var home = sidecar.home(namespace, NODE);
    assertThat(home.setting("app.toml", "giga.workers").orElse("")).isEqualTo(workers);
    assertThat(home.setting("client.toml", "broadcast-mode").orElse("")).isEqualTo(mode);
  }
}
