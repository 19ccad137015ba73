package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * The task at the sidecar. It is recorded before it is submitted, with what it was submitted to:
 * the sidecar's own record, which keeps a transaction from being sent twice, is on that data.
 */
@RecordBuilder
public record NodeTaskSubmission(
    @JsonPropertyDescription("Its id at the sidecar.") String id,
    @JsonPropertyDescription(
            "Pending until the sidecar is known to have it; then Running, Complete or Failed.")
        NodeTaskPhase status,
    @JsonPropertyDescription("Error that the sidecar reported.") String err,
    @JsonPropertyDescription("Time at which its submission was recorded, right before it was made.")
        Instant submittedAt,
    @JsonPropertyDescription("Time at which the sidecar was first known to have it.")
        Instant executionStartedAt,
    @JsonPropertyDescription("UID of the SeiNode that it was submitted to.") String nodeUid,
    @JsonPropertyDescription("UID of the claim with the sidecar's record of it.") String claimUid,
    @JsonPropertyDescription("The reset of the node's data that the record is from after.")
        Long resetGeneration)
    implements NodeTaskSubmissionBuilder.With {}
