package io.sei.operator.config;

import io.sei.operator.testkit.GoldenLines;
import org.junit.jupiter.api.Test;

class ConfigPageTest {

  @Test
  void committedPageIsUpToDate() {
    GoldenLines.compare(
        ConfigPage.FILE, ConfigPage.text(), "run 'make docs' and commit the result");
  }
}
