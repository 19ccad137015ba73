package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.ResourceRequirements;

/** The sei-sidecar container beside seid. */
@SchemaCustomizer(value = Quantities.class, input = "resources")
public record SidecarSpec(
    @Size(max = 512)
        @JsonPropertyDescription("Image; the operator's SEI_SIDECAR_IMAGE if unset.")
        @ValidationRule(
            value = "self == '' || self.matches('" + Patterns.IMAGE + "')",
            message = Patterns.IMAGE_MESSAGE)
        String image,
    @Default("7777") @Min(1) @Max(65535) @JsonPropertyDescription("Port of its HTTP API.")
        Integer port,
    @JsonPropertyDescription("Resources of the container; none if unset.")
        ResourceRequirements resources) {

  /** The port used when none is set. */
  public static final int DEFAULT_PORT = 7777;
}
