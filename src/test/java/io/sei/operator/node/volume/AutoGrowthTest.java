package io.sei.operator.node.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodePass;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutoGrowthTest {

  /** A claim of 2Ti; a crash loop is found for ten minutes after its last crash. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // finding, ready, maxSize, decision
        "DISK_FULL, false, 4Ti, Grow[to=2458Gi]",
        "DISK_FULL, false, 2Ti, AtMaximum[]",
        "DISK_FULL, true, 4Ti, -",
        "DISK_FULL, true, 2Ti, -",
        "CRASH_LOOP, false, 4Ti, -",
        "-, false, 4Ti, -",
      })
  void growsOnlyWhereSeidHasDiedOfAFullDiskAndIsNotReady(
      StallReason reason, boolean ready, String maxSize, String expected) {
    NodePass pass =
        FillingNode.of(new AutoGrow(null, null, new Quantity(maxSize)), "2Ti", ready).pass();

    var growth = new AutoGrowth(OfflineNode.usagePoller(), new PerObjectState<>());

    growth.observe(
        pass, Optional.ofNullable(reason).map(any -> new Finding(any, "seen", "do", false)));

    assertThat(
            growth.decision(pass, pass.view().claim().orElseThrow()).map(GrowthDecision::toString))
        .isEqualTo(Optional.ofNullable(expected));
  }
}
