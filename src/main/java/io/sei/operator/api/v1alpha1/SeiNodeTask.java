package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** One thing that the sidecar of a SeiNode does once, such as a vote. */
@JsonClassDescription(
    "One operation on a SeiNode that runs once: a governance proposal, a vote or an unjailing that"
        + " the node's sidecar signs, a new image, a restart of seid, or a wait for a condition or"
        + " a height. Its spec cannot be changed; a task that has ended is kept as a record until"
        + " it is deleted.")
@Group(SeiNode.GROUP)
@Version(SeiNode.VERSION)
@Plural("seinodetasks")
@ShortNames("snt")
@Categories("sei")
@AdditionalPrinterColumn(name = "Kind", jsonPath = ".spec.kind")
@AdditionalPrinterColumn(name = "Target", jsonPath = ".spec.target.nodeRef.name")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(
    name = "Reason",
    jsonPath = ".status.conditions[?(@.type==\"Reconciling\")].reason",
    priority = 1)
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
public class SeiNodeTask extends CustomResource<SeiNodeTaskSpec, SeiNodeTaskStatus>
    implements Namespaced {

  public static final String KIND = "SeiNodeTask";

  @Required
  @JsonPropertyDescription(
      "The operation: its kind, its node, and the parameters of the kind, which cannot be changed."
          + " timeoutSeconds and ttlSecondsAfterFinished can.")
  @Override
  public SeiNodeTaskSpec getSpec() {
    return super.getSpec();
  }

  @JsonPropertyDescription(
      "Progress of the task, written by the operator alone: phase, outputs, and "
          + "conditions. A transaction whose inclusion is unknown is never sent twice.")
  @Override
  public SeiNodeTaskStatus getStatus() {
    return super.getStatus();
  }

  /** Records cannot be made empty by reflection; an absent spec stays null. */
  @Override
  protected SeiNodeTaskSpec initSpec() {
    return null;
  }

  @Override
  protected SeiNodeTaskStatus initStatus() {
    return null;
  }
}
