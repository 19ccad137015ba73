package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;

/** Desired state of a fleet. */
@RecordBuilder
@ValidationRule(
    value = "!has(self.genesis) || has(self.template.spec.validator)",
    message =
        "genesis is meaningful only for validator-role deployments (full nodes inherit genesis from"
            + " the validator ceremony's S3 artifact); remove spec.genesis or set"
            + " template.spec.validator: {}")
@ValidationRule(
    value = "!has(oldSelf.genesis) || (has(self.genesis) && self.genesis == oldSelf.genesis)",
    message =
        "spec.genesis is immutable once set; the ceremony's outputs (chain ID, validator gentxs,"
            + " account balances) are baked into chain state and cannot be retroactively rewritten"
            + " by editing the spec")
@ValidationRule(
    value =
        "!has(self.template.spec.validator) || !has(self.template.spec.validator.signingKey) ||"
            + " self.replicas == 1",
    message =
        "a validator with a signingKey must have replicas: 1 — every replica mounts the same"
            + " priv_validator_key.json, so >1 replica double-signs (equivocation) and"
            + " tombstones/slashes the validator")
@ValidationRule(
    value =
        "self.replicas == 1 || !has(self.template.spec.validator) ||"
            + " !has(self.template.spec.validator.remoteSigner)",
    message =
        "a validator with a remoteSigner must have replicas: 1, since every replica would have the"
            + " same signer")
@ValidationRule(
    value =
        "self.replicas == 1 || !has(self.template.spec.dataVolume) ||"
            + " !has(self.template.spec.dataVolume.__import__) || (oldSelf.hasValue() &&"
            + " self.replicas <= oldSelf.value().replicas &&"
            + " has(oldSelf.value().template.spec.dataVolume) &&"
            + " self.template.spec.dataVolume == oldSelf.value().template.spec.dataVolume)",
    optionalOldSelf = true,
    message =
        "a template that imports a claim must have replicas: 1, since every replica would write to"
            + " the same volume")
@SchemaCustomizer(Sentences.class)
@SchemaCustomizer(value = Bounds.class, input = "spec")
public record SeiNodeDeploymentSpec(
    @SpecReplicas @Required @Default("1") @Min(1) @Max(100) @JsonPropertyDescription("Nodes.")
        Integer replicas,
    @Required @JsonPropertyDescription("Template of every node.") NodeTemplate template,
    @Default("Delete") @JsonPropertyDescription("Fate of the nodes when the deployment is deleted.")
        DataVolume.RetentionPolicy deletionPolicy,
    @JsonPropertyDescription("The chain that these validators make; immutable.") Genesis genesis,
    @PreserveUnknownFields
        @JsonPropertyDescription("Public networking; accepted, not carried out yet.")
        Networking networking,
    @JsonPropertyDescription("Policy by which nodes get a new template.")
        UpdateStrategy updateStrategy,
    @JsonPropertyDescription("Operations on the volumes of the nodes.") FleetDataVolume dataVolume,
    @JsonPropertyDescription("Stop every node and hold every rollout.") Boolean paused)
    implements SeiNodeDeploymentSpecBuilder.With {

  /** Nodes that may be unavailable at a time, at least 1. */
  public int maxUnavailable() {
    return Optional.ofNullable(updateStrategy)
        .map(UpdateStrategy::inPlace)
        .map(UpdateStrategy.InPlace::maxUnavailable)
        .map(this::resolved)
        .orElse(1);
  }

  /** A percentage of the replicas is rounded up, so that it is at least one. */
  private int resolved(IntOrString value) {
    if (value.getStrVal() == null) {
      return Math.max(1, value.getIntVal());
    }
    int percent = Integer.parseInt(value.getStrVal().replace("%", ""));
    return Math.max(1, (int) Math.ceil(replicas * percent / 100.0));
  }

  /** The schedule of snapshots, if there is one. */
  public Optional<Snapshots> snapshotSchedule() {
    return Optional.ofNullable(dataVolume).map(FleetDataVolume::snapshots);
  }
}
