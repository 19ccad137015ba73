package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.RandomActions.Action;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RandomActionsTest {

  private static final List<Action> ACTIONS =
      List.of(
          new Action("often", 9, random -> "x" + random.nextInt(3)),
          new Action("seldom", 1, random -> ""),
          new Action("never", 0, random -> ""));

  private static List<String> happened(long seed) {
    var actions = new RandomActions(new Random(seed), ACTIONS);
    return Stream.generate(actions::next).limit(200).toList();
  }

  @Test
  void sameSeedChoosesTheSame() {
    assertThat(happened(7)).isEqualTo(happened(7)).isNotEqualTo(happened(8));
  }

  @Test
  void weightsDecideHowOftenAnActionHappens() {
    List<String> happened = happened(7);

    assertThat(happened).contains("seldom: ").anyMatch(action -> action.startsWith("often: x"));
    assertThat(happened).noneMatch(action -> action.startsWith("never"));
    assertThat(happened.stream().filter("seldom: "::equals).count()).isLessThan(100);
  }
}
