package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/** Placement and user of a node's pod; the fields are those of any pod. */
@RecordBuilder
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Scheduling(
    @JsonPropertyDescription("Labels that a Kubernetes node must have, all of them.")
        Map<String, String> nodeSelector,
    @Size(max = 64)
        @JsonPropertyDescription(
            "Taints that the pod tolerates, besides the one of SEI_TOLERATION_KEY.")
        List<Toleration> tolerations,
    @JsonPropertyDescription("nodeAffinity takes the place of SEI_NODEPOOL_NAME.")
        Affinity affinity,
    @Size(max = 16)
        @JsonPropertyDescription(
            "Spread of the pods; if unset, those of a fleet are spread over Kubernetes "
                + "nodes where possible.")
        @ValidationRule(
            value =
                "self.all(c, has(c.maxSkew) && c.maxSkew > 0 && has(c.topologyKey) &&"
                    + " c.topologyKey != '' && has(c.whenUnsatisfiable) && c.whenUnsatisfiable in"
                    + " ['DoNotSchedule', 'ScheduleAnyway'])",
            message =
                "topologySpreadConstraints need a maxSkew above 0, a topologyKey, and DoNotSchedule"
                    + " or ScheduleAnyway as whenUnsatisfiable")
        List<TopologySpreadConstraint> topologySpreadConstraints,
    @Size(max = 253)
        @Pattern(Patterns.DNS_SUBDOMAIN)
        @JsonPropertyDescription("PriorityClass of the pod.")
        String priorityClassName,
    @Size(max = 16)
        @JsonPropertyDescription("Secrets that the kubelet pulls the pod's images with.")
        List<LocalObjectReference> imagePullSecrets,
    @Size(max = 253)
        @Pattern(Patterns.DNS_SUBDOMAIN)
        @JsonPropertyDescription(
            "ServiceAccount of the pod; SEI_SERVICE_ACCOUNT if unset. It needs the rights of the"
                + " chart's sidecarServiceAccounts.")
        String serviceAccountName)
    implements SchedulingBuilder.With {

  /** Placement without any requirement. */
  public static final Scheduling NONE = new Scheduling(null, null, null, null, null, null, null);
}
