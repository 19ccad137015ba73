package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SidecarStatus;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.diagnosis.NodeFacts.State;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Every act beside every state of the machine, for a node that serves or does not, whose volume is
 * tied to the machine or is not, and whatever a user asked for.
 */
class LeavingMachineTest {

  private static final String MACHINE = "m-1";

  enum Wish {
    NOTHING,
    /** {@code kubectl sei restart}, after the pod was made. */
    A_RESTART,
    /** The pod was made for it. */
    AN_EARLIER_RESTART,
    /** A task that has the sidecar restart seid in its pod. */
    A_TASK,
    /** The same, with a sidecar that cannot: the pod is replaced. */
    A_TASK_OF_AN_OLD_SIDECAR,
    A_HOLD,
    A_PAUSE
  }

  enum Pod {
    NONE,
    SERVES,
    DOES_NOT_SERVE
  }

  record Row(IrreversibleAct act, State machine, Pod pod, boolean isPinned, Wish wish) {

    /** Returns true if the act has to wait. */
    boolean waits() {
      if (machine != State.LEAVING || pod == Pod.NONE) {
        return false;
      }
      return switch (act) {
        case INTERRUPT_SEID -> pod == Pod.SERVES && wish != Wish.A_RESTART && wish != Wish.A_HOLD;
        case UPDATE_POD -> isPinned && wish != Wish.A_TASK;
        case END_POD -> isPinned && wish != Wish.A_PAUSE;
        case START_POD, RELEASE_SEID -> false;
      };
    }
  }

  @Test
  void nodeThatServesOnAMachineThatLeavesIsLeftAlone() {
    List<Row> rows = rows();

    for (Row row : rows) {
      Veto veto = veto(row);
      assertThat(!veto.isNone()).as(row.toString()).isEqualTo(row.waits());
      if (veto instanceof Veto.Refusal refusal) {
        assertThat(refusal.reason()).isEqualTo(TaskReason.MACHINE_LEAVING);
        assertThat(refusal.message()).startsWith("Kubernetes node m-1 is cordoned");
      }
    }
    assertThat(rows).hasSizeGreaterThan(500);
  }

  /** The API server does not answer, or the pod is not bound. */
  @Test
  void machineThatIsNotKnownVetoesNothing() {
    var feature = new LeavingMachine(pod -> Optional.empty(), node -> true);

    for (IrreversibleAct act : IrreversibleAct.values()) {
      assertThat(feature.veto(act, aNode("sei:a").withReadyPod().pass()).isNone()).isTrue();
    }
  }

  private static List<Row> rows() {
    var rows = new ArrayList<Row>();
    for (IrreversibleAct act : IrreversibleAct.values()) {
      for (State machine : State.values()) {
        for (Pod pod : Pod.values()) {
          for (boolean isPinned : new boolean[] {false, true}) {
            for (Wish wish : Wish.values()) {
              rows.add(new Row(act, machine, pod, isPinned, wish));
            }
          }
        }
      }
    }
    return rows;
  }

  private static Veto veto(Row row) {
    NodeFacts facts =
        row.machine() == State.LEAVING
            ? new NodeFacts(MACHINE, State.LEAVING, "is cordoned")
            : new NodeFacts(MACHINE, row.machine());
    return new LeavingMachine(pod -> Optional.of(facts), node -> row.isPinned())
        .veto(row.act(), pass(row));
  }

  private static NodePass pass(Row row) {
    NodeSample node =
        switch (row.wish()) {
          case NOTHING -> aNode("sei:a").running();
          case A_RESTART -> requesting(NOW.plusSeconds(1).toString());
          case AN_EARLIER_RESTART -> requesting(NOW.minusSeconds(60).toString());
          case A_TASK -> restarting();
          case A_TASK_OF_AN_OLD_SIDECAR ->
              restarting()
                  .status(
                      status ->
                          status.withSidecar(
                              new SidecarStatus(
                                  NodeSample.SIDECAR_IMAGE,
                                  null,
                                  List.of(SidecarTaskTypes.RESTART_SEID))));
          case A_HOLD -> aNode("sei:a").running().held();
          case A_PAUSE -> aNode("sei:a").running().paused();
        };
    var pod =
        aPod(node)
            .initContainer(Names.SIDECAR, NodeSample.SIDECAR_IMAGE)
            .edit(made -> made.editMetadata().withCreationTimestamp(NOW.toString()).endMetadata());
    return switch (row.pod()) {
      case NONE -> node.withoutPod().pass();
      case SERVES -> node.withPod(pod.ready()).pass();
      case DOES_NOT_SERVE -> node.withPod(pod).pass();
    };
  }

  private static NodeSample restarting() {
    return aNode("sei:a")
        .running()
        .plan(aPlan(PlanKind.UPDATE, "sei:a", SidecarTaskTypes.RESTART_SEID).build());
  }

  private static NodeSample requesting(String time) {
    return aNode("sei:a").running().annotation(Annotations.RESTART_REQUESTED_AT, time);
  }
}
