package io.sei.operator.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** One Sei blockchain node: a pod with a big disk, run by a StatefulSet of one replica. */
@Group(SeiNode.GROUP)
@Version(SeiNode.VERSION)
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
  @Override
  public SeiNodeSpec getSpec() {
    return super.getSpec();
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
