package io.sei.operator.api.v1alpha1;

import io.fabric8.generator.annotation.Required;

/** The task that ended a plan. */
public record FailedTaskDetail(
    @Required String type,
    @Required String id,
    @Required String error,
    @Required Integer retryCount,
    @Required Integer maxRetries) {}
