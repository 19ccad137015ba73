package io.sei.operator.api.v1alpha1;

import io.fabric8.generator.annotation.Required;

/**
 * One node of a deployment, as its own status has it.
 *
 * @param reason why it is not ready, or why it is left out of a rollout, and which fields of its
 *     pod are set on it beside the template
 */
public record NodeSummary(
    @Required String name, NodePhase phase, String currentImage, Boolean ready, String reason) {}
