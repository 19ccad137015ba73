package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.time.Duration;
import java.util.Locale;

/** The node that a task is for, and what it waits for there. */
public record NodeTaskTarget(
    @Required @JsonPropertyDescription("The SeiNode, in the task's namespace.") NodeRef nodeRef,
    @Default("Running")
        @JsonPropertyDescription("Nothing is done before the node is in this phase.")
        NodePhase requirePhase,
    @Default("5m")
        @Size(max = 32)
        @Pattern(Patterns.DURATION)
        @JsonPropertyDescription(
            "A task that could not be submitted for so long fails; counted from status.startedAt.")
        String requirePhaseTimeout) {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** A SeiNode by its name. */
  public record NodeRef(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_SUBDOMAIN)
          @JsonPropertyDescription("Its name.")
          String name) {}

  /** The phase that is waited for. */
  public NodePhase phase() {
    return requirePhase == null ? NodePhase.RUNNING : requirePhase;
  }

  /** Time for which the task waits for its node. */
  public Duration patience() {
    return requirePhaseTimeout == null || requirePhaseTimeout.isEmpty()
        ? PATIENCE
        : Duration.parse("PT" + requirePhaseTimeout.toUpperCase(Locale.ROOT));
  }
}
