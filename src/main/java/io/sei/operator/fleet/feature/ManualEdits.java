package io.sei.operator.fleet.feature;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.kube.SubsetDiff;
import io.sei.operator.render.SpecFields;
import io.sei.operator.render.SpecFields.Effect;
import io.sei.operator.render.SpecFields.Scope;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Edits of a fleet's node beside its template. Fields that the template sets are restored; others
 * stay as they were edited.
 */
final class ManualEdits {

  /** Fields for which the pod is replaced, with all that is in them. */
  private static final List<String> RESTARTING =
      SpecFields.paths(
              field -> field.effect() == Effect.RESTARTS && field.scope() == Scope.TEMPLATE)
          .toList();

  private static final List<String> MODES =
      SpecFields.paths(field -> field.effect() == Effect.MODE).toList();

  private ManualEdits() {}

  /**
   * Returns the fields in which a node differs from its template and for which its pod is replaced.
   */
  static List<String> fields(SeiNode node, SeiNode made) {
    return Stream.concat(
            SubsetDiff.of(spec(node), spec(made)).stream().filter(ManualEdits::isRestarting),
            otherMode(node, made).stream())
        .map(path -> "spec." + path)
        .toList();
  }

  /** Returns whether a node has everything that the template sets. */
  static boolean isBeside(SeiNode node, SeiNode made) {
    return otherMode(node, made).isEmpty() && SubsetDiff.of(spec(made), spec(node)).isEmpty();
  }

  /** A mode may be an empty object, which is no difference otherwise. */
  private static Optional<String> otherMode(SeiNode node, SeiNode made) {
    return MODES.stream().filter(mode -> spec(node).has(mode) && !spec(made).has(mode)).findFirst();
  }

  private static boolean isRestarting(String path) {
    return RESTARTING.stream().anyMatch(text -> path.equals(text) || path.startsWith(text + "."));
  }

  private static JsonNode spec(SeiNode node) {
    return KubernetesClients.serialization().convertValue(node.getSpec(), JsonNode.class);
  }
}
