package io.sei.operator.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** One thing that the sidecar of a SeiNode does once, such as a vote. */
@Group(SeiNode.GROUP)
@Version(SeiNode.VERSION)
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
  @Override
  public SeiNodeTaskSpec getSpec() {
    return super.getSpec();
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
