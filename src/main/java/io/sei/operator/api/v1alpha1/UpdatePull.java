package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The pull of the images that a pod is to be given in place, while it serves with those it has;
 * written before its Job is made.
 */
@RecordBuilder
public record UpdatePull(
    @JsonPropertyDescription("ID of the plan that waits for it.") String planID,
    @JsonPropertyDescription("The image that is pulled, or was last.") String image,
    @JsonPropertyDescription("The Kubernetes node that pulls it.") String kubernetesNode,
    @JsonPropertyDescription("When its pull began, the last time.") Instant startedAt,
    @JsonPropertyDescription("Images of the update that are not waited for any more.")
        List<String> done,
    @JsonPropertyDescription("Why the image could not be pulled the last time.") String error,
    @JsonPropertyDescription("When that was; unset while it is pulled again.") Instant failedAt)
    implements UpdatePullBuilder.With {

  public UpdatePull {
    done = Stream.ofNullable(done).flatMap(List::stream).filter(Objects::nonNull).toList();
  }

  /** Whether a plan waits for this; not if there is none. */
  public boolean isOf(TaskPlan plan) {
    return plan != null && plan.isActive() && planID != null && planID.equals(plan.id());
  }

  /** Whether there may be a Job. */
  @JsonIgnore
  public boolean isOpen() {
    return image != null && failedAt == null && !done.contains(image);
  }

  /** The same once its image is not waited for any more. */
  public UpdatePull ended() {
    List<String> all = Stream.concat(done.stream(), Stream.of(image)).distinct().toList();
    return with(it -> it.done(all).error(null).failedAt(null));
  }

  /** The same after a failed pull. */
  public UpdatePull failed(String why, Instant now) {
    return with(it -> it.error(why).failedAt(now));
  }

  /** The same as its image is pulled once more. */
  public UpdatePull again(Instant now) {
    return with(it -> it.startedAt(now).failedAt(null));
  }
}
