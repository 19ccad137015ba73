package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;

/** Target of a plan. Tasks act on this and never on a spec that has moved on. */
@RecordBuilder
public record PlanTarget(
    @JsonPropertyDescription("Generation of the spec.") Long generation,
    @JsonPropertyDescription("Digest of the fields whose change replaces the pod.") String specHash,
    @JsonPropertyDescription("Image of seid.") String image,
    @JsonPropertyDescription("Image of the sidecar.") String sidecarImage,
    @JsonPropertyDescription("UID of the StatefulSet, once it is known.") String statefulSetUid,
    @JsonPropertyDescription("Value of the annotation sei.io/retry when the plan was made.")
        String retry,
    @JsonPropertyDescription("Digest of the configuration that the spec asks for.")
        String configHash)
    implements PlanTargetBuilder.With {}
