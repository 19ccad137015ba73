package io.sei.operator.observability;

import io.sei.operator.testkit.GoldenLines;
import org.junit.jupiter.api.Test;

class MetricsPageTest {

  @Test
  void committedPageIsUpToDate() {
    GoldenLines.compare(
        MetricsPage.FILE, MetricsPage.text(), "run 'make docs' and commit the result");
  }
}
