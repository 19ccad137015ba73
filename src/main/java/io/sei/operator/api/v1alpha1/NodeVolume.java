package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;

/** Volume of a node's data: the last binding of its claim that was observed. */
public record NodeVolume(
    @JsonPropertyDescription("UID of the claim.") String claimUid,
    @JsonPropertyDescription("Name of the PersistentVolume.") String name,
    @JsonPropertyDescription(
            "The storage driver's name for the volume; unset where the PersistentVolume cannot be"
                + " read or has none.")
        String handle,
    @JsonPropertyDescription(
            "Fate of the claim when the node is deleted: spec.dataVolume.onDelete if that "
                + "is set, else the policy that the claim got when the operator created it. "
                + "Retain for an imported claim.")
        RetentionPolicy onDelete,
    @JsonPropertyDescription(
            "True if the PersistentVolume had the reclaim policy Retain when it was last read: the"
                + " storage has the data also after the PersistentVolume was deleted.")
        Boolean retained) {

  /** Returns the volume with the reclaim policy that was read. */
  public NodeVolume withRetained(boolean read) {
    return new NodeVolume(claimUid, name, handle, onDelete, read ? true : null);
  }

  /** Returns whether its data outlives the deletion of the PersistentVolume. */
  public boolean survivesDeletion() {
    return Boolean.TRUE.equals(retained);
  }

  /** Returns whether this is the same data as on another volume, whatever claim is bound to it. */
  public boolean isSameData(NodeVolume other) {
    return (name != null && name.equals(other.name()))
        || (handle != null && handle.equals(other.handle()));
  }

  /** Returns whether this is the data that was last seen under another claim; null for none. */
  public boolean hasMovedFrom(NodeVolume last) {
    return last != null
        && last.claimUid() != null
        && !last.claimUid().equals(claimUid)
        && isSameData(last);
  }
}
