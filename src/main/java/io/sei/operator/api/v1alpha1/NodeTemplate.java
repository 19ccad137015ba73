package io.sei.operator.api.v1alpha1;

import io.fabric8.generator.annotation.Required;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Map;

/** What the nodes of a deployment are made from. */
@RecordBuilder
public record NodeTemplate(TemplateMetadata metadata, @Required SeiNodeSpec spec)
    implements NodeTemplateBuilder.With {

  /** Labels and annotations of the nodes; labels go on their pods as well. */
  public record TemplateMetadata(Map<String, String> labels, Map<String, String> annotations) {}
}
