package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.sei.operator.api.schema.ListTypes;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** What would restart, in which order and why: the answer to a request by annotation. */
@SchemaCustomizer(value = ListTypes.class, input = "nodes=map:name")
public record Explanation(
    @Required @JsonPropertyDescription("Value of the annotation sei.io/explain this answers.")
        String request,
    @JsonPropertyDescription("Generation of the spec that is explained.") Long observedGeneration,
    @Required @JsonPropertyDescription("When this was said; it is not kept up to date.") Instant at,
    @Required @JsonPropertyDescription("The answer in one line.") String summary,
    List<ExplainedNode> nodes) {

  /** What becomes of a node's pod. */
  public enum Action {
    /** It restarts without anybody's help, as soon as it is admitted. */
    RESTART("Restart"),
    /** It goes on. */
    NONE("None"),
    /** It does not restart before somebody or something else has changed. */
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

  /**
   * What becomes of one node.
   *
   * @param wave in which wave it restarts, counted from 1; null if it does not restart
   * @param reason why, and what it waits for
   */
  public record ExplainedNode(
      @Required String name, @Required Action action, Integer wave, @Required String reason) {}

  /**
   * The explanation that a status is to have: none if nobody asks, and the last one for as long as
   * it answers what is asked, so that an answer costs one write.
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
        .map(it -> last != null && last.answers(it, generation) ? last : answer.apply(it))
        .orElse(null);
  }

  /** The same for a spec that cannot be worked with. */
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

  /** Whether this answers a request about a generation of the spec. */
  public boolean answers(String asked, Long generation) {
    return asked.equals(request) && Objects.equals(observedGeneration, generation);
  }
}
