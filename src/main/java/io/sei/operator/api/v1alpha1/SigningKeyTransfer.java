package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** The node of another namespace that a signing key goes to. */
public record SigningKeyTransfer(
    @Required
        @Size(min = 1, max = 63)
        @Pattern(Patterns.DNS_LABEL)
        @JsonPropertyDescription("Namespace of the SeiNode.")
        String namespace,
    @Required
        @Size(min = 1, max = 63)
        @Pattern(Patterns.DNS_LABEL)
        @JsonPropertyDescription("Name of the SeiNode.")
        String node) {}
