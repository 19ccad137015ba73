package io.sei.operator.plan;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A task to be planned, or to be asked for.
 *
 * @param type its type's name
 * @param params what it works on, null for nothing; tasks with equal params do the same
 */
public record Step(String type, JsonNode params) {}
