package io.sei.operator.usage;

/** Name of a claim. */
public record ClaimName(String namespace, String name) {}
