package io.sei.operator.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.StatusCorpus;
import io.sei.operator.testkit.StatusCorpus.Staged;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScriptTest {

  /** {@code make corpus} records them. */
  @Test
  void everySceneAndEveryFaultIsInTheCorpus() {
    Set<String> scenes =
        Stream.concat(Stream.of(""), Script.modes().stream())
            .map(mode -> Script.ofMode(mode).orElseThrow())
            .flatMap(
                script -> script.scenes().stream().map(scene -> script.name() + "/" + scene.name()))
            .collect(Collectors.toSet());
    Script faults = Script.ofFault("all").orElseThrow();
    Map<Boolean, List<Staged>> recorded =
        StatusCorpus.demo().stream()
            .collect(
                Collectors.partitioningBy(
                    staged -> staged.scene().startsWith(faults.name() + "/")));

    assertThat(recorded.get(false)).extracting(Staged::scene).containsAll(scenes);
    assertThat(recorded.get(true))
        .filteredOn(staged -> staged.resource() instanceof SeiNodeDeployment)
        .extracting(staged -> staged.resource().getMetadata().getName())
        .containsAll(faults.faults().stream().map(Fault::name).toList());
  }

  /** Expects a sentence for each story, without files and lines of source code. */
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
