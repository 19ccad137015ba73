package io.sei.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A task to be planned.
 *
 * @param params what the task works on; tasks with equal params do the same
 * @param reusable whether a completed task with equal params need not be done again by a plan that
 *     supersedes this one
 */
public record TaskSpec(String type, JsonNode params, int maxRetries, boolean reusable) {}
