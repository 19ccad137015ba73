package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/** Progress of {@code spec.dataResetGeneration}. */
@RecordBuilder
public record DataReset(
    @JsonPropertyDescription("The number that was acted on last, or that a new node came with.")
        Long generation,
    @JsonPropertyDescription("The claim whose data was wiped for it; unset if none was.")
        String claimUid,
    Instant startedAt,
    @JsonPropertyDescription("Time at which the node ran again.") Instant completedAt)
    implements DataResetBuilder.With {}
