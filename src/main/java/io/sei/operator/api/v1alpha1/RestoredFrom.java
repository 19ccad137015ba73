package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** The VolumeSnapshot that a node's claim was made from. */
public record RestoredFrom(
    @JsonPropertyDescription("Its name, which another one may have by now.") String volumeSnapshot,
    String uid,
    @JsonPropertyDescription("Image of seid that had the volume.") String image,
    @JsonPropertyDescription("Height that the data has at least; unset if not known.")
        Long height) {}
