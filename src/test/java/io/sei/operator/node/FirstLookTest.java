package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which nodes can wait for their first look after a start of the operator. */
class FirstLookTest {

  private static final Instant NOW = Instant.parse("2026-11-26T00:00:00Z");
  private static final TaskPlan PLAN =
      aPlan(PlanKind.UPDATE, "sei:v1", TaskTypes.REPLACE_POD).build();
  private static final Pod READY = aPod("atlantic-0").ready().build();

  private final FirstLook firstLook = new FirstLook(new PerObjectState<>());

  @Test
  void nodesThatAreIdleGetTheirLookOneAfterTheOther() {
    assertThat(firstLook.putOff(idle("atlantic-0"), Optional.of(READY)))
        .contains(Duration.ofMillis(10));
    assertThat(firstLook.putOff(idle("atlantic-1"), Optional.of(READY)))
        .contains(Duration.ofMillis(20));
  }

  @Test
  void noNodeIsPutOffTwice() {
    SeiNode node = idle("atlantic-0");

    firstLook.putOff(node, Optional.of(READY));

    assertThat(firstLook.putOff(node, Optional.of(READY))).isEmpty();
  }

  @Test
  void nodeThatBecomesIdleIsNotPutOff() {
    SeiNode node = idle("atlantic-0");

    firstLook.putOff(node, Optional.empty());

    assertThat(firstLook.putOff(node, Optional.of(READY))).isEmpty();
  }

  static Stream<Arguments> goesFirst() {
    return Stream.of(
        Arguments.of("new", READY, change(node -> node.setStatus(null))),
        Arguments.of("edited", READY, change(node -> node.getMetadata().setGeneration(2L))),
        Arguments.of(
            "being deleted",
            READY,
            change(node -> node.getMetadata().setDeletionTimestamp(NOW.toString()))),
        Arguments.of(
            "initializing",
            READY,
            change(node -> node.setStatus(node.getStatus().withPhase(NodePhase.INITIALIZING)))),
        Arguments.of(
            "with an active plan",
            READY,
            change(node -> node.setStatus(node.getStatus().withPlan(PLAN)))),
        Arguments.of("without a pod", null, change(node -> {})),
        Arguments.of("halted", aPod("atlantic-0").build(), change(node -> {})),
        Arguments.of(
            "with a pod that ends",
            aPod("atlantic-0").ready().terminating(NOW).build(),
            change(node -> {})));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void goesFirst(String which, Pod pod, Consumer<SeiNode> change) {
    SeiNode node = idle("atlantic-0");
    change.accept(node);

    assertThat(firstLook.putOff(node, Optional.ofNullable(pod))).isEmpty();
  }

  private static Consumer<SeiNode> change(Consumer<SeiNode> change) {
    return change;
  }

  private static SeiNode idle(String name) {
    SeiNode node = Samples.node("sei", name, Samples.fullNode("sei:v1"));
    node.getMetadata().setGeneration(1L);
    node.setStatus(SeiNodeStatus.empty().withObservedGeneration(1L).withPhase(NodePhase.RUNNING));
    return node;
  }
}
