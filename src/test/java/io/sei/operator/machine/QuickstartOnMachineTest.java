package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.docs.Walkthrough;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.machine.Machine;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What the quickstart says to type on a cluster is typed, in its order, from the installation on.
 */
@Isolated
class QuickstartOnMachineTest extends MachineTestCase {

  @BeforeEach
  void startWithoutAnOperator() {
    machine.helm("uninstall", Machine.OPERATOR, "--namespace", Machine.OPERATOR, "--wait");
  }

  @AfterEach
  void installAgain() {
    machine.installOperator(List.of());
  }

  @Test
  void everyCommandDoesWhatThePageShows() {
    List<Walkthrough.Step> steps = Walkthrough.of("On a cluster");
    assertThat(steps).hasSizeGreaterThan(20);

    for (Walkthrough.Step step : steps) {
      KubectlResult result = machine.shell(step.command());
      assertThat(result.exitCode()).as(step.command() + ": " + result.stderr()).isZero();
      if (!step.output().isEmpty()) {
        assertThat(Walkthrough.comparable(result.stdout().lines().toList()))
            .as(step.command())
            .isEqualTo(Walkthrough.comparable(step.output()));
      }
    }
  }
}
