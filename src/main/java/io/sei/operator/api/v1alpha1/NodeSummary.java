package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;

/** One node of a deployment, as its own status has it. */
public record NodeSummary(
    @Required String name,
    NodePhase phase,
    String currentImage,
    Boolean ready,
    @JsonPropertyDescription(
            "Why the node is not Ready, or else why a rollout leaves it out, and the fields that"
                + " are set on it by hand.")
        String reason) {}
