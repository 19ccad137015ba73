package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Nodes that can wait for their first reconcile after a start of the operator. */
class StartupThrottleTest {

  private static final Instant NOW = Instant.parse("2026-11-26T00:00:00Z");
  private static final TaskPlan PLAN =
      aPlan(PlanKind.UPDATE, "sei:v1", TaskTypes.REPLACE_POD).build();
  private static final Pod READY = aPod("atlantic-0").ready().build();

  /** Result of a reconcile in these tests. */
  private static final Optional<Duration> RECONCILED = Optional.of(Duration.ofHours(1));

  private final List<String> woken = new ArrayList<>();
  private int begun;
  private final PerObjectState<ResourceID> memory =
      new PerObjectState<>(node -> woken.add(node.getName()));
  private final StartupThrottle startup = new StartupThrottle(memory);

  @Test
  void idleNodesAreReconciledTwoAtATime() {
    whileTwoAreReconciled(
        () -> {
          assertThat(reconcile(idle("atlantic-2"))).contains(StartupThrottle.BACKSTOP);
          assertThat(reconcile(idle("atlantic-3"))).contains(StartupThrottle.BACKSTOP);
          assertThat(woken).isEmpty();
        });

    assertThat(woken).containsExactly("atlantic-2", "atlantic-3");
    assertThat(reconcile(idle("atlantic-2"))).isEqualTo(RECONCILED);
    assertThat(reconcile(idle("atlantic-4"))).isEqualTo(RECONCILED);
    assertThat(woken).hasSize(2);
  }

  /** The caches report the objects of each node one by one, and each report is an event. */
  @Test
  void eventOfANodeThatWaitsMovesNoNode() {
    whileTwoAreReconciled(
        () -> {
          reconcile(idle("atlantic-2"));
          reconcile(idle("atlantic-3"));
          reconcile(idle("atlantic-2"));
        });

    assertThat(woken).containsExactly("atlantic-2", "atlantic-3");
  }

  @Test
  void nodeThatFindsNoPlaceWaitsForTheOthersOnceMore() {
    whileTwoAreReconciled(
        () -> {
          reconcile(idle("atlantic-2"));
          reconcile(idle("atlantic-3"));
        });
    woken.clear();

    whileTwoAreReconciled(
        () -> {
          reconcile(idle("atlantic-4"));
          reconcile(idle("atlantic-2"));
        });

    assertThat(woken).containsExactly("atlantic-4", "atlantic-2");
  }

  @Test
  void nodeThatIsDeletedWhileItWaitsKeepsNoOtherWaiting() {
    whileTwoAreReconciled(
        () -> {
          reconcile(idle("atlantic-2"));
          reconcile(idle("atlantic-3"));
          memory.drop(new ResourceID("atlantic-2", "sei"));
        });

    assertThat(woken).containsExactly("atlantic-3");
  }

  /** It was woken for a place that it needs no more. */
  @Test
  void nodeThatIsNoLongerIdleLeavesItsPlaceToTheNext() {
    whileTwoAreReconciled(
        () ->
            List.of("atlantic-2", "atlantic-3", "atlantic-4")
                .forEach(name -> reconcile(idle(name))));
    woken.clear();

    reconcile(idle("atlantic-2"), Optional.empty());

    assertThat(woken).containsExactly("atlantic-4");
  }

  @Test
  void nodeThatWasReconciledDoesNotWait() {
    reconcile(idle("atlantic-2"));

    whileTwoAreReconciled(() -> assertThat(reconcile(idle("atlantic-2"))).isEqualTo(RECONCILED));
  }

  @Test
  void nodeThatBecomesIdleDoesNotWait() {
    reconcile(idle("atlantic-2"), Optional.empty());

    whileTwoAreReconciled(() -> assertThat(reconcile(idle("atlantic-2"))).isEqualTo(RECONCILED));
  }

  @Test
  void nodeThatWaitsAndIsEditedWaitsNoLonger() {
    SeiNode edited = idle("atlantic-2");
    edited.getMetadata().setGeneration(2L);

    whileTwoAreReconciled(
        () -> {
          reconcile(idle("atlantic-2"));
          assertThat(reconcile(edited)).isEqualTo(RECONCILED);
        });

    assertThat(woken).isEmpty();
  }

  @Test
  void failedReconcileMakesRoomForTheNextNode() {
    for (int i = 0; i < 2 * StartupThrottle.AT_A_TIME; i++) {
      SeiNode node = idle("atlantic-" + i);
      assertThatThrownBy(
              () ->
                  startup.throttle(
                      node,
                      Optional.of(READY),
                      () -> {
                        throw new IllegalStateException("refused");
                      }))
          .hasMessage("refused");
    }
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

    whileTwoAreReconciled(
        () -> assertThat(reconcile(node, Optional.ofNullable(pod))).isEqualTo(RECONCILED));
  }

  private void whileTwoAreReconciled(Runnable meanwhile) {
    startup.throttle(
        idle("first-" + ++begun),
        Optional.of(READY),
        () ->
            startup.throttle(
                idle("second-" + begun),
                Optional.of(READY),
                () -> {
                  meanwhile.run();
                  return RECONCILED;
                }));
  }

  private Optional<Duration> reconcile(SeiNode node) {
    return reconcile(node, Optional.of(READY));
  }

  private Optional<Duration> reconcile(SeiNode node, Optional<Pod> pod) {
    return startup.throttle(node, pod, () -> RECONCILED);
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
