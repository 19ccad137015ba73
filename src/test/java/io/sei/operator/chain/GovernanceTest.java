package io.sei.operator.chain;

import static io.sei.operator.testkit.SimulatedChain.openProposals;
import static io.sei.operator.testkit.SimulatedChain.proposal;
import static io.sei.operator.testkit.SimulatedChain.votingParams;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GovernanceTest {

  private static final String UPGRADE = "/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal";

  @Test
  void proposalsAreReadByHeightAndTextsAreNoUpgrades() {
    byte[] answer =
        openProposals(
            proposal(UPGRADE, "v4", 300, ""),
            proposal("/cosmos.gov.v1beta1.TextProposal", "v9", 100, ""),
            proposal(UPGRADE, "v3", 200, "{\"upgradeType\":\"minor\"}"));

    assertThat(Governance.proposed(answer))
        .containsExactly(new UpgradePlan("v3", 200, true), new UpgradePlan("v4", 300, false));
    assertThat(Governance.proposed(new byte[0])).isEmpty();
  }

  @Test
  void hostileProposalHidesNoOther() {
    byte[] answer =
        openProposals(
            proposal(UPGRADE, "v3\nlisted", 200, ""),
            proposal(UPGRADE, "", 200, ""),
            proposal(UPGRADE, "v3", -1, ""),
            "junk".getBytes(),
            proposal(UPGRADE, "v4", 300, ""));

    assertThat(Governance.proposed(answer)).containsExactly(new UpgradePlan("v4", 300, false));
  }

  /** Each is read or refused, and nothing else is thrown. */
  @Test
  void mutilatedAnswersAreReadOrRefused() {
    byte[] proposals = openProposals(proposal(UPGRADE, "v4", 300, "{}"));
    byte[] params = votingParams(Duration.ofDays(3), Duration.ofDays(1));
    var random = new Random(7);
    for (int round = 0; round < 20_000; round++) {
      byte[] one = mutilated(round % 2 == 0 ? proposals : params, random);
      try {
        Governance.proposed(one);
        Governance.votingPeriod(one);
      } catch (UnusableAnswer refused) {
        assertThat(refused).hasMessageNotContaining("null");
      }
    }
  }

  private static byte[] mutilated(byte[] bytes, Random random) {
    byte[] copy = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
    for (int i = 0; i < copy.length && i < 3; i++) {
      copy[random.nextInt(copy.length)] = (byte) random.nextInt();
    }
    return copy;
  }
}
