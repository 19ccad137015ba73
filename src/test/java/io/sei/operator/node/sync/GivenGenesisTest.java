package io.sei.operator.node.sync;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeGenesis;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Conditions and findings of a genesis in a ConfigMap. */
class GivenGenesisTest {

  private static final String A = "sei:a";
  private static final GivenGenesis FEATURE = new GivenGenesis(null);
  private static final SeiNodeStatus RUNNING = aNode(A).running().status();

  static Stream<Arguments> pods() {
    return Stream.of(
        arguments("the container ended well", withEnd(End.exit(0, null)), "True/GenesisInstalled"),
        arguments("it found another", withEnd(End.exit(0, "differs\n")), "False/GenesisMismatch"),
        arguments("it failed", withEnd(End.exit(1, "there is no key")), null),
        arguments("it has not run", aPod(aNode(A)).build(), null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pods")
  void endOfTheContainerShowsTheGenesisOfTheVolume(String name, Pod pod, String expected) {
    assertThat(said(report(RUNNING, Optional.of(pod)))).isEqualTo(expected);
  }

  @Test
  void conditionStaysWhileThereIsNoPod() {
    SeiNodeStatus differs = report(RUNNING, Optional.of(withEnd(End.exit(0, "differs"))));

    assertThat(said(report(differs, Optional.empty()))).isEqualTo("False/GenesisMismatch");
  }

  @Test
  void differenceIsAnEventOnce() {
    SeiNodeStatus same = report(RUNNING, Optional.of(withEnd(End.exit(0, null))));
    SeiNodeStatus differs = report(same, Optional.of(withEnd(End.exit(0, "differs"))));

    assertThat(events(same, differs))
        .singleElement()
        .satisfies(event -> assertThat(event.reason()).isEqualTo("GenesisMismatch"))
        .satisfies(
            event ->
                assertThat(event.message())
                    .startsWith("the genesis on claim data-node, which seid began with, is not"));
    assertThat(events(differs, differs)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"GenesisMissing, false", "GenesisMismatch, true"})
  void taskThatWaitsIsAFinding(String reason, boolean terminal) {
    var pass = pass(waiting(reason), Optional.empty(), false);

    FEATURE.record(pass);
    FEATURE.report(pass);

    Finding finding = pass.found().orElseThrow();
    assertThat(finding.reason()).hasToString(reason);
    assertThat(finding.terminal()).isEqualTo(terminal);
    assertThat(finding.message()).startsWith("why; put the genesis of the chain");
    assertThat(said(pass.draft())).isEqualTo("False/" + reason);
  }

  @Test
  void nodeThatIsStoppedWaitsForNothing() {
    var pass = pass(waiting("GenesisMissing"), Optional.empty(), true);

    FEATURE.record(pass);

    assertThat(pass.found()).isEmpty();
  }

  private static SeiNodeStatus waiting(String reason) {
    TaskPlan plan = aPlan(PlanKind.INIT, A, "validate-genesis").build();
    PlannedTask task =
        plan.tasks().getFirst().with(builder -> builder.reason(reason).message("why"));
    return SeiNodeStatus.empty()
        .with(builder -> builder.phase(NodePhase.INITIALIZING).plan(plan.withTasks(List.of(task))));
  }

  private static Pod withEnd(End end) {
    return aPod(aNode(A)).initStatuses(ContainerSample.named("genesis").ended(end).build()).build();
  }

  private static NodePass pass(SeiNodeStatus status, Optional<Pod> pod, boolean paused) {
    var genesis = new NodeGenesis(new NodeGenesis.ConfigMapKey("chain", null));
    return aNode(A)
        .spec(spec -> spec.withGenesis(genesis).withPaused(paused))
        .status(status)
        .pod(pod)
        .sidecar(SidecarHealth.READY)
        .pass();
  }

  private static SeiNodeStatus report(SeiNodeStatus status, Optional<Pod> pod) {
    var pass = pass(status, pod, false);
    FEATURE.report(pass);
    return pass.draft();
  }

  private static String said(SeiNodeStatus status) {
    return Conditions.find(status.conditions(), NodeConditionType.GENESIS_READY)
        .map(condition -> condition.status() + "/" + condition.reason())
        .orElse(null);
  }

  private static List<ObjectEvent> events(SeiNodeStatus before, SeiNodeStatus after) {
    return EventRule.told(NodeFeature.conditionsOf(List.of(FEATURE)).events(), before, after);
  }
}
