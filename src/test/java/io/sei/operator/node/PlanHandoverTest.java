package io.sei.operator.node;

import static io.sei.operator.sidecar.SidecarTask.Status.COMPLETED;
import static io.sei.operator.sidecar.SidecarTask.Status.FAILED;
import static io.sei.operator.sidecar.SidecarTask.Status.RUNNING;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarException.Kind;
import io.sei.operator.sidecar.SidecarTask;
import io.sei.operator.testkit.samples.NodeSample;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanHandoverTest {

  private static final String APPLY = "config-apply";

  private final Queue<Optional<SidecarTask>> looks = new ArrayDeque<>();
  private final List<String> cancelled = new ArrayList<>();
  private SidecarException refusal;
  private final PlanHandover handover = new PlanHandover(client(), OfflineNode.ENGINE::traits);
  private final NodePass pass = aNode("a").running().withPod().pass();
  private final TaskPlan old = aPlan(PlanKind.CONFIG, "a", APPLY).build();
  private final TaskPlan next = old.withTasks(List.of());

  @Test
  void taskThatRunsIsWaitedForAndNotCancelled() {
    looks(RUNNING, RUNNING);

    assertThat(handover.isClear(pass, handover.observed(pass, old), next)).isFalse();
    assertThat(cancelled).isEmpty();
  }

  @Test
  void taskThatEndsBetweenTwoLooksIsLookedAtAgainSoThatTheNextPlanKnows() {
    looks(RUNNING, COMPLETED);
    assertThat(handover.isClear(pass, handover.observed(pass, old), next)).isFalse();

    looks(COMPLETED);
    TaskPlan seen = handover.observed(pass, old);

    assertThat(seen.tasks().get(0).status()).isEqualTo(TaskStatus.COMPLETE);
    assertThat(handover.isClear(pass, seen, next)).isTrue();
  }

  @Test
  void taskThatFailedOrIsUnknownHoldsUpNothing() {
    looks(FAILED, FAILED);
    assertThat(handover.isClear(pass, handover.observed(pass, old), next)).isTrue();

    looks.add(Optional.empty());
    looks.add(Optional.empty());
    assertThat(handover.isClear(pass, handover.observed(pass, submitted()), next)).isTrue();
  }

  @Test
  void whatEndsWithItsPodIsForgotten() {
    looks(RUNNING);
    TaskPlan forAnotherPod = aPlan(PlanKind.UPDATE, "b", "replace-pod").build();

    assertThat(handover.isClear(pass, handover.observed(pass, old), forAnotherPod)).isTrue();
    assertThat(cancelled).containsExactly("id-" + APPLY);
  }

  @ParameterizedTest
  @CsvSource({"WITHHELD, true", "BLIND, false"})
  void whatMayNotBeSentIsWaitedForOnlyWhileThePodsAreNotKnown(Kind kind, boolean clear) {
    refusal = new SidecarException(kind, "nothing was sent");
    TaskPlan forAnotherPod = aPlan(PlanKind.UPDATE, "b", "replace-pod").build();

    assertThat(handover.isClear(pass, handover.observed(pass, old), forAnotherPod))
        .isEqualTo(clear);
    assertThat(handover.isClear(pass, handover.observed(pass, old), next)).isFalse();
  }

  private TaskPlan submitted() {
    return old.withTasks(
        old.tasks().stream().map(task -> task.withSubmittedAt(NodeSample.NOW)).toList());
  }

  private void looks(SidecarTask.Status... statuses) {
    for (SidecarTask.Status status : statuses) {
      looks.add(Optional.of(new SidecarTask("id-" + APPLY, APPLY, status, 1, "", Map.of())));
    }
  }

  private SidecarClient client() {
    return (SidecarClient)
        Proxy.newProxyInstance(
            SidecarClient.class.getClassLoader(),
            new Class<?>[] {SidecarClient.class},
            (proxy, method, arguments) -> {
              if (refusal != null) {
                throw refusal;
              }
              if (method.getName().equals("cancel")) {
                return cancelled.add((String) arguments[1]);
              }
              return looks.remove();
            });
  }
}
