package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** Forecast of restarts, their order and their reasons: the answer to a request by annotation. */
@SchemaCustomizer(value = ListTypes.class, input = "nodes=map:name")
public record Explanation(
    @Required @JsonPropertyDescription("Value of the annotation sei.io/explain this answers.")
        String request,
    @JsonPropertyDescription("Generation of the spec that is explained.") Long observedGeneration,
    @Required @JsonPropertyDescription("Time of this forecast; it is not kept up to date.")
        Instant at,
    @Required @JsonPropertyDescription("The answer in one line.") String summary,
    List<ExplainedNode> nodes) {

  /** Fate of a node's pod. */
  public enum Action {
    /** The pod restarts as soon as it is admitted. */
    RESTART("Restart"),
    /** The pod keeps running. */
    NONE("None"),
    /** The pod does not restart until something changes. */
    WAIT("Wait");

    private final String value;

    Action(String value) {
      this.value = value;
    }

    /** The action as it stands in status. */
    @JsonValue
    @Override
    public String toString() {
      return value;
    }
  }

  /** Forecast for one node. */
  public record ExplainedNode(
      @Required String name,
      @Required
          @JsonPropertyDescription(
              "Restart; None; or Wait, until what the reason names has changed.")
          Action action,
      @JsonPropertyDescription("Wave in which it restarts, from 1; unset if it does not.")
          Integer wave,
      @Required @JsonPropertyDescription("Cause, and what it waits for.") String reason) {}

  /**
   * Returns the explanation for a status: none without a request, and the last one while it answers
   * the present request, so that an answer costs one write.
   *
   * @param last the explanation the status has; may be null
   * @param answer explains, given the request
   */
  public static Explanation renewed(
      Explanation last,
      Optional<String> request,
      Long generation,
      Function<String, Explanation> answer) {
    return request
        .map(text -> last != null && last.answers(text, generation) ? last : answer.apply(text))
        .orElse(null);
  }

  /** Returns the explanation for an invalid spec. */
  public static Explanation ofInvalid(
      Explanation last, Optional<String> asked, Long generation, Instant now, String errors) {
    return renewed(
        last,
        asked,
        generation,
        request ->
            new Explanation(
                request,
                generation,
                now,
                "nothing restarts, the spec is invalid: " + errors,
                List.of()));
  }

  /** Returns whether this answers a request about a generation of the spec. */
  public boolean answers(String asked, Long generation) {
    return asked.equals(request) && Objects.equals(observedGeneration, generation);
  }
}
