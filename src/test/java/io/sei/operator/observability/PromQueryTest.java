package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.observability.PromQuery.Selector;
import org.junit.jupiter.api.Test;

class PromQueryTest {

  @Test
  void findsMetricsMatchersAndGroupings() {
    PromQuery query =
        PromQuery.parse(
            """
            (time() - max by (namespace, name) (a_seconds) > 3600)
              and on (namespace)
            sum(rate(b_total{kind="X",result=~"c.*"}[5m])) unless up == 1
              or label_replace(r:c:d, "to", "$1", "from", "(.+)-[0-9]+")
            """);

    assertThat(query.labels()).containsExactly("from", "name", "namespace");
    assertThat(query.made()).containsExactly("to");
    assertThat(query.selectors())
        .extracting(Selector::metric)
        .containsExactly("a_seconds", "b_total", "up", "r:c:d");
    assertThat(query.selectors().get(1).labels())
        .containsEntry("kind", "X")
        .containsEntry("result", null);
  }

  @Test
  void variableOfADashboardIsNoValue() {
    PromQuery query = PromQuery.parse("a{namespace=\"$namespace\"}[$__rate_interval]");

    assertThat(query.selectors()).hasSize(1);
    assertThat(query.selectors().get(0).labels()).containsOnlyKeys("namespace");
    assertThat(query.selectors().get(0).labels().get("namespace")).isNull();
  }
}
