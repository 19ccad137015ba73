package io.sei.operator.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.StoredBeforeRules;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.node.RolloutTestCase;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Specs that were stored before the rule that they break. */
@ExclusiveControlPlane
class InvalidSpecTest extends RolloutTestCase implements StoredBeforeRules {

  /** NodeValidationTest has what is invalid. */
  @Test
  void invalidNodeSaysWhereAndGoesOnOnceFixed() {
    var replayer =
        new Replayer(new Snapshot(null, new Snapshot.StateSync(), null, null, null), null);
    create(spec(A).with(builder -> builder.fullNode(null).replayer(replayer)));

    eventually(
        () -> {
          assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "InvalidSpec");
          assertThat(condition(NodeConditionType.READY).message())
              .contains("spec.replayer.snapshot.s3: ");
          assertThat(node().getStatus().phase()).isEqualTo(NodePhase.PENDING);
        });
    stays(
        () -> {
          assertThat(statefulSet()).isNull();
          assertThat(client.persistentVolumeClaims().inNamespace(namespace).list().getItems())
              .isEmpty();
          assertThat(client.services().inNamespace(namespace).list().getItems()).isEmpty();
        });
    eventually(() -> assertThat(occurrences("InvalidSpec")).isEqualTo(1));

    patch("{'spec':{'replayer':null,'fullNode':{}}}");

    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void invalidEditLeavesARunningNodeAlone() {
    createRunning();
    String pod = podUid();

    patch("{'spec':{'archive':{},'image':'%s'}}".formatted(B));

    eventually(
        () -> assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "InvalidSpec"));
    assertCondition(NodeConditionType.UP_TO_DATE, ConditionStatus.FALSE, "InvalidSpec");
    stays(
        () -> {
          assertThat(podUid()).isEqualTo(pod);
          assertThat(node().getStatus().phase()).isEqualTo(NodePhase.RUNNING);
        });

    annotate("sei.io/explain", "1");
    eventually(
        () ->
            assertThat(node().getStatus().explain().summary())
                .startsWith("nothing restarts, the spec is invalid: spec: "));
    patch("{'spec':{'archive':null}}");

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  @Test
  void invalidEditInTheMiddleOfAPlanPausesItUntilFixed() {
    createRunning();
    sidecarFaults().hold(MARK_READY);
    setImage(B);
    awaitStep(MARK_READY);

    patch("{'spec':{'archive':{}}}");
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, "InvalidSpec");
    sidecarFaults().release(MARK_READY);
    patch("{'spec':{'archive':null}}");

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertLongMessageIsCut();
  }

  private void assertLongMessageIsCut() {
    patch("{'spec':{'peers':[{'static':{'addresses':[" + "'x',".repeat(999) + "'x']}}]}}");

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.INVALID_SPEC);
    assertThat(condition(NodeConditionType.READY).message()).hasSize(32768);
    patch("{'spec':{'peers':null}}");

    awaitUpToDate(B);
  }
}
