package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** The hash of a template, as a label. */
class TemplateHashTest {

  @Test
  void isTheSpecHashOfANodeSpelledAsALabel() {
    String hash = TemplateHash.of(Nodes.node(Nodes.full()));

    assertThat(hash).isEqualTo(SpecHash.of(Nodes.node(Nodes.full())).replace(':', '-'));
    assertThat(hash).matches("[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?");
    assertThat(TemplateHash.isKnownFormat(hash)).isTrue();
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = {"0123456789abcdef", "7", "v2-0123456789abcdef", "v1"})
  void hashesOfOtherOperatorsAndVersionsAreNotKnown(String hash) {
    assertThat(TemplateHash.isKnownFormat(hash)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"v1:abc, v1-abc", ","})
  void aSpecHashIsSpelledAsALabel(String specHash, String expected) {
    assertThat(TemplateHash.ofSpecHash(specHash)).isEqualTo(expected);
  }
}
