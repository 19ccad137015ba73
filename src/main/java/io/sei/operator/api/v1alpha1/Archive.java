package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;

/** An archive node: keeps every height. */
@RecordBuilder
@ValidationRule(
    value = "has(oldSelf.freeze) || !has(self.freeze)",
    message = "freeze can only be set on a new node")
@ValidationRule(
    value = "has(self.freeze) || !has(oldSelf.freeze)",
    message = "freeze cannot be removed: make another node")
@ValidationRule(
    value = "!has(self.snapshotGeneration) || !has(self.freeze)",
    message = "freeze and snapshotGeneration cannot both be set")
public record Archive(
    @JsonPropertyDescription("Snapshots to make for others.") SnapshotGeneration snapshotGeneration,
    @JsonPropertyDescription("Stop at a height and serve queries there; only for a new node.")
        Freeze freeze)
    implements ArchiveBuilder.With {

  /** Returns an archive node that follows its chain. */
  public Archive(SnapshotGeneration snapshotGeneration) {
    this(snapshotGeneration, null);
  }
}
