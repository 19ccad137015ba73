package io.sei.operator.api.v1alpha1;

/** An archive node: keeps every height. */
public record Archive(SnapshotGeneration snapshotGeneration) {}
