package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Installs the chart without any value. */
@Isolated
class ChartDefaultsTest extends MachineTestCase {

  private static final String NO_SUCH_PROXY =
      "config.SEI_KUBE_RBAC_PROXY_IMAGE=registry.invalid/no-such-proxy:v1";

  @AfterEach
  void setNothingAgain() {
    machine.installOperator(List.of());
  }

  @Test
  void settingThatIsMendedReachesThePodThatCouldNotStart() {
    machine.installOperator(List.of(NO_SUCH_PROXY));
    createNode(Chain.V1.image());
    eventually(() -> assertThat(condition("Stalled")).isEqualTo("True/ImagePull"));

    machine.installOperator(List.of());

    eventually(() -> assertThat(status("status.phase")).isEqualTo("Running"));
    assertThat(condition("RestartPending")).startsWith("False/");
  }
}
