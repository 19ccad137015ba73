package io.sei.operator.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConfigPageTest {

  @Test
  void committedPageIsUpToDate() {
    assertThat(ConfigPage.FILE)
        .as("run 'make docs' and commit the result")
        .hasContent(ConfigPage.text());
  }
}
