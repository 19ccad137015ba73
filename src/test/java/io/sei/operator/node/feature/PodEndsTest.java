package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.render.Labels;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodEndsTest {

  private final PodEnds ends = new PodEnds();

  /** A forced deletion takes a pod in whatever state the kubelet reported last. */
  @ParameterizedTest
  @CsvSource({
    "Running,   false, validator, false",
    "Running,   true,  validator, false",
    "Pending,   true,  validator, false",
    "Failed,    true,  validator, true",
    "Failed,    false, validator, true",
    "Succeeded, true,  validator, true",
    "Failed,    true,  node,      false",
  })
  void podHasEndedOnceItsKubeletReportedAnEnd(
      String phase, boolean terminating, String role, boolean reported) {
    var pod = aPod("alice-0").uid("pod-1").label(Labels.ROLE, role).phase(phase);

    ends.note((terminating ? pod.terminating(NodeSample.NOW) : pod).build());

    assertThat(ends.isReported("pod-1")).isEqualTo(reported);
    assertThat(ends.isReported("pod-2")).isFalse();
  }

  @Test
  void oldestEndIsForgottenSoThatMemoryIsBounded() {
    IntStream.range(0, 1_001)
        .mapToObj(
            i -> aPod("alice-0").uid("pod-" + i).label(Labels.ROLE, "validator").phase("Failed"))
        .forEach(pod -> ends.note(pod.build()));

    assertThat(ends.isReported("pod-0")).isFalse();
    assertThat(ends.isReported("pod-1")).isTrue();
    assertThat(ends.isReported("pod-1000")).isTrue();
  }
}
