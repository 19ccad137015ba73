package io.sei.operator.testkit.controlplane;

/**
 * The namespace a test method has for itself.
 *
 * @param name its name
 */
public record TestNamespace(String name) {}
