package io.sei.operator.node.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.StoredBeforeRules;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.node.RolloutTestCase;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Specs that were stored before the rule that they break. */
@ExclusiveControlPlane
class InvalidSpecTest extends RolloutTestCase implements StoredBeforeRules {

  static Stream<Arguments> invalidSpecs() {
    var replayer =
        new Replayer(new Snapshot(null, new Snapshot.StateSync(), null, null, null), null);
    return Stream.of(
        Arguments.of(spec(A).withArchive(new Archive(null)), "spec", "{'spec':{'archive':null}}"),
        Arguments.of(spec(A).withFullNode(null), "spec", "{'spec':{'fullNode':{}}}"),
        Arguments.of(
            spec(A).with(it -> it.fullNode(null).replayer(replayer)),
            "spec.replayer.snapshot.s3",
            "{'spec':{'replayer':null,'fullNode':{}}}"));
  }

  @ParameterizedTest
  @MethodSource("invalidSpecs")
  void invalidNodeSaysWhereAndGoesOnOnceFixed(SeiNodeSpec invalid, String path, String fix) {
    create(invalid);

    eventually(
        () -> {
          assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, "InvalidSpec");
          assertThat(condition(NodeConditionType.READY).message()).contains(path + ": ");
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

    patch(fix);

    awaitUpToDate(A);
  }

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
  }

  @Test
  void aMessageThatIsTooLongIsCut() {
    String broken = "'spec':{'peers':[{'static':{'addresses':[" + "'x',".repeat(999) + "'x']}}]}";
    createRunning();

    patch("{" + broken + "}");

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, NodeReason.INVALID_SPEC);
    assertThat(condition(NodeConditionType.READY).message()).hasSize(32768);
    patch("{'spec':{'peers':null}}");

    awaitUpToDate(A);
  }
}
