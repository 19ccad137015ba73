package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;

/** A full node: follows the chain and serves RPC. */
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
@ValidationRule(
    value = "!has(self.snapshot) || !has(self.snapshot.stateSync) || !has(self.freeze)",
    message =
        "freeze and snapshot.stateSync cannot both be set: a node that freezes does no state sync")
@ValidationRule(
    value =
        "!has(self.snapshot) || !has(self.snapshot.s3) || (has(self.freeze) &&"
            + " self.snapshot.s3.targetHeight < self.freeze.height) || !has(self.freeze)",
    message = "snapshot.s3.targetHeight must be below freeze.height")
@ValidationRule(
    value =
        "!has(self.snapshot) || !has(self.snapshot.s3) || (has(self.snapshot.bootstrapImage) &&"
            + " self.snapshot.bootstrapImage != '') || !has(self.freeze)",
    message =
        "freeze with snapshot.s3 requires snapshot.bootstrapImage: a node that freezes restores no"
            + " snapshot itself")
public record FullNode(
    @JsonPropertyDescription("Source of a new node's state; genesis if unset.") Snapshot snapshot,
    @JsonPropertyDescription("Snapshots to make for others.") SnapshotGeneration snapshotGeneration,
    @JsonPropertyDescription("Stop at a height and serve queries there; only for a new node.")
        Freeze freeze)
    implements FullNodeBuilder.With {

  /** Returns a full node that follows its chain. */
  public FullNode(Snapshot snapshot, SnapshotGeneration snapshotGeneration) {
    this(snapshot, snapshotGeneration, null);
  }
}
