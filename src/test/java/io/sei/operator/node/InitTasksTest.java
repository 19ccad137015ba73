package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.TaskIds;
import io.sei.operator.testkit.Cases;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the tasks of a new node's sidecar, in each mode and from each source of its state. */
class InitTasksTest extends ConfigTestCase {

  private static final String FIRST_PEER = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1";
  private static final String SECOND_PEER = "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1";

  private static final String PEERS =
      "'peers':[{'static':{'addresses':['%s','%s']}}]".formatted(FIRST_PEER, SECOND_PEER);
  private static final String DISCOVER =
      "config-apply {'incremental':true,"
          + "'overrides':{'network.p2p.persistent_peers':'%s,%s'}}"
              .formatted(FIRST_PEER, SECOND_PEER);
  private static final String STATE_SYNC =
      "configure-state-sync {'rpcServers':['h:26657','i:26657']}";
  private static final String LOCAL_SNAPSHOT =
      "configure-state-sync {'useLocalSnapshot':true,'rpcServers':['h:26657','i:26657']}";
  private static final String RESTORE = "snapshot-restore {'targetHeight':1000}";
  private static final String S3 = "'snapshot':{'s3':{'targetHeight':1000}}";
  private static final String FROM_PEERS = "'snapshot':{'stateSync':{}}";

  static Stream<Arguments> modesAndSources() {
    String full = apply("full", "");
    String validator = apply("validator", "");
    String seed = apply("seed", ",'network.p2p.listen_address':'tcp://0.0.0.0:26656'");
    String replayer =
        apply(
            "full",
            ",'storage.state_commit.async_commit_buffer':'100',"
                + "'storage.state_commit.memiavl.snapshot_keep_recent':'2',"
                + "'storage.state_commit.memiavl.snapshot_min_time_interval':'3600'");
    return Cases.of(
        2,
        row("full, genesis", "'fullNode':{}", full),
        row("full, peers", "'fullNode':{}," + PEERS, full, DISCOVER),
        row(
            "full, state sync",
            "'fullNode':{" + FROM_PEERS + "}," + PEERS,
            full,
            DISCOVER,
            STATE_SYNC),
        row(
            "full, S3",
            "'fullNode':{" + S3 + "}," + PEERS,
            RESTORE,
            full,
            DISCOVER,
            LOCAL_SNAPSHOT),
        row("archive", "'archive':{}," + PEERS, apply("archive", ""), DISCOVER),
        row(
            "replayer",
            "'replayer':{" + S3 + "}," + PEERS,
            RESTORE,
            replayer,
            DISCOVER,
            LOCAL_SNAPSHOT),
        row("seed", "'seed':{}," + PEERS, seed, DISCOVER),
        row("validator, genesis", "'validator':{}", validator),
        row(
            "validator, state sync",
            "'validator':{" + FROM_PEERS + "}," + PEERS,
            validator,
            DISCOVER,
            STATE_SYNC),
        row(
            "validator, S3",
            "'validator':{" + S3 + "}," + PEERS,
            RESTORE,
            validator,
            DISCOVER,
            LOCAL_SNAPSHOT));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("modesAndSources")
  void eachTaskIsSubmittedOnceInOrderAcrossARestart(
      String name, String mode, List<String> expected) {
    sidecarFaults().hold(SidecarTaskTypes.CONFIG_APPLY);
    create(specOf(mode));
    eventually(() -> assertThat(executions(SidecarTaskTypes.CONFIG_APPLY)).isEqualTo(1));
    TaskPlan plan = plan();

    operator.restart();
    sidecarFaults().release(SidecarTaskTypes.CONFIG_APPLY);

    awaitUpToDate(A);
    assertThat(submitted()).isEqualTo(expected);
    assertThat(submittedIds()).isEqualTo(idsOf(plan));
    submittedIds().forEach(this::assertAskedForBeforeItWasSubmitted);
    assertThat(node().getStatus().config().hash()).startsWith("c1:");
    assertThat(node().getStatus().config().appliedAt()).isNotNull();
    assertThat(node().getStatus().planHistory()).hasSize(1);
    assertThat(images()).containsExactly(A);
  }

  private static List<String> idsOf(TaskPlan plan) {
    List<PlannedTask> tasks = plan.tasks();
    return tasks.stream()
        .filter(task -> TaskTypes.isOfSidecar(task.type()))
        .map(task -> TaskIds.of(plan.id(), task.type(), tasks.indexOf(task)))
        .toList();
  }

  private void assertAskedForBeforeItWasSubmitted(String id) {
    var requests =
        sidecar.requests(namespace, NODE).stream()
            .filter(
                request ->
                    request.path().endsWith(id)
                        || (request.is("POST", "/v0/tasks") && request.body().contains(id)))
            .toList();
    assertThat(requests.get(0).method()).isEqualTo("GET");
    assertThat(requests.get(0).status()).isEqualTo(404);
    assertThat(requests).filteredOn(request -> request.method().equals("POST")).hasSize(1);
  }

  private static String apply(String mode, String more) {
    return "config-apply {'mode':'%s','incremental':false,'targetVersion':0,'overrides':{'logging.level':'info'%s}}"
        .formatted(mode, more);
  }

  private static Arguments row(String name, String mode, String... middle) {
    var steps =
        Stream.concat(
            Stream.concat(Stream.of(SidecarTaskTypes.CONFIGURE_GENESIS), Stream.of(middle)),
            Stream.of(SidecarTaskTypes.CONFIG_VALIDATE, SidecarTaskTypes.MARK_READY));
    return Arguments.of(name, mode, steps.map(ConfigTestCase::task).toList());
  }
}
