package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SnapshotStopTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "2026-06-01T10:00:01Z, true",
    "2026-06-01T10:10:00Z, true",
    // Another replica's clock may be ahead.
    "2026-06-01T10:15:00Z, true",
    "2026-06-01T10:15:01Z, false",
    "2026-06-01T10:00:00Z, false",
    "2026-06-01T09:00:00Z, false",
    "tomorrow, false",
    "'', false",
  })
  void isInForceUntilItsEnd(String until, boolean inForce) {
    var node = new SeiNode();
    node.getMetadata()
        .setAnnotations(
            Map.of(Annotations.STOPPED_UNTIL, until, Annotations.STOPPED_FOR, "fleet-1-2026"));

    assertThat(SnapshotStop.of(node, NOW).map(SnapshotStop::snapshot).isPresent())
        .isEqualTo(inForce);
  }
}
