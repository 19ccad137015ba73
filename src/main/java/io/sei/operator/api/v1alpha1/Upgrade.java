package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.Locale;

/** An upgrade that the chain has planned, and the image with which a node continues. */
public record Upgrade(
    @Required
        @Size(min = 1, max = 64)
        @ValidationRule(
            value = "self.matches('^[ -~]+$')",
            message = "name must have printable ASCII characters only")
        @JsonPropertyDescription(
            "Name of the plan on the chain, letter by letter, such as v6.8. The tag of its image is"
                + " another one, such as v6.8.0.")
        String name,
    @Required
        @Min(1)
        @JsonPropertyDescription(
            "Height at which the chain plans it. The height alone triggers nothing: a node gets the"
                + " image when its own seid has halted, or before that if the entry is early.")
        Long height,
    @Required
        @Size(min = 1, max = 512)
        @ValidationRule(
            value = "self.matches('(@sha256:[0-9a-f]{64}|:[^/:]+)$') && !self.endsWith(':latest')",
            message = "image must have a tag other than latest, or a digest")
        @JsonPropertyDescription("Container image of seid from this upgrade on.")
        String image,
    @JsonPropertyDescription(
            "Run this image as soon as it is listed, before the height, if the chain marks the"
                + " upgrade as a minor release. A fleet updates node by node.")
        Boolean early) {

  /**
   * Returns whether the entry has the tag of an image as its name where the chain has the name of a
   * plan: v6.8.0, 6.8 or v6.8.0-rc2 for v6.8.
   */
  public boolean isTagOf(String plan) {
    String tag = version(name);
    String planned = version(plan);
    if (name.equals(plan) || !planned.matches("[0-9][0-9.]*")) {
      return false;
    }
    return tag.equals(planned)
        || planned.matches("[0-9]+[.][0-9]+") && tag.matches(planned + "[.][0-9]+([-+.].*)?");
  }

  private static String version(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.startsWith("v") ? lower.substring(1) : lower;
  }

  /** Returns whether the image may run before the height. */
  public boolean runsEarly() {
    return Boolean.TRUE.equals(early);
  }
}
