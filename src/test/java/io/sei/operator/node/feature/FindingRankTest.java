package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.sidecar.SidecarHealth;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FindingRankTest {

  @ParameterizedTest
  @EnumSource(FindingRank.class)
  void theHigherOfTwoFindingsIsReportedWhicheverIsOfferedFirst(FindingRank rank) {
    for (FindingRank other : FindingRank.values()) {
      if (rank.compareTo(other) < 0) {
        for (NodePass pass : new NodePass[] {offer(rank, other), offer(other, rank)}) {
          Finding found = pass.found().orElseThrow();
          assertThat(found.seen()).isEqualTo(rank.name());
          if (rank == FindingRank.AWAITED_INPUT) {
            assertThat(found.message()).doesNotContain(other.name());
          } else {
            assertThat(found.message()).contains("1 more", other.name());
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(FindingRank.class)
  void theFirstOfTwoFindingsAtOneRankCounts(FindingRank rank) {
    NodePass pass = offer(rank);
    pass.offer(rank, new Finding(StallReason.UNKNOWN, "second", "the next step", false));

    assertThat(pass.found().orElseThrow().message()).contains(rank.name()).doesNotContain("second");
  }

  /** The first proposal at a rank counts, as with findings. */
  @Test
  void theFirstOfTwoProposalsAtOneRankCounts() {
    NodePass pass = offer();
    var first = ConditionProposal.no(StallReason.UNKNOWN, "first");
    pass.offer(Rank.Ready.KEY, first);
    pass.offer(Rank.Ready.KEY, ConditionProposal.no(StallReason.UNKNOWN, "second"));

    assertThat(pass.offered(Rank.Ready.KEY)).contains(first);
  }

  @Test
  void nothingIsFoundWhereNothingIsOffered() {
    assertThat(offer().found()).isEmpty();
  }

  private static NodePass offer(FindingRank... ranks) {
    var pass = aNode("sei:a").sidecar(SidecarHealth.READY).pass();
    for (FindingRank rank : ranks) {
      pass.offer(rank, new Finding(StallReason.UNKNOWN, rank.name(), "the next step", false));
    }
    return pass;
  }
}
