package io.sei.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A task to be planned.
 *
 * @param params what the task works on; tasks with equal params do the same
 * @param reuse what a plan that supersedes this one takes over of the task
 */
public record TaskSpec(String type, JsonNode params, int maxRetries, Reuse reuse) {}
