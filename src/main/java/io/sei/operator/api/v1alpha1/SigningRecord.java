package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** What a running validator has written to the cluster's record of its key. */
public record SigningRecord(
    @JsonPropertyDescription("Name of the SeiSigningKey.") String name,
    @JsonPropertyDescription("UID of the pod that it was last brought up to.") String podUid,
    @JsonPropertyDescription("Who holds the key instead and signs too; unset if nobody.")
        String sharedWith) {}
