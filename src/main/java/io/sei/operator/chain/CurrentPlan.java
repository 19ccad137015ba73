package io.sei.operator.chain;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.sei.operator.base.Json;
import io.sei.operator.base.UntrustedText;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;

/** PURE: decodes {@code cosmos.upgrade.v1beta1.QueryCurrentPlanResponse}. */
final class CurrentPlan {

  /** Length of a name that fits in {@code spec.upgrades}. */
  private static final int MAX_NAME = 64;

  // Fields of the response, and of cosmos.upgrade.v1beta1.Plan.
  private static final int PLAN = 1;
  private static final int NAME = 1;
  private static final int HEIGHT = 3;
  private static final int INFO = 4;

  private static final Pattern MINOR = Pattern.compile("minor", Pattern.CASE_INSENSITIVE);

  private static final ObjectMapper JSON = Json.mapper();

  private CurrentPlan() {}

  /**
   * The plan in a response; empty if there is none.
   *
   * @throws UnusableAnswer if it is no such message, or a plan that no spec could list
   */
  static Optional<UpgradePlan> decode(byte[] response) {
    var message = ProtobufMessage.decode(ByteString.copyFrom(response));
    return message.values(PLAN).isEmpty()
        ? Optional.empty()
        : Optional.of(plan(message.message(PLAN)));
  }

  /** Reads a {@code cosmos.upgrade.v1beta1.Plan}. */
  static UpgradePlan plan(ProtobufMessage plan) {
    String name = plan.text(NAME);
    long height = plan.number(HEIGHT);
    if (name.isEmpty() || name.length() > MAX_NAME || !name.equals(UntrustedText.clean(name))) {
      throw new UnusableAnswer("the plan of an upgrade has a name that cannot be listed");
    }
    if (height < 1 || height > RpcAnswers.MAX_HEIGHT) {
      throw new UnusableAnswer("the plan of an upgrade has an impossible height");
    }
    return new UpgradePlan(name, height, isMinor(plan.text(INFO)));
  }

  /** Any account may propose any info, so it is JSON at best. */
  private static boolean isMinor(String info) {
    try {
      return MINOR.matcher(JSON.readTree(info).path("upgradeType").asText("")).matches();
    } catch (IOException e) {
      return false;
    }
  }
}
