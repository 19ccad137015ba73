package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CelRules.Evaluated;
import io.sei.operator.api.CelRules.Rule;
import io.sei.operator.api.CelRules.Verdict;
import io.sei.operator.api.v1alpha1.Bounds;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.Sentences;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.FleetValidation;
import io.sei.operator.api.validation.NodeValidation;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tries each validation rule of the CRDs; the operator repeats those that prevent harm. */
class ValidationRulesTest {

  private record Kind(CrdFile crd, CelRules rules, List<RuleSample> samples) {

    List<FieldError> validate(Map<String, Object> object) {
      if (crd.model() == SeiNode.class) {
        SeiNode node = Serialization.unmarshal(Serialization.asJson(object), SeiNode.class);
        return NodeValidation.validate(node.getSpec());
      }
      if (crd.model() == SeiNodeTask.class || crd.model() == SeiSigningKey.class) {
        return List.of();
      }
      SeiNodeDeployment fleet =
          Serialization.unmarshal(Serialization.asJson(object), SeiNodeDeployment.class);
      return FleetValidation.validate(fleet.getSpec());
    }
  }

  private static final List<Kind> KINDS =
      CrdFile.all().stream()
          .map(crd -> new Kind(crd, CelRules.of(crd), RuleSample.of(crd.model())))
          .toList();

  @TestFactory
  Stream<DynamicTest> failingSampleBreaksItsRuleAndNoOther() {
    return samples(
        (kind, sample) -> {
          assertThat(broken(kind, sample.badObject(), sample.oldObject()))
              .containsExactly(sample.message());
          assertThat(kind.rules().evaluate(sample.goodObject(), sample.oldObject()))
              .allMatch(evaluated -> evaluated.verdict() == Verdict.HELD);
        });
  }

  @TestFactory
  Stream<DynamicTest> operatorRefusesWhatCouldDoHarmAndNamesTheField() {
    return samples(
        (kind, sample) -> {
          assertThat(kind.validate(sample.goodObject())).isEmpty();
          if (sample.field() == null) {
            assertThat(kind.validate(sample.badObject())).isEmpty();
          } else {
            assertThat(kind.validate(sample.badObject()))
                .extracting(FieldError::path)
                .containsExactly(sample.field());
          }
        });
  }

  /** The rules for the keys of maps are equal in all CRDs; CrdBoundsTest has them. */
  @TestFactory
  Stream<DynamicTest> everyRuleHasAPassingAndAFailingSample() {
    return kinds(
        kind -> {
          List<Rule> rules =
              kind.rules().all().stream()
                  .filter(rule -> !rule.message().equals(Bounds.KEY_MESSAGE))
                  .toList();
          assertThat(tried(kind, Verdict.BROKEN)).containsAll(rules);
          assertThat(tried(kind, Verdict.HELD)).containsAll(rules);
        });
  }

  /** Patterns stay where the API server accepts no rule: in maps, and for peers; decision 102. */
  @TestFactory
  Stream<DynamicTest> aUserReadsASentenceWithAnExampleThatPasses() {
    return kinds(
        kind -> {
          assertThat(kind.rules().all())
              .filteredOn(Rule::isPattern)
              .extracting(Rule::path)
              .allMatch(
                  path ->
                      path.matches(".*resources\\.(limits|requests)\\{}")
                          || path.endsWith("static.addresses[]"));
          assertThat(Sentences.OF_PATTERNS)
              .allSatisfy(
                  (pattern, sentence) ->
                      assertThat(sentence.replaceFirst(".* such as (\\S+?)(:? .*)?$", "$1"))
                          .matches(inJava(pattern)));
        });
  }

  /** RE2, as the API server has it, knows a class and a bracket that Java spells otherwise. */
  private static String inJava(String pattern) {
    return pattern.replace("[:space:]", "\\s").replace("[[]", "\\[").replace("[]]", "\\]");
  }

  private static Stream<DynamicTest> kinds(Consumer<Kind> check) {
    return KINDS.stream()
        .map(kind -> DynamicTest.dynamicTest(kind.crd().name(), () -> check.accept(kind)));
  }

  private static Stream<DynamicTest> samples(BiConsumer<Kind, RuleSample> check) {
    return KINDS.stream()
        .flatMap(
            kind ->
                kind.samples().stream()
                    .map(
                        sample ->
                            DynamicTest.dynamicTest(
                                kind.crd().model().getSimpleName() + ": " + sample,
                                () -> check.accept(kind, sample))));
  }

  /** The messages of the rules that are broken; a pattern beside a sentence refuses the same. */
  private static Set<String> broken(Kind kind, Object object, Object old) {
    List<Rule> broken =
        kind.rules().evaluate(object, old).stream()
            .filter(evaluated -> evaluated.verdict() == Verdict.BROKEN)
            .map(Evaluated::rule)
            .toList();
    boolean hasSentence = broken.stream().anyMatch(rule -> !rule.isPattern());
    return broken.stream()
        .filter(rule -> !hasSentence || !rule.isPattern())
        .map(Rule::message)
        .collect(Collectors.toSet());
  }

  private static Set<Rule> tried(Kind kind, Verdict verdict) {
    var rules = new HashSet<Rule>();
    for (RuleSample sample : kind.samples()) {
      Object object = verdict == Verdict.HELD ? sample.goodObject() : sample.badObject();
      kind.rules().evaluate(object, sample.oldObject()).stream()
          .filter(evaluated -> evaluated.verdict() == verdict)
          .map(Evaluated::rule)
          .forEach(rules::add);
    }
    return rules;
  }
}
