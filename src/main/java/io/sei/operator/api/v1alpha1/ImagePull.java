package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;

/** The pull of an upgrade's image that is in progress; written before its Job is made. */
public record ImagePull(
    @JsonPropertyDescription("Name of the upgrade.") String upgrade,
    String image,
    @JsonPropertyDescription("The Kubernetes node that pulls it.") String kubernetesNode,
    Instant startedAt) {}
