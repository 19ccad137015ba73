package io.sei.operator.node.statesync;

import static io.sei.operator.node.model.ConfigFiles.KEPT;
import static io.sei.operator.node.model.ConfigFiles.REPLACED;
import static io.sei.operator.node.model.ConfigFiles.UNDECIDED;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.ConfigFiles;
import io.sei.operator.node.model.ConfigParts;
import io.sei.operator.node.model.EffectiveNode;
import io.sei.operator.node.model.NodeView;
import io.sei.operator.node.model.PlanShape;
import io.sei.operator.node.model.Slot;
import io.sei.operator.progression.PeerResolution;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SpecHash;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StateSyncTest {

  private static final String APPLY = "config-apply";
  private static final String CONFIGURE = "configure-state-sync";
  private static final String BEFORE = "2026-05-01T00:00:00Z";
  private static final String CREATED = "2026-05-02T00:00:00Z";
  private static final String AFTER = "2026-05-02T00:00:01Z";

  static Stream<Arguments> volumes() {
    SeiNodeStatus fresh = SeiNodeStatus.empty();
    SeiNode node = node();
    SeiNode importing = node();
    importing.setSpec(importing.getSpec().withDataVolume(Samples.imported("old")));
    SeiNode playing = aNode("a").build();
    return Stream.of(
        row("first plan", REPLACED, node, fresh, null, null),
        row("claim of this node", REPLACED, node, fresh, AFTER, null),
        row("claim of the same second", REPLACED, node, fresh, CREATED, null),
        row("claim retained by an earlier node", UNDECIDED, node, fresh, BEFORE, null),
        row("imported claim", UNDECIDED, importing, fresh, null, null),
        row("chain is played, retained claim", REPLACED, playing, fresh, BEFORE, null),
        row(
            "imported claim, plan that got to it",
            KEPT,
            importing,
            with(plan(1, APPLY, CONFIGURE)),
            null,
            null),
        row("plan that did not get to it", REPLACED, node, with(plan(1, APPLY)), null, null),
        row("plan that got to it", KEPT, node, with(plan(1, APPLY, CONFIGURE)), null, null),
        row("plan that did it", KEPT, node, with(plan(2, APPLY, CONFIGURE)), null, null),
        row("plan after that one", KEPT, node, with(keeping(plan(0, APPLY))), null, null),
        row(
            "runs, and syncs",
            KEPT,
            node,
            aNode("a").running().status(),
            null,
            aPod(aNode("a")).build()),
        row(
            "runs, and is Ready",
            REPLACED,
            node,
            aNode("a").running().status(),
            null,
            aPod(aNode("a")).ready().build()),
        row(
            "was Ready once",
            REPLACED,
            node,
            aNode("a").running().status().withSyncedAt(NOW),
            BEFORE,
            aPod(aNode("a")).build()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("volumes")
  void filesAreKeptWhileStateSyncMayBeConfiguredInThem(
      String name, ConfigFiles files, SeiNode node, SeiNodeStatus status, String claim, Pod pod) {
    var parts = new ConfigParts(PlanShape.CONFIG);

    new StateSync().config(snapshot(node, status, claim, pod), parts);

    assertThat(parts.files()).isEqualTo(files);
  }

  static Stream<Arguments> restarts() {
    SeiNode asked = asked(node());
    SeiNode naming = asked(node());
    naming.setSpec(naming.getSpec().withOverrides(Map.of("state_sync.trust_height", "8000")));
    SeiNode restoring = asked(node());
    var s3 = new Snapshot(new Snapshot.S3(1000L), null, null, null, null);
    restoring.setSpec(restoring.getSpec().withFullNode(new FullNode(s3, null)));
    SeiNodeStatus running = aNode("a").running().status();
    return Stream.of(
        Arguments.of("asked for", asked, running, PlanShape.UPDATE, true),
        Arguments.of("for the pod there is", asked, running, PlanShape.CONFIG, false),
        Arguments.of("after a Job", asked, running, PlanShape.AFTER_JOB, false),
        Arguments.of("not asked for", node(), running, PlanShape.UPDATE, false),
        Arguments.of("has synced", asked, running.withSyncedAt(NOW), PlanShape.UPDATE, false),
        Arguments.of("names its block", naming, running, PlanShape.UPDATE, false),
        Arguments.of("has files from S3", restoring, running, PlanShape.UPDATE, false),
        Arguments.of(
            "plays the chain", asked(aNode("a").build()), running, PlanShape.UPDATE, false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("restarts")
  void trustedBlockIsRenewedWithARestart(
      String name, SeiNode node, SeiNodeStatus status, PlanShape shape, boolean renewed) {
    var parts = new ConfigParts(shape);
    NodeView view = snapshot(node, status, null, aPod(aNode("a")).build());

    new StateSync().config(view, parts);

    assertThat(parts.isAgain()).isEqualTo(renewed);
    assertThat(new StateSync().steps(view, shape, Slot.EXTEND)).hasSize(renewed ? 1 : 0);
  }

  private static SeiNode asked(SeiNode node) {
    node.getMetadata().setAnnotations(Map.of(Annotations.RESTART_REQUESTED_AT, "now"));
    return node;
  }

  private static NodeView snapshot(SeiNode node, SeiNodeStatus status, String claimed, Pod pod) {
    var claim =
        Optional.ofNullable(claimed)
            .map(
                created ->
                    new PersistentVolumeClaimBuilder()
                        .withNewMetadata()
                        .withCreationTimestamp(created)
                        .endMetadata()
                        .build());
    return new NodeView(
        new EffectiveNode(node, node, List.of(), List.of()),
        status,
        SpecHash.of(node),
        NodeSample.SIDECAR_IMAGE,
        Optional.empty(),
        Optional.ofNullable(pod),
        Optional.empty(),
        List.of(),
        claim,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        PeerResolution.NONE,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        NOW);
  }

  private static SeiNode node() {
    SeiNode node = aNode("a").build();
    node.getMetadata().setCreationTimestamp(CREATED);
    var view = new Snapshot(null, new Snapshot.StateSync(), null, null, null);
    node.setSpec(node.getSpec().withFullNode(new FullNode(view, null)));
    return node;
  }

  private static SeiNodeStatus with(TaskPlan plan) {
    return SeiNodeStatus.empty().withPlan(plan);
  }

  private static TaskPlan plan(int complete, String... types) {
    return aPlan(PlanKind.INIT, "a", types).complete(complete).build();
  }

  private static TaskPlan keeping(TaskPlan plan) {
    UnaryOperator<PlannedTask> incremental =
        task -> task.withParams(JsonNodeFactory.instance.objectNode().put("incremental", true));
    return plan.withTasks(plan.tasks().stream().map(incremental).toList());
  }

  private static Arguments row(
      String name, ConfigFiles files, SeiNode node, SeiNodeStatus status, String claim, Pod pod) {
    return Arguments.of(name, files, node, status, claim, pod);
  }
}
