package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.GoldenLines;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CrdPageTest {

  @Test
  void committedPageIsUpToDate() {
    GoldenLines.compare(CrdPage.FILE, CrdPage.text(), "run 'make docs' and commit the result");
  }

  @Test
  void everythingThatCanBeAskedForIsDescribed() {
    Pattern undescribed = Pattern.compile("(?m)^\\| `spec\\..*\\| ? ?\\|$");

    assertThat(undescribed.matcher(CrdPage.text()).results().map(match -> match.group())).isEmpty();
  }
}
