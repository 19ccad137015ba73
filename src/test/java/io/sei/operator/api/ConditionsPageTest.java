package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskConditionType;
import io.sei.operator.testkit.GoldenLines;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConditionsPageTest {

  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| \\S.* \\|$");

  @Test
  void committedPageIsUpToDate() {
    GoldenLines.compare(
        ConditionsPage.FILE, ConditionsPage.text(), "run 'make docs' and commit the result");
  }

  @Test
  void everyConditionIsDescribed() {
    List<String> all =
        Stream.of(
                NodeConditionType.values(),
                FleetConditionType.values(),
                NodeTaskConditionType.values())
            .flatMap(Arrays::stream)
            .map(Object::toString)
            .toList();

    assertThat(ROW.matcher(ConditionsPage.text()).results().map(row -> row.group(1)))
        .containsExactlyElementsOf(all);
  }
}
