package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.config.Configuration;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.status.NodeEvents;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.sidecar.SidecarHealth;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Without each feature in turn, a node is observed, its plans are decided on, and its status is
 * derived. Hooks that act or shape a pod are not called here, but by {@link
 * NodeFeaturesOnClusterTest}.
 */
class NodeFeaturesTest {

  private static final String A = "sei:a";
  private static final String B = "sei:b";

  private List<NodeFeature> features;

  static Stream<Class<? extends NodeFeature>> features() {
    return OfflineNode.FEATURES.stream().map(NodeFeature::getClass);
  }

  @ParameterizedTest(name = "without {0}")
  @MethodSource("features")
  void startUpdateAndPauseAreDecidedOn(Class<? extends NodeFeature> off) {
    features = OfflineNode.FEATURES.stream().filter(feature -> feature.getClass() != off).toList();
    SeiNode paused = aNode(A).spec(spec -> spec.withPaused(true)).build();

    SeiNodeStatus starts = pass(aNode(A).view(), "PhaseTransition");
    SeiNodeStatus runs = pass(withPod(aNode(A).build(), aNode(A).running().status()));
    SeiNodeStatus updates = pass(withPod(aNode(B).build(), runs));
    SeiNodeStatus pauses = pass(aNode(paused).status(runs).view(), "Paused");

    assertThat(starts.plan().kind()).isEqualTo(PlanKind.INIT);
    assertThat(starts.phase()).isEqualTo(NodePhase.INITIALIZING);
    assertThat(runs.plan()).isNull();
    assertThat(is(runs, NodeConditionType.READY)).isTrue();
    assertThat(is(runs, NodeConditionType.UP_TO_DATE)).isTrue();
    assertThat(updates.plan().kind()).isEqualTo(PlanKind.UPDATE);
    assertThat(is(updates, NodeConditionType.NODE_UPDATE_IN_PROGRESS)).isTrue();
    assertThat(pauses.plan()).isNull();
    assertThat(is(pauses, NodeConditionType.PAUSED)).isTrue();
  }

  /** Renderers, configuration and vetoes are built with the first features only. */
  @Test
  void onlyFeaturesOfPodsShapePodsAndVeto() {
    int first = OfflineNode.POD_FEATURES.size();
    assertThat(OfflineNode.FEATURES.subList(0, first)).isEqualTo(OfflineNode.POD_FEATURES);
    assertThat(OfflineNode.FEATURES.subList(first, OfflineNode.FEATURES.size()))
        .filteredOn(feature -> !(feature instanceof Configuration))
        .allSatisfy(
            feature ->
                assertThat(feature.getClass().getDeclaredMethods())
                    .extracting(Method::getName)
                    .doesNotContain("pod", "config", "veto"));
  }

  private static NodeView withPod(SeiNode node, SeiNodeStatus status) {
    PersistentVolumeClaim claim =
        yaml(PersistentVolumeClaim.class, "metadata: {name: data-node, uid: claim-1}");
    return aNode(node)
        .status(status)
        .withPod(aPod(aNode(A)).ready())
        .sidecar(SidecarHealth.READY)
        .view()
        .with(builder -> builder.claim(Optional.of(claim)));
  }

  /** The status after a pass, apart from requests to other processes. */
  private SeiNodeStatus pass(NodeView view, String... told) {
    var reconcile = new NodePass(view);
    boolean acts = !view.isPaused();
    assertThat(features).allMatch(feature -> !acts || feature.observe(reconcile).goesOn());
    var operations = NodeFeature.operationsOf(features);
    PlanDecision decision = new NodePlanner(plan -> true, operations).decide(view);
    if (acts && decision instanceof PlanDecision.Start start) {
      var tasks = new NodePlans(operations).of(start.kind(), view);
      reconcile.update(
          status ->
              NodeStatus.planned(
                  status,
                  tasks.supersede(
                      null, OfflineNode.ENGINE::traits, "plan", start.attempt(), view.now())));
    }
    var conditions = NodeFeature.conditionsOf(features);
    NodeStatus.record(reconcile, conditions);
    NodeStatus.derive(
        reconcile, Optional.empty(), new ProgressDeadline(Duration.ofMinutes(10)), conditions);
    SeiNodeStatus after = NodeStatus.concluded(view.stored(), reconcile.draft(), 1L, view.now());
    assertThat(NodeEvents.between(view.stored(), after, conditions))
        .extracting(ObjectEvent::reason)
        .contains(told);
    return after;
  }

  private static boolean is(SeiNodeStatus status, NodeConditionType type) {
    return Conditions.isTrue(status.conditions(), type);
  }
}
