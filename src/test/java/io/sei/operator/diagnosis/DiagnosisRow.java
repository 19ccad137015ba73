package io.sei.operator.diagnosis;

import io.sei.operator.api.v1alpha1.StallReason;
import java.time.Instant;

/** A situation with the finding it must lead to; reason null means no finding. */
record DiagnosisRow(
    String name, Evidence evidence, StallReason reason, boolean terminal, String... says) {

  static final String HALT =
      "goroutine 1\npanic: UPGRADE \"v6.1\" NEEDED at height: 1200: {}\n\ngoroutine 7 [running]:";
  static final String TOO_EARLY =
      "panic: BINARY UPDATED BEFORE TRIGGER! UPGRADE \"v7\" - in binary but not executed on chain";
  static final Instant SOON = PodSamples.NOW.plusSeconds(20);
  static final Instant PAST = PodSamples.NOW.minusSeconds(42);
  static final NodeFacts SILENT = new NodeFacts(PodSamples.NODE, NodeFacts.State.SILENT);

  static DiagnosisRow row(String name, Evidence evidence, StallReason reason, String... says) {
    return new DiagnosisRow(name, evidence, reason, false, says);
  }

  static DiagnosisRow terminal(String name, Evidence evidence, StallReason reason, String... says) {
    return new DiagnosisRow(name, evidence, reason, true, says);
  }

  static DiagnosisRow nothing(String name, Evidence evidence) {
    return new DiagnosisRow(name, evidence, null, false);
  }

  @Override
  public String toString() {
    return name;
  }
}
