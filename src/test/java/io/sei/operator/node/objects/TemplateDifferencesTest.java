package io.sei.operator.node.objects;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateDifferencesTest {

  @ParameterizedTest
  @CsvSource({
    "spec.template.spec.enableServiceLinks, enableServiceLinks",
    "spec.template.spec.affinity.nodeAffinity.x, affinity",
    "spec.template.spec.volumes[data].name, volumes",
    "spec.template.spec.containers[seid].readinessProbe.successThreshold,"
        + " readinessProbe of container seid",
    "spec.template.spec.initContainers[sei-sidecar].args, args of container sei-sidecar",
    "spec.template.spec.initContainers[sei-sidecar].env[SEI_HOME].value,"
        + " env of container sei-sidecar",
    "spec.template.spec.initContainers[data-reset], container data-reset",
    "spec.template.metadata.annotations.karpenter.sh/do-not-disrupt,"
        + " annotation karpenter.sh/do-not-disrupt",
    "spec.template.metadata.labels.team, label team",
    "spec.template.metadata.annotations.sei.io/body-hash, ''",
    "spec.template.metadata.annotations.sei.io/spec-hash, ''",
    "spec.replicas, ''",
    "metadata.labels.team, ''"
  })
  void pathIsToldInWords(String path, String words) {
    assertThat(TemplateDifferences.words(List.of(path))).isEqualTo(words);
  }

  @Test
  void eachIsNamedOnce() {
    assertThat(
            TemplateDifferences.words(
                List.of(
                    "spec.template.spec.containers[seid].env[A]",
                    "spec.template.spec.containers[seid].env[B].value",
                    "spec.template.spec.enableServiceLinks")))
        .isEqualTo("env of container seid, enableServiceLinks");
  }

  @Test
  void aStampIsADifferenceWithoutWords() {
    assertThat(
            TemplateDifferences.anyIn(
                List.of("spec.template.metadata.annotations.sei.io/body-hash")))
        .isTrue();
    assertThat(TemplateDifferences.anyIn(List.of("spec.replicas", "metadata.labels.team")))
        .isFalse();
  }
}
