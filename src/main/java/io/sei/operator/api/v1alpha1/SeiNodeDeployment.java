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

/** A fleet of SeiNodes made from one template, named {@code <name>-<ordinal>}. */
@Group(SeiNode.GROUP)
@Version(SeiNode.VERSION)
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
  @Override
  public SeiNodeDeploymentSpec getSpec() {
    return super.getSpec();
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
