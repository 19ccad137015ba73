package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.List;

/** Abilities of a sidecar, learned from its answers; no sidecar reports its version. */
public record SidecarStatus(
    @Required @JsonPropertyDescription("Image of the sidecar that this is known of.") String image,
    @JsonPropertyDescription(
            "Image id to which the kubelet resolved the image: a tag that was moved is "
                + "another sidecar.")
        String imageID,
    @JsonPropertyDescription("Types of tasks that it does not know, sorted.")
        List<String> unknownTaskTypes) {}
