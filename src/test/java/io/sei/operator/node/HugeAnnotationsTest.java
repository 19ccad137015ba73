package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.Bulk;
import io.sei.operator.testkit.samples.Samples;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Annotations as large as an API server takes them. */
class HugeAnnotationsTest extends RolloutTestCase {

  private static final String FILLER = "example.com/filler";

  @Test
  void annotationsAtTheirLimitAreInNobodysWay() {
    var node = Samples.node(namespace, NODE, spec(A));
    node.getMetadata()
        .setAnnotations(Map.of(FILLER, Bulk.text(Bulk.ALL_ANNOTATIONS - FILLER.length())));
    client.resource(node).create();
    awaitUpToDate(A);

    setImage(B);

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(events("StatusTooLarge")).isEmpty();
  }
}
