package io.sei.operator.node.volume;

/** Name of a claim. */
public record ClaimName(String namespace, String name) {}
