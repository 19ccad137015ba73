package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;

/** Template of a deployment's nodes. */
@RecordBuilder
public record NodeTemplate(
    @JsonPropertyDescription("Labels and annotations of the nodes.") TemplateMetadata metadata,
    @Required @JsonPropertyDescription("Spec of the nodes.") SeiNodeSpec spec)
    implements NodeTemplateBuilder.With {

  /** Labels and annotations of the nodes. */
  public record TemplateMetadata(
      @Size(max = 64)
          @JsonPropertyDescription("On the nodes, and those outside sei.io/ on their pods.")
          Map<String, @Size(max = 63) String> labels,
      @JsonPropertyDescription("On the nodes.")
          Map<String, @Size(max = 262144) String> annotations) {}
}
