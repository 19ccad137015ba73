package io.sei.operator.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScriptTest {

  /** A story is a sentence, without files and lines of somebody's source. */
  @Test
  void listOfFaultsNeedsNoKnowledgeOfCode() {
    List<String> choice = Script.choice();

    assertThat(choice.getFirst()).startsWith("MODE is ");
    assertThat(choice.subList(1, choice.size()))
        .hasSizeGreaterThan(40)
        .allSatisfy(
            line ->
                assertThat(line)
                    .matches("  [a-z0-9-]{3,26} +[A-Z][^/:]+\\.")
                    .doesNotContain(".go", ".java"))
        .extracting(line -> line.substring(29).charAt(0))
        .allMatch(Character::isUpperCase);
  }
}
