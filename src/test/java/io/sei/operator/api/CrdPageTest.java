package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CrdPageTest {

  @Test
  void committedPageIsUpToDate() {
    assertThat(CrdPage.FILE).as("run 'make docs' and commit the result").hasContent(CrdPage.text());
  }

  @Test
  void everythingThatCanBeAskedForIsDescribed() {
    Pattern undescribed = Pattern.compile("(?m)^\\| `spec\\..*\\| ? ?\\|$");

    assertThat(undescribed.matcher(CrdPage.text()).results().map(it -> it.group())).isEmpty();
  }
}
