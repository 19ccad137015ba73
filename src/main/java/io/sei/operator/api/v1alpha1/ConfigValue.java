package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A key of one of seid's TOML files, as it is spelt there, and its value. */
public record ConfigValue(
    @Required
        @Size(min = 1, max = 64)
        @Pattern(Patterns.TOML_FILE)
        @JsonPropertyDescription("The file in seid's config folder, such as app.toml.")
        String fileName,
    @Required
        @Size(min = 1, max = 256)
        @Pattern(Patterns.TOML_KEY)
        @JsonPropertyDescription("The key with its tables, such as giga.execution.parse_workers.")
        String key,
    // One that is empty counts in digests.
    @Required
        @JsonInclude(JsonInclude.Include.ALWAYS)
        @JsonPropertyDescription(
            "Any JSON but null, of at most four levels and 4 KiB; an object is merged with the"
                + " table there.")
        JsonNode value) {}
