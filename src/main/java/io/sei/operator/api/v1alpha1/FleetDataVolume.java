package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** Operations on the volumes of a fleet. */
public record FleetDataVolume(
    @JsonPropertyDescription("VolumeSnapshots taken on a schedule; not of validators.")
        Snapshots snapshots) {

  /** Snapshots on a schedule, of one node at a time, which is stopped meanwhile. */
  public record Snapshots(
      @Required
          @Size(min = 9, max = 100)
          @JsonPropertyDescription(
              "Schedule in UTC: a cron expression of five fields, such as \"0 3 * * *\".")
          @ValidationRule(
              value = "self.matches('^[0-9A-Za-z*,/-]+( +[0-9A-Za-z*,/-]+){4}$')",
              message =
                  "schedule must be a cron expression of five fields (minute, hour, day of month,"
                      + " month, day of week), such as '0 3 * * *'")
          String schedule,
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_SUBDOMAIN)
          @JsonPropertyDescription("VolumeSnapshotClass of the snapshots.")
          String volumeSnapshotClassName,
      @Min(1)
          @Max(100)
          @JsonPropertyDescription("Number of snapshots to keep, the newest ones; 3 if unset.")
          Integer keep,
      @Pattern(Patterns.SNAPSHOT_NODE)
          @JsonPropertyDescription(
              "Which node: an ordinal, or Last (if unset), the highest that is Ready and up to"
                  + " date.")
          String node) {

    private static final int KEEP = 3;
    private static final String LAST = "Last";

    /** Number of snapshots to keep. */
    public int kept() {
      return keep == null ? KEEP : keep;
    }

    /** Returns whether a node may be taken. */
    public boolean mayTake(int ordinal) {
      return node == null || node.equals(LAST) || node.equals(String.valueOf(ordinal));
    }
  }
}
