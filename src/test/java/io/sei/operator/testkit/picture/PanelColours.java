package io.sei.operator.testkit.picture;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Colours of a panel: of the values that it maps to states, above its thresholds, and of the fields
 * that have one of their own.
 */
record PanelColours(JsonNode config) {

  /** A state that a value stands for. */
  record State(String name, String colour) {}

  static PanelColours of(JsonNode panel) {
    return new PanelColours(panel.get("fieldConfig"));
  }

  /** The states by their values. */
  Map<Double, State> states() {
    Map<Double, State> states = new LinkedHashMap<>();
    for (JsonNode mapping : config.at("/defaults/mappings")) {
      for (var value : mapping.get("options").properties()) {
        JsonNode state = value.getValue();
        states.put(
            Double.valueOf(value.getKey()),
            new State(state.get("text").asText(), Svg.named(state.get("color").asText())));
      }
    }
    return states;
  }

  String ofThreshold(double value) {
    String colour = "green";
    for (JsonNode step : config.at("/defaults/thresholds/steps")) {
      if (step.get("value").isNull() || value >= step.get("value").asDouble()) {
        colour = step.get("color").asText();
      }
    }
    return Svg.named(colour);
  }

  /** The colour that the panel sets for a field or line, which it may name by a pattern. */
  Optional<String> ofField(String name) {
    Stream<JsonNode> overrides =
        config
            .get("overrides")
            .valueStream()
            .filter(override -> matches(override.get("matcher"), name))
            .flatMap(override -> override.get("properties").valueStream())
            .filter(property -> property.get("id").asText().equals("color"))
            .map(property -> property.get("value"));
    return Stream.concat(overrides, Stream.of(config.at("/defaults/color")))
        .filter(colour -> colour.path("mode").asText().equals("fixed"))
        .map(colour -> Svg.named(colour.get("fixedColor").asText()))
        .findFirst();
  }

  private static boolean matches(JsonNode matcher, String name) {
    String wanted = matcher.get("options").asText();
    return switch (matcher.get("id").asText()) {
      case "byName" -> wanted.equals(name);
      case "byRegexp" ->
          Pattern.compile(wanted.substring(1, wanted.length() - 1)).matcher(name).find();
      default -> throw new IllegalArgumentException("not known here: " + matcher);
    };
  }
}
