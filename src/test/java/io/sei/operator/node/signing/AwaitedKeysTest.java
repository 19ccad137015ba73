package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AwaitedKeysTest {

  private static final String A = "sei:a";

  @ParameterizedTest
  @CsvSource({
    "SigningKeyNotReady, SIGNING_KEY_MISSING, false",
    "SigningKeyInvalid, SIGNING_KEY_INVALID, true",
    "InUse, SIGNING_KEY_IN_USE, false",
    "NodeKeyNotReady, KEY_SECRET_MISSING, false",
    "NodeKeyInvalid, KEY_SECRET_INVALID, true",
    "OperatorKeyringNotReady, KEY_SECRET_MISSING, false",
    "OperatorKeyringInvalid, KEY_SECRET_INVALID, true",
  })
  void reasonOfTheTaskThatWaitsIsACause(String reason, StallReason cause, boolean terminal) {
    Optional<Finding> finding = found(waiting(reason));

    assertThat(finding).isPresent();
    assertThat(finding.get().reason()).isEqualTo(cause);
    assertThat(finding.get().terminal()).isEqualTo(terminal);
    assertThat(finding.get().message()).startsWith("what was seen; ");
  }

  @Test
  void keyInUseIsACauseWithoutAPlanToo() {
    NodePass pass = aNode(A).pass();
    pass.offer(
        NodeConditionType.SIGNING_KEY_READY, ConditionProposal.no(NodeReason.IN_USE, "used"));

    assertThat(found(pass).map(Finding::reason)).contains(StallReason.SIGNING_KEY_IN_USE);
  }

  @Test
  void otherWaitsAreNoCause() {
    assertThat(found(waiting("PVCInUse"))).isEmpty();
    assertThat(found(waiting(null))).isEmpty();
    assertThat(found(aNode(A).pass())).isEmpty();
  }

  @Test
  void nodeThatIsStoppedWaitsForNothing() {
    NodePass pass = aNode(A).plan(waiting("SigningKeyNotReady")).paused().pass();

    assertThat(found(pass)).isEmpty();
  }

  @Test
  void nothingElseIsNamedBesideAKey() {
    NodePass pass = aNode(A).plan(waiting("SigningKeyNotReady")).pass();
    pass.offer(
        FindingRank.NOT_RESPONDING,
        new Finding(StallReason.SEID_NOT_RESPONDING, "hangs", "look", true));

    Finding found = found(pass).orElseThrow();

    assertThat(found.message())
        .startsWith(
            "what was seen; create the Secret or, if it holds another key, put the right one back;");
    assertThat(found.message()).doesNotContain("hangs");
    assertThat(found.terminal()).isFalse();
  }

  @Test
  void planThatEndedWaitsForNothing() {
    TaskPlan failed = waiting("SigningKeyNotReady").withPhase(PlanPhase.FAILED);

    assertThat(found(failed)).isEmpty();
  }

  private static TaskPlan waiting(String reason) {
    TaskPlan plan = aPlan(PlanKind.INIT, A, "a", "b").build();
    return plan.withTasks(
        List.of(
            plan.tasks().get(0).with(task -> task.reason(reason).message("what was seen")),
            plan.tasks().get(1)));
  }

  private static Optional<Finding> found(TaskPlan plan) {
    return found(aNode(A).plan(plan).pass());
  }

  private static Optional<Finding> found(NodePass pass) {
    AwaitedKeys.record(pass);
    return pass.found();
  }
}
