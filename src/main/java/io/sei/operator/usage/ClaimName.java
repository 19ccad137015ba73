package io.sei.operator.usage;

/** What a claim is known by. */
public record ClaimName(String namespace, String name) {}
