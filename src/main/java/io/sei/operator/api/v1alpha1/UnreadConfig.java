package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * A run of seid that has to end: it began before its configuration files were last written, or the
 * user requested a restart.
 */
@RecordBuilder
public record UnreadConfig(
    @JsonPropertyDescription("ID of the container's run.") String containerID,
    @JsonPropertyDescription(
            "Time at which the sidecar found the new configuration valid, or the restart "
                + "was requested.")
        Instant since,
    @JsonPropertyDescription(
            "ID of the sidecar's task that ends this run; unset where nothing does, or its pod is"
                + " deleted.")
        String restart,
    @JsonPropertyDescription(
            "Time at which the sidecar accepted the request, which is not repeated.")
        Instant askedAt,
    @JsonPropertyDescription(
            "Value of the annotation sei.io/seid-restart that requested the end of this "
                + "run; unset if none did.")
        String request)
    implements UnreadConfigBuilder.With {}
