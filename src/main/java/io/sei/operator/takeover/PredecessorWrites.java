package io.sei.operator.takeover;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Times;
import io.sei.operator.render.Annotations;
import io.sei.operator.takeover.fields.Predecessor;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What a Go operator wrote to a node, by the field managers of the node and its StatefulSet. */
public final class PredecessorWrites {

  private static final String APPLY = "Apply";
  private static final String STATUS = "status";

  private PredecessorWrites() {}

  /**
   * A write of a Go operator.
   *
   * @param at in whole seconds, as field managers have it
   */
  public record Write(String fieldManager, String object, Instant at) {}

  /**
   * The last write of a Go operator, if there has been one.
   *
   * @param node as cached: a copy has no managedFields
   */
  public static Optional<Write> latest(SeiNode node, Optional<StatefulSet> statefulSet) {
    Stream<Write> statuses =
        entries(node)
            .filter(entry -> STATUS.equals(entry.getSubresource()))
            .filter(entry -> Predecessor.updatesAs(entry.getManager()))
            .flatMap(entry -> write(entry, "the status of SeiNode ", node));
    Stream<Write> applies =
        statefulSet
            .filter(applied -> !isOurs(applied))
            .map(
                applied ->
                    entries(applied)
                        .filter(entry -> APPLY.equals(entry.getOperation()))
                        .filter(entry -> Predecessor.APPLIER.equals(entry.getManager()))
                        .flatMap(entry -> write(entry, "StatefulSet ", applied)))
            .orElseGet(Stream::empty);
    return Stream.concat(statuses, applies).max(Comparator.comparing(Write::at));
  }

  /** Both operators apply under one name. Who applies last takes away what only the other has. */
  private static boolean isOurs(StatefulSet statefulSet) {
    return has(statefulSet.getMetadata().getAnnotations(), Annotations.RENDERED_HASH)
        || has(
            statefulSet.getSpec().getTemplate().getMetadata().getAnnotations(),
            Annotations.SPEC_HASH);
  }

  private static boolean has(Map<String, String> annotations, String key) {
    return annotations != null && annotations.containsKey(key);
  }

  private static Stream<ManagedFieldsEntry> entries(HasMetadata object) {
    return object.getMetadata().getManagedFields().stream();
  }

  private static Stream<Write> write(ManagedFieldsEntry entry, String what, HasMetadata object) {
    return Times.parse(entry.getTime()).stream()
        .map(at -> new Write(entry.getManager(), what + object.getMetadata().getName(), at));
  }
}
