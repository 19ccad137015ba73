package io.sei.operator.api;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.sei.operator.api.CelRules.Evaluated;
import io.sei.operator.api.CelRules.Verdict;
import io.sei.operator.render.SpecFields;
import io.sei.operator.render.SpecFields.Effect;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Effects of a change of a field on nodes that run. A change that the API server refuses is found
 * by a change of that field alone under the rules of the CRD; the others are those of {@link
 * SpecFields}, by which the operator decides.
 */
final class FieldEffects {

  static final String REFUSED = "is refused";
  static final String NOTHING = "restarts nothing";

  /** Fields of a fleet beside its template that change more than the work of the operator. */
  static final Map<String, String> OF_FLEETS =
      Map.of(
          "spec.replicas", "adds or removes nodes",
          "spec.paused", "stops or starts every node",
          "spec.template.metadata", "is rolled out",
          "spec.template.spec", "is rolled out");

  private final String kind;
  private final JSONSchemaProps schema;
  private final CelRules rules;

  FieldEffects(String kind, JSONSchemaProps schema) {
    this.kind = kind;
    this.schema = schema;
    this.rules = CelRules.of(schema);
  }

  /** Returns the words for a field of the spec that has no fields of its own. */
  String of(String path) {
    if (isRefused(path)) {
      return REFUSED;
    }
    return switch (kind) {
      case "SeiNode" ->
          wordsOf(SpecFields.effectOf(path.substring("spec.".length()).replace("[]", "")));
      case "SeiNodeDeployment" ->
          OF_FLEETS.entrySet().stream()
              .filter(field -> path.equals(field.getKey()) || path.startsWith(field.getKey() + "."))
              .map(Map.Entry::getValue)
              .findFirst()
              .orElse(NOTHING);
      default -> NOTHING;
    };
  }

  /** Returns the words for a field that has fields of its own, which have theirs. */
  String ofObject(String path) {
    boolean isMode =
        kind.equals("SeiNode")
            && SpecFields.paths(field -> field.effect() == Effect.MODE)
                .anyMatch(mode -> path.equals("spec." + mode));
    return isMode ? "setting or removing it is refused" : "";
  }

  private static String wordsOf(Effect effect) {
    return switch (effect) {
      case RESTARTS -> "replaces the pod";
      case CONFIGURES -> "restarts seid";
      case MODE -> REFUSED;
      case STOPS -> "stops or starts the node";
      case CHANGES_VOLUME -> "changes the volume";
      case NONE -> NOTHING;
    };
  }

  private boolean isRefused(String path) {
    Object before = object(path, false);
    return !refusals(object(path, true), before).equals(refusals(before, before));
  }

  private Set<String> refusals(Object object, Object old) {
    return rules.evaluate(object, old).stream()
        .filter(evaluated -> evaluated.rule().isTransition())
        .filter(evaluated -> evaluated.verdict() == Verdict.BROKEN)
        .map(Evaluated::rule)
        .map(rule -> rule.path() + rule.message())
        .collect(Collectors.toSet());
  }

  /** Returns an object that has nothing but one field, with one of two values. */
  Object object(String path, boolean isChanged) {
    return object(schema, List.of(path.split("\\.")), isChanged);
  }

  private static Object object(JSONSchemaProps at, List<String> steps, boolean isChanged) {
    if (steps.isEmpty()) {
      return value(at, isChanged);
    }
    String step = steps.getFirst();
    String name = step.replace("[]", "");
    JSONSchemaProps field = at.getProperties().get(name);
    List<String> rest = steps.subList(1, steps.size());
    Map<String, Object> object = new HashMap<>();
    object.put(
        name,
        step.endsWith("[]")
            ? List.of(object(field.getItems().getSchema(), rest, isChanged))
            : object(field, rest, isChanged));
    return object;
  }

  /** Returns one of two values of a field. */
  private static Object value(JSONSchemaProps field, boolean isChanged) {
    if (field.getEnum() != null && field.getEnum().size() > 1) {
      return field.getEnum().get(isChanged ? 1 : 0).asText();
    }
    if (Boolean.TRUE.equals(field.getXKubernetesIntOrString())) {
      return isChanged ? 2L : 1L;
    }
    return switch (String.valueOf(field.getType())) {
      case "boolean" -> isChanged;
      case "integer", "number" -> isChanged ? 2L : 1L;
      case "array" -> isChanged ? List.of(value(field.getItems().getSchema(), true)) : List.of();
      case "object" ->
          field.getAdditionalProperties() == null ? Map.of() : Map.of("a", isChanged ? "b" : "a");
      default -> isChanged ? "b" : "a";
    };
  }
}
