package io.sei.operator.chain;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.sei.operator.base.Json;
import io.sei.operator.base.UntrustedText;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * PURE: decodes {@code cosmos.upgrade.v1beta1.QueryCurrentPlanResponse}, as far as it is of use: a
 * message of five fields is no reason to generate code.
 */
final class CurrentPlan {

  /** Length of a name that fits in {@code spec.upgrades}. */
  private static final int MAX_NAME = 64;

  // Tags on the wire: the field's number, and how its value is written.
  private static final int PLAN = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int NAME = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int HEIGHT = 3 << 3 | WireFormat.WIRETYPE_VARINT;
  private static final int INFO = 4 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private static final Pattern MINOR = Pattern.compile("minor", Pattern.CASE_INSENSITIVE);

  private static final ObjectMapper JSON = Json.mapper();

  private CurrentPlan() {}

  /**
   * The plan in a response; empty if there is none.
   *
   * @throws UnusableAnswer if it is no such message, or a plan that no spec could list
   */
  static Optional<UpgradePlan> decode(byte[] response) {
    try {
      var in = CodedInputStream.newInstance(response);
      Optional<UpgradePlan> plan = Optional.empty();
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        if (tag == PLAN) {
          plan = Optional.of(plan(in.readByteArray()));
        } else {
          skip(in, tag);
        }
      }
      return plan;
    } catch (IOException e) {
      throw new UnusableAnswer("the current plan cannot be decoded");
    }
  }

  private static UpgradePlan plan(byte[] message) throws IOException {
    var in = CodedInputStream.newInstance(message);
    String name = "";
    long height = 0;
    String info = "";
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == NAME) {
        name = in.readStringRequireUtf8();
      } else if (tag == HEIGHT) {
        height = in.readInt64();
      } else if (tag == INFO) {
        info = in.readStringRequireUtf8();
      } else {
        skip(in, tag);
      }
    }
    if (name.isEmpty() || name.length() > MAX_NAME || !name.equals(UntrustedText.clean(name))) {
      throw new UnusableAnswer("the current plan has a name that cannot be listed");
    }
    if (height < 1 || height > RpcAnswers.MAX_HEIGHT) {
      throw new UnusableAnswer("the current plan has an impossible height");
    }
    return new UpgradePlan(name, height, isMinor(info));
  }

  /** A field that came with a later version, or an end of a group that nothing began. */
  private static void skip(CodedInputStream in, int tag) throws IOException {
    if (!in.skipField(tag)) {
      throw new UnusableAnswer("the current plan cannot be decoded");
    }
  }

  /** Anybody may propose any info, so it is JSON at best. */
  private static boolean isMinor(String info) {
    try {
      return MINOR.matcher(JSON.readTree(info).path("upgradeType").asText("")).matches();
    } catch (IOException e) {
      return false;
    }
  }
}
