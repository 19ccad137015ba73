package io.sei.operator.progression;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * One task for the sidecar.
 *
 * @param params exactly what the sidecar's API takes; null where the type takes nothing
 */
public record SidecarStep(String type, JsonNode params) {}
