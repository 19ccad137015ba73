package io.sei.operator.node.sync;

import static io.sei.operator.node.feature.ConfigFiles.KEPT;
import static io.sei.operator.node.feature.ConfigFiles.REPLACED;
import static io.sei.operator.node.feature.ConfigFiles.UNDECIDED;
import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.ConfigFiles;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StateSyncTest {

  private static final String APPLY = "config-apply";
  private static final String CONFIGURE = "configure-state-sync";
  private static final String BEFORE = "2026-05-01T00:00:00Z";
  private static final String CREATED = "2026-05-02T00:00:00Z";
  private static final String AFTER = "2026-05-02T00:00:01Z";
  private static final NodeSample SYNCS =
      from(
          aNode("a").metadata(metadata -> metadata.withCreationTimestamp(CREATED)),
          new Snapshot(null, new Snapshot.StateSync(), null, null, null));

  static Stream<Arguments> volumes() {
    NodeSample importing = SYNCS.spec(spec -> spec.withDataVolume(Samples.imported("old")));
    return Stream.of(
        row("first plan", REPLACED, SYNCS),
        row("claim of this node", REPLACED, withClaim(SYNCS, AFTER)),
        row("claim of the same second", REPLACED, withClaim(SYNCS, CREATED)),
        row("claim retained by an earlier node", UNDECIDED, withClaim(SYNCS, BEFORE)),
        row("imported claim", UNDECIDED, importing),
        row("chain is played, retained claim", REPLACED, withClaim(aNode("a"), BEFORE)),
        row("imported claim, plan that got to it", KEPT, importing.plan(plan(1, APPLY, CONFIGURE))),
        row("plan that did not get to it", REPLACED, SYNCS.plan(plan(1, APPLY))),
        row("plan that got to it", KEPT, SYNCS.plan(plan(1, APPLY, CONFIGURE))),
        row("plan that did it", KEPT, SYNCS.plan(plan(2, APPLY, CONFIGURE))),
        row("plan after that one", KEPT, SYNCS.plan(keeping(plan(0, APPLY)))),
        row("runs, and syncs", KEPT, SYNCS.running().withPod()),
        row("runs, and is Ready", REPLACED, SYNCS.running().withReadyPod()),
        row("was Ready once", REPLACED, withClaim(synced(SYNCS.running()).withPod(), BEFORE)));
  }

  @Test
  void witnessesThatAPlanWaitsForAreTheCause() {
    TaskPlan plan = plan(0, CONFIGURE);
    PlannedTask waiting =
        plan.tasks()
            .getFirst()
            .with(task -> task.reason("WitnessesMissing").message("there is none"));
    NodePass pass = SYNCS.plan(plan.withTasks(List.of(waiting))).pass();

    StateSync.awaitWitnesses(pass);

    assertThat(pass.found())
        .contains(
            new Finding(
                StallReason.WITNESSES_MISSING,
                "there is none",
                "the node goes on by itself once it has them",
                false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("volumes")
  void filesAreKeptWhileStateSyncMayBeConfiguredInThem(
      String name, ConfigFiles files, NodeSample node) {
    var parts = new ConfigParts(PlanShape.CONFIG);

    new StateSync().config(node.view(), parts);

    assertThat(parts.files()).isEqualTo(files);
  }

  static Stream<Arguments> restarts() {
    NodeSample asked = asked(SYNCS);
    NodeSample naming =
        asked.spec(spec -> spec.withOverrides(Map.of("state_sync.trust_height", "8000")));
    NodeSample restoring =
        from(asked, new Snapshot(new Snapshot.S3(1000L), null, null, null, null));
    return Stream.of(
        Arguments.of("asked for", asked, PlanShape.UPDATE, true),
        Arguments.of("for the pod there is", asked, PlanShape.CONFIG, false),
        Arguments.of("after a Job", asked, PlanShape.AFTER_JOB, false),
        Arguments.of("not asked for", SYNCS.running(), PlanShape.UPDATE, false),
        Arguments.of("has synced", synced(asked), PlanShape.UPDATE, false),
        Arguments.of("names its block", naming, PlanShape.UPDATE, false),
        Arguments.of("has files from S3", restoring, PlanShape.UPDATE, false),
        Arguments.of("plays the chain", asked(aNode("a")), PlanShape.UPDATE, false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("restarts")
  void trustedBlockIsRenewedWithARestart(
      String name, NodeSample node, PlanShape shape, boolean renewed) {
    var parts = new ConfigParts(shape);
    NodeView view = node.withPod().view();

    new StateSync().config(view, parts);

    assertThat(parts.isAgain()).isEqualTo(renewed);
    assertThat(StateSync.steps(view, shape)).hasSize(renewed ? 1 : 0);
  }

  /** A running node whose restart the user asked for. */
  private static NodeSample asked(NodeSample node) {
    return node.running().annotation(Annotations.RESTART_REQUESTED_AT, "now");
  }

  private static NodeSample synced(NodeSample node) {
    return node.status(status -> status.withSyncedAt(NOW));
  }

  private static NodeSample withClaim(NodeSample node, String created) {
    return node.claim(aClaim().created(created));
  }

  private static NodeSample from(NodeSample node, Snapshot snapshot) {
    return node.spec(spec -> spec.withFullNode(new FullNode(snapshot, null)));
  }

  private static TaskPlan plan(int complete, String... types) {
    return aPlan(PlanKind.INIT, "a", types).complete(complete).build();
  }

  private static TaskPlan keeping(TaskPlan plan) {
    UnaryOperator<PlannedTask> incremental =
        task -> task.withParams(JsonNodeFactory.instance.objectNode().put("incremental", true));
    return plan.withTasks(plan.tasks().stream().map(incremental).toList());
  }

  private static Arguments row(String name, ConfigFiles files, NodeSample node) {
    return Arguments.of(name, files, node);
  }
}
