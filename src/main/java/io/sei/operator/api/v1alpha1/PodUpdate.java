package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The last update of a pod whose node asks for updates in place, recorded before anything is done:
 * what its containers were then says which of their runs are of the new images.
 */
@RecordBuilder
public record PodUpdate(
    @JsonPropertyDescription("UID of the pod that the update found.") String podUid,
    @JsonPropertyDescription("InPlace: images or resources were changed; Recreate: it was deleted.")
        How how,
    @JsonPropertyDescription(
            "Reason in one word for which the pod was deleted; Withdrawn while it gets "
                + "its previous images and resources back; else unset.")
        String reason,
    @JsonPropertyDescription("Explanation of why the pod was deleted; unset if it was not.")
        String message,
    @JsonPropertyDescription(
            "The StatefulSet's revision that the pod was brought to; unset until it is known.")
        String revision,
    @JsonPropertyDescription("Spec hash of that revision.") String specHash,
    @JsonPropertyDescription(
            "The image it had, of seid unless only others changed; unset if only resources did.")
        String from,
    @JsonPropertyDescription("The image it was given.") String to,
    @JsonPropertyDescription("Time at which this was decided and recorded.") Instant at,
    @JsonPropertyDescription(
            "Time at which the pod was first seen with the new images and resources.")
        Instant changedAt,
    @JsonPropertyDescription("The containers that got another image, as they were before it.")
        List<UpdatedContainer> containers,
    @JsonPropertyDescription("Images that have crashed in this pod, which it is not given again.")
        List<String> crashedImages,
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
        @JsonPropertyDescription("The containers that got other resources.")
        List<ResizedContainer> resized)
    implements PodUpdateBuilder.With {

  private static final Duration SOON = Duration.ofSeconds(10);

  private static final String WITHDRAWN = "Withdrawn";

  /** Method by which a pod gets another template. */
  public enum How {
    @JsonProperty("InPlace")
    IN_PLACE("InPlace"),
    @JsonProperty("Recreate")
    RECREATE("Recreate");

    private final String value;

    How(String value) {
      this.value = value;
    }

    @Override
    public String toString() {
      return value;
    }
  }

  /** A container that got another image, as it was before. */
  @RecordBuilder
  public record UpdatedContainer(
      String name,
      @JsonPropertyDescription("The image that it was given.") String image,
      @JsonPropertyDescription("The image that the pod had for it, as admission had left it.")
          String previousImage,
      @JsonPropertyDescription("Its newest run before the update.") String containerID,
      @JsonPropertyDescription("Image id that the kubelet resolved for that run.") String imageID,
      @JsonPropertyDescription("Whether that run was under way.") Boolean running,
      @JsonPropertyDescription("The container's restarts until then.") Integer restartCount,
      @JsonPropertyDescription("Its restarts when its first run of the new image was seen.")
          Integer firstRestartCount,
      @JsonPropertyDescription("Start of that run, by the clock of the pod's Kubernetes node.")
          Instant startedAt)
      implements PodUpdateUpdatedContainerBuilder.With {}

  /** A container that got other resources. */
  public record ResizedContainer(
      String name,
      @JsonPropertyDescription(
              "Previous amounts, such as requests.cpu; an amount that was not set is missing.")
          Map<String, String> from,
      @JsonPropertyDescription("New amounts; an amount that was removed is missing.")
          Map<String, String> to) {

    public ResizedContainer {
      from = known(from);
      to = known(to);
    }

    /** Returns the resize that restores the previous resources. */
    public ResizedContainer reversed() {
      return new ResizedContainer(name, to, from);
    }

    private static Map<String, String> known(Map<String, String> values) {
      var known = new HashMap<String, String>(values == null ? Map.of() : values);
      known.values().removeIf(Objects::isNull);
      return Map.copyOf(known);
    }
  }

  public PodUpdate {
    containers =
        Stream.ofNullable(containers)
            .flatMap(List::stream)
            .filter(container -> container != null && container.name() != null)
            .toList();
    crashedImages =
        Stream.ofNullable(crashedImages).flatMap(List::stream).filter(Objects::nonNull).toList();
    resized =
        Stream.ofNullable(resized)
            .flatMap(List::stream)
            .filter(container -> container != null && container.name() != null)
            .toList();
  }

  /**
   * Returns whether this is about the pod with a uid, brought to a template: that of a revision or,
   * as long as it is not known which one that is, of a spec hash.
   */
  public boolean isOf(String uid, String otherRevision, String otherHash) {
    return Objects.equals(podUid, uid)
        && (revision == null
            ? Objects.equals(specHash, otherHash)
            : revision.equals(otherRevision));
  }

  /** Returns whether a plan asks for this, or asked for it; not if there is none. */
  public boolean isOfPlan(TaskPlan plan) {
    return plan != null
        && plan.kind() == PlanKind.UPDATE
        && plan.target() != null
        && specHash != null
        && specHash.equals(plan.target().specHash());
  }

  /** Returns a copy without what was observed after it was recorded, for which nothing waits. */
  public PodUpdate withoutObservation() {
    return with(
        builder ->
            builder
                .revision(null)
                .at(null)
                .changedAt(null)
                .containers(
                    containers.stream()
                        .map(
                            container ->
                                container.with(
                                    that -> that.firstRestartCount(null).startedAt(null)))
                        .toList()));
  }

  /**
   * Returns whether this need not be recorded again as another update. When an update began tells
   * which runs are of the new image, so that is not left behind by long.
   */
  public boolean foretells(PodUpdate update) {
    return withoutObservation().equals(update.withoutObservation())
        && at != null
        && update.at().isBefore(at.plus(SOON));
  }

  /**
   * Returns what remains of an update that is no longer requested: the pod gets its previous
   * resources back.
   *
   * @param ownHash what the pod is stamped with
   */
  public PodUpdate withdrawn(String ownHash, List<ResizedContainer> back, Instant now) {
    return with(builder ->
            builder
                .how(How.IN_PLACE)
                .reason(WITHDRAWN)
                .revision(null)
                .specHash(ownHash)
                .at(now)
                .containers(List.of())
                .resized(back))
        .withFrom(null)
        .withTo(null);
  }

  /** Returns whether this undoes an update. */
  @JsonIgnore
  public boolean isWithdrawn() {
    return how == How.IN_PLACE && WITHDRAWN.equals(reason);
  }

  /** Returns a copy that deletes the pod instead of updating it in place. */
  public PodUpdate givenUp(String why, String words) {
    return with(builder -> builder.how(How.RECREATE).reason(why).message(words));
  }
}
