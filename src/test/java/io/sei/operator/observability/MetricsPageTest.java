package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MetricsPageTest {

  @Test
  void committedPageIsUpToDate() {
    assertThat(MetricsPage.FILE)
        .as("run 'make docs' and commit the result")
        .hasContent(MetricsPage.text());
  }
}
