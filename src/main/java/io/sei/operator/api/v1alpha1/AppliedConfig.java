package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;

/** The configuration that the sidecar was last given, and found valid. */
@RecordBuilder
public record AppliedConfig(
    @Required
        @JsonPropertyDescription(
            "Digest of what the spec asks of the configuration: overrides, configValues, peers,"
                + " externalAddress, snapshotGeneration.")
        String hash,
    @JsonPropertyDescription(
            "Time at which the sidecar found it valid; unset for a node that was taken " + "over.")
        Instant appliedAt,
    @JsonPropertyDescription(
            "The keys that were set, sorted: those of sei-config, and those of files, such as"
                + " app.toml:giga.execution.parse_workers.")
        List<String> keys,
    @JsonPropertyDescription("Digest of the peers that were set; unset if none were.")
        String peersHash,
    @JsonPropertyDescription(
            "Keys that are no longer set and are still in the files: they are taken out once the"
                + " node has synced, since that writes the files again and ends state sync.")
        List<String> keysLeft,
    @JsonPropertyDescription(
            "Whether the files are those of an earlier node on the volume, with the keys set in"
                + " them: they are written again once the node has synced.")
        Boolean inherited)
    implements AppliedConfigBuilder.With {}
