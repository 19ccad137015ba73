package io.sei.operator.takeover.fields;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads of managedFields no more than tells when a Go operator wrote: who, how and when, without
 * the fields. The rest is large and needed by nobody here.
 */
public final class FewManagedFields extends JsonDeserializer<List<ManagedFieldsEntry>> {

  /** Makes {@code ObjectMeta} read so; written they are refused (400) in an apply. */
  @JsonIgnoreProperties(value = "managedFields", allowSetters = true)
  public interface OfMetadata {
    /** Sets those that are kept. */
    @JsonDeserialize(using = FewManagedFields.class)
    void setManagedFields(List<ManagedFieldsEntry> managedFields);
  }

  /** Makes {@code ManagedFieldsEntry} read so. */
  @JsonIgnoreProperties({"fieldsV1", "fieldsType", "apiVersion"})
  public interface OfEntry {}

  @Override
  public List<ManagedFieldsEntry> deserialize(JsonParser parser, DeserializationContext context)
      throws IOException {
    if (!parser.isExpectedStartArrayToken()) {
      parser.skipChildren();
      return List.of();
    }
    var kept = new ArrayList<ManagedFieldsEntry>(0);
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      var entry = context.readValue(parser, ManagedFieldsEntry.class);
      if (Predecessor.APPLIER.equals(entry.getManager())
          || Predecessor.updatesAs(entry.getManager())) {
        kept.add(entry);
      }
    }
    return kept;
  }
}
