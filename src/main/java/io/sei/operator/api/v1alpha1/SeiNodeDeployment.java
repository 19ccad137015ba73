package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A fleet of SeiNodes made from one template, named {@code <name>-<ordinal>}. */
@JsonClassDescription(
    "A fleet of Sei nodes of one chain with one template. The operator creates "
        + "a SeiNode per replica, updates them within the rollout limits one template "
        + "at a time, spreads a changed configuration, takes snapshots on a schedule, "
        + "and may create a chain of its own with a genesis ceremony.")
@Group(SeiNode.GROUP)
@Version(SeiNode.VERSION)
@Plural("seinodedeployments")
@ShortNames("snd")
@Categories("sei")
@ValidationRule(
    value =
        "(oldSelf.hasValue() && self.spec.replicas <= oldSelf.value().spec.replicas) ||"
            + " size(self.metadata.name) + 1 + size(string(self.spec.replicas - 1)) <= 52",
    optionalOldSelf = true,
    message =
        "metadata.name is too long: the name of the last node, <name>-<replicas - 1>, must be at"
            + " most 52 characters")
@ValidationRule(
    value = "oldSelf.hasValue() || self.metadata.name.matches('" + Patterns.NAME + "')",
    optionalOldSelf = true,
    message = Patterns.NAME_MESSAGE)
@AdditionalPrinterColumn(name = "Ready", jsonPath = ".status.ready")
@AdditionalPrinterColumn(name = "Caught Up", jsonPath = ".status.caughtUp")
@AdditionalPrinterColumn(name = "Reason", jsonPath = ".status.reason")
@AdditionalPrinterColumn(name = "Image", jsonPath = ".status.image")
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@AdditionalPrinterColumn(name = "Chain", jsonPath = ".spec.template.spec.chainId", priority = 1)
@AdditionalPrinterColumn(name = "Mode", jsonPath = ".status.mode", priority = 1)
@AdditionalPrinterColumn(name = "UpToDate", jsonPath = ".status.updated", priority = 1)
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase", priority = 1)
public class SeiNodeDeployment
    extends CustomResource<SeiNodeDeploymentSpec, SeiNodeDeploymentStatus> implements Namespaced {

  public static final String KIND = "SeiNodeDeployment";

  @Required
  @JsonPropertyDescription(
      "Desired state of the fleet: the number of nodes, their template, and the "
          + "limits within which they are taken down.")
  @Override
  public SeiNodeDeploymentSpec getSpec() {
    return super.getSpec();
  }

  @JsonPropertyDescription(
      "Observed state of the fleet, written by the operator alone: conditions, "
          + "the nodes, and the rollout that is in progress. The condition Available "
          + "means that enough nodes are Ready; UpToDate that all nodes run the "
          + "template; Stalled names the node that makes no progress, and why.")
  @Override
  public SeiNodeDeploymentStatus getStatus() {
    return super.getStatus();
  }

  /** Records cannot be made empty by reflection; an absent spec stays null. */
  @Override
  protected SeiNodeDeploymentSpec initSpec() {
    return null;
  }

  @Override
  protected SeiNodeDeploymentStatus initStatus() {
    return null;
  }
}
