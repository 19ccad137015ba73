package io.sei.operator.diagnosis;

import io.sei.operator.api.v1alpha1.StallReason;

/**
 * A problem of one container.
 *
 * @param blocksSeid whether seid cannot run because of it
 * @param finding the report, if it is the most important one
 * @param brief container and problem, to be named after a more important one
 */
record Symptom(String container, boolean blocksSeid, Finding finding, String brief) {

  StallReason reason() {
    return finding.reason();
  }
}
