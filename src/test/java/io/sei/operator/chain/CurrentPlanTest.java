package io.sei.operator.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sei.operator.testkit.SimulatedChain;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CurrentPlanTest {

  /** Plan v2 at height 12 with info x, its time unset, as Go encodes it. */
  private static final String V2_AT_12 =
      "0a16" + "0a027632" + "120b088092b8c398feffffff01" + "180c" + "220178";

  @Test
  void noPlanIsAnEmptyMessage() {
    assertThat(CurrentPlan.decode(new byte[0])).isEmpty();
  }

  @Test
  void planIsReadAsGoEncodesIt() {
    assertThat(CurrentPlan.decode(HexFormat.of().parseHex(V2_AT_12)))
        .contains(new UpgradePlan("v2", 12, false));
  }

  @Test
  void fieldsOfLaterVersionsAreSkipped() {
    String more = "0a1b" + V2_AT_12.substring(4) + "2a03616263" + "3a00" + "4001";

    assertThat(CurrentPlan.decode(HexFormat.of().parseHex(more)))
        .contains(new UpgradePlan("v2", 12, false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"upgradeType\":\"minor\"} | true",
        "{\"upgradeType\":\"MINOR\",\"binaries\":{}} | true",
        "{\"upgradeType\":\"major\"} | false",
        "{\"upgradeType\":{\"minor\":1}} | false",
        "{\"note\":\"upgradeType minor\"} | false",
        "minor | false",
        "https://example.com/plan.json | false",
        "[\"minor\"] | false",
        "{\"upgradeType\":\"minor\" | false",
      })
  void onlyInfoThatSaysSoMakesAMinorRelease(String info, boolean minor) {
    assertThat(decode("v2", 12, info)).contains(new UpgradePlan("v2", 12, minor));
  }

  static List<Arguments> impossible() {
    return List.of(
        Arguments.of("", 12),
        Arguments.of("n".repeat(65), 12),
        Arguments.of("v2\nUPGRADE", 12),
        Arguments.of("v2\u2028", 12),
        Arguments.of(" v2", 12),
        Arguments.of("v2", 0),
        Arguments.of("v2", -12),
        Arguments.of("v2", Long.MAX_VALUE));
  }

  @ParameterizedTest
  @MethodSource("impossible")
  void planThatNoSpecCouldListIsUnusable(String name, long height) {
    assertThatThrownBy(() -> decode(name, height, "")).isInstanceOf(UnusableAnswer.class);
  }

  @Test
  void longestNameIsListed() {
    assertThat(decode("n".repeat(64), 12, "")).isPresent();
  }

  /** Whatever comes, it is a plan that could be listed, none, or unusable. */
  @Test
  void junkIsNeverMoreThanUnusable() {
    var random = new Random(1);
    byte[] good = SimulatedChain.currentPlan("v2", 12, "{\"upgradeType\":\"minor\"}");
    for (int i = 0; i < 5000; i++) {
      byte[] junk = Arrays.copyOf(good, random.nextInt(good.length + 4));
      if (junk.length > 0) {
        junk[random.nextInt(junk.length)] = (byte) random.nextInt();
      }
      Optional<UpgradePlan> plan;
      try {
        plan = CurrentPlan.decode(junk);
      } catch (UnusableAnswer e) {
        plan = Optional.empty();
      }
      assertThat(plan.filter(candidate -> candidate.height() < 1 || candidate.name().length() > 64))
          .isEmpty();
    }
  }

  private static Optional<UpgradePlan> decode(String name, long height, String info) {
    return CurrentPlan.decode(SimulatedChain.currentPlan(name, height, info));
  }
}
