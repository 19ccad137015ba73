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

/** One Sei blockchain node: a pod with a big disk, run by a StatefulSet of one replica. */
@JsonClassDescription(
    "One node of a Sei chain: a pod with a large disk, run by a StatefulSet of "
        + "one replica. The operator applies the StatefulSet with the update strategy "
        + "OnDelete, the Services and the configuration of seid, replaces the pod for "
        + "a new template, switches the image where the chain halts for a listed "
        + "upgrade, and reports in the condition Stalled why a node makes no "
        + "progress. The runbook of each reason is at docs/runbooks.")
@Group(SeiNode.GROUP)
@Version(SeiNode.VERSION)
@Plural("seinodes")
@ShortNames("snode")
@Categories("sei")
@ValidationRule(
    value = "oldSelf.hasValue() || size(self.metadata.name) <= 52",
    optionalOldSelf = true,
    message =
        "metadata.name must be at most 52 characters: the StatefulSet controller's revision label"
            + " appends a hash to it")
@ValidationRule(
    value = "oldSelf.hasValue() || self.metadata.name.matches('" + Patterns.NAME + "')",
    optionalOldSelf = true,
    message = Patterns.NAME_MESSAGE)
@AdditionalPrinterColumn(
    name = "Ready",
    jsonPath = ".status.conditions[?(@.type==\"Ready\")].status")
@AdditionalPrinterColumn(
    name = "Caught Up",
    jsonPath = ".status.conditions[?(@.type==\"CaughtUp\")].status")
@AdditionalPrinterColumn(name = "Reason", jsonPath = ".status.reason")
@AdditionalPrinterColumn(name = "Image", jsonPath = ".status.currentImage")
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@AdditionalPrinterColumn(name = "Chain", jsonPath = ".spec.chainId", priority = 1)
@AdditionalPrinterColumn(name = "Mode", jsonPath = ".status.mode", priority = 1)
@AdditionalPrinterColumn(
    name = "UpToDate",
    jsonPath = ".status.conditions[?(@.type==\"UpToDate\")].status",
    priority = 1)
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase", priority = 1)
@AdditionalPrinterColumn(name = "StatefulSet", jsonPath = ".status.statefulSet.name", priority = 1)
public class SeiNode extends CustomResource<SeiNodeSpec, SeiNodeStatus> implements Namespaced {

  public static final String GROUP = "sei.io";
  public static final String VERSION = "v1alpha1";
  public static final String KIND = "SeiNode";

  @Required
  @JsonPropertyDescription(
      "Desired state of the node. Exactly one of fullNode, archive, replayer, "
          + "seed and validator is set. Changes of image, resources and other fields of "
          + "the pod replace it; changes of the configuration restart seid in the same "
          + "pod, or with a sidecar older than v0.0.56 replace it; labels, deadlines, and "
          + "annotations other than those that request a restart, restart nothing. "
          + "'kubectl sei diff' shows the effect of an edit.")
  @Override
  public SeiNodeSpec getSpec() {
    return super.getSpec();
  }

  @JsonPropertyDescription(
      "Observed state of the node, written by the operator alone: conditions, the "
          + "plan that is in progress, and the records that the operator needs after a "
          + "restart. The condition Ready means that the node serves; UpToDate that it "
          + "runs the template of the spec; Stalled that it makes no progress, and why.")
  @Override
  public SeiNodeStatus getStatus() {
    return super.getStatus();
  }

  /** Records cannot be made empty by reflection; an absent spec stays null. */
  @Override
  protected SeiNodeSpec initSpec() {
    return null;
  }

  @Override
  protected SeiNodeStatus initStatus() {
    return null;
  }
}
