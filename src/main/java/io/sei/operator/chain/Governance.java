package io.sei.operator.chain;

import com.google.protobuf.ByteString;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * PURE: decodes answers of {@code cosmos.gov.v1beta1.Query} as Sei's SDK 0.45 gives them
 * (sei-cosmos/proto/cosmos/gov/v1beta1/gov.proto).
 */
final class Governance {

  /**
   * Query of the newest ten proposals in their voting period: {@code proposal_status} 2 and a
   * {@code pagination} with limit 10 and reverse. Ten descriptions fit in an answer.
   */
  static final String OPEN_PROPOSALS = query("Proposals", "08022204180a2801");

  /** Query of the parameters of type {@code voting}. */
  static final String VOTING_PARAMS = query("Params", "0a06766f74696e67");

  private static final String SOFTWARE_UPGRADE = "/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal";

  // Fields of QueryProposalsResponse, Proposal, Any and SoftwareUpgradeProposal.
  private static final int PROPOSALS = 1;
  private static final int CONTENT = 2;
  private static final int TYPE_URL = 1;
  private static final int VALUE = 2;
  private static final int PLAN = 3;

  // Fields of QueryParamsResponse, VotingParams and Duration.
  private static final int PARAMS = 1;
  private static final int VOTING_PERIOD = 1;
  private static final int EXPEDITED_VOTING_PERIOD = 2;
  private static final int SECONDS = 1;

  private Governance() {}

  private static String query(String method, String data) {
    return "/abci_query?path=%%22/cosmos.gov.v1beta1.Query/%s%%22&data=0x%s"
        .formatted(method, data);
  }

  /**
   * The plans of proposals that are voted on, by height; one that no spec could list is left out.
   */
  static List<UpgradePlan> proposed(byte[] response) {
    var plans = new ArrayList<UpgradePlan>();
    var answer = ProtobufMessage.decode(ByteString.copyFrom(response));
    for (ByteString proposal : answer.values(PROPOSALS)) {
      try {
        ProtobufMessage content = ProtobufMessage.decode(proposal).message(CONTENT);
        if (SOFTWARE_UPGRADE.equals(content.text(TYPE_URL))) {
          plans.add(CurrentPlan.plan(content.message(VALUE).message(PLAN)));
        }
      } catch (UnusableAnswer e) {
        // Any account may propose anything, and hides no other proposal by it.
        continue;
      }
    }
    plans.sort(Comparator.comparingLong(UpgradePlan::height));
    return List.copyOf(plans);
  }

  /**
   * The shorter of the voting period and the expedited one, which a chain may not have.
   *
   * @throws UnusableAnswer if there is none
   */
  static Duration votingPeriod(byte[] response) {
    ProtobufMessage params = ProtobufMessage.decode(ByteString.copyFrom(response)).message(PARAMS);
    return LongStream.of(VOTING_PERIOD, EXPEDITED_VOTING_PERIOD)
        .map(field -> params.message((int) field).number(SECONDS))
        .filter(seconds -> seconds > 0)
        .mapToObj(Duration::ofSeconds)
        .min(Duration::compareTo)
        .orElseThrow(() -> new UnusableAnswer("the chain has no voting period"));
  }
}
