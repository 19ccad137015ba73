package io.sei.operator.api.v1alpha1;

import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * Target of a plan. Tasks act on this and never on a spec that has moved on.
 *
 * @param generation generation of the spec
 * @param specHash digest of what makes a pod restart
 * @param image image of seid
 * @param sidecarImage image of the sidecar
 * @param statefulSetUid the StatefulSet the plan works on, once it is known
 * @param retry value of the annotation {@code sei.io/retry} when the plan was made
 * @param configHash digest of what the spec asked of the configuration
 */
@RecordBuilder
public record PlanTarget(
    Long generation,
    String specHash,
    String image,
    String sidecarImage,
    String statefulSetUid,
    String retry,
    String configHash)
    implements PlanTargetBuilder.With {}
