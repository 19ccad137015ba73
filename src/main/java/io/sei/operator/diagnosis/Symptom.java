package io.sei.operator.diagnosis;

import io.sei.operator.api.v1alpha1.StallReason;

/**
 * What is wrong with one container.
 *
 * @param holdsUpSeid whether seid cannot run because of it
 * @param finding what is said of it where it is the most important
 * @param brief what is said of it after something more important: container and trouble
 */
record Symptom(String container, boolean holdsUpSeid, Finding finding, String brief) {

  StallReason reason() {
    return finding.reason();
  }
}
