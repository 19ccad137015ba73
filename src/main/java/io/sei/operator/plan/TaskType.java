package io.sei.operator.plan;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.base.Json;
import java.util.function.Function;

/**
 * One type of task: what plans go by, and what it does. A body has no state of its own: running it
 * again after a crash, from what is persisted, must be harmless.
 *
 * @param name the type as it stands in persisted plans; must never change
 * @param params the view of a task's parameters; these stay JSON, with keys that no type declares
 * @param <C> what tasks of this plan's owner work with
 */
public record TaskType<C, P extends Record>(
    String name, Class<P> params, Traits traits, Body<C, P> body) {

  private static final JsonMapper JSON =
      Json.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /** The view of parameters that a body does not go by. */
  public record None() {}

  /** Action of a task. */
  @FunctionalInterface
  public interface Body<C, P> {

    /** Does what is left to do, without waiting for anything. */
    TaskOutcome run(PlannedTask task, P params, C context);
  }

  /** A type that tells everything about its tasks. */
  public static <C> TaskType<C, None> of(
      String name, Traits traits, Function<C, TaskOutcome> body) {
    return new TaskType<>(name, None.class, traits, (task, params, context) -> body.apply(context));
  }

  /** Runs a task once. */
  TaskOutcome run(PlannedTask task, C context) {
    return body.run(task, view(params, task.params()), context);
  }

  /** Parameters as a record; what they lack, or say in another form, is null there. */
  public static <P extends Record> P view(Class<P> type, JsonNode params) {
    try {
      boolean none = params == null || !params.isObject();
      return JSON.convertValue(none ? JSON.createObjectNode() : params, type);
    } catch (IllegalArgumentException e) {
      return JSON.convertValue(JSON.createObjectNode(), type);
    }
  }
}
