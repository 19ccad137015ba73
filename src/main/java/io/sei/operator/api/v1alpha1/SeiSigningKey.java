package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * Which SeiNode signs with a key, or did last. A record with proof of possession has the name of
 * the key's digest and is the only one of the cluster; a declaration has the digest and the
 * namespace in its name and is the only one of that namespace.
 */
@JsonClassDescription(
    "Record of a validator's signing key in the cluster, named by a digest of "
        + "the public key, which keeps a second node from signing with it. The "
        + "operator creates it before the first pod gets the key; only an "
        + "administrator edits it.")
@Group(SeiNode.GROUP)
@Version(SeiNode.VERSION)
@Plural("seisigningkeys")
@ShortNames("ssk")
@Categories("sei")
@AdditionalPrinterColumn(name = "Chain", jsonPath = ".spec.chainId")
@AdditionalPrinterColumn(name = "Possession", jsonPath = ".spec.possession")
@AdditionalPrinterColumn(name = "State", jsonPath = ".spec.state")
@AdditionalPrinterColumn(name = "Namespace", jsonPath = ".spec.holder.namespace")
@AdditionalPrinterColumn(name = "Node", jsonPath = ".spec.holder.node")
@AdditionalPrinterColumn(name = "Released", jsonPath = ".spec.holder.releasedAt", type = Type.DATE)
@AdditionalPrinterColumn(name = "Also-Signing", jsonPath = ".spec.alsoSigning")
@AdditionalPrinterColumn(name = "Machine", jsonPath = ".spec.holder.machine", priority = 1)
@AdditionalPrinterColumn(name = "Claim", jsonPath = ".spec.claim.uid", priority = 1)
@AdditionalPrinterColumn(
    name = "Transfer-To",
    jsonPath = ".spec.transferTo.namespace",
    priority = 1)
@AdditionalPrinterColumn(name = "Age", jsonPath = ".metadata.creationTimestamp", type = Type.DATE)
@ValidationRule(
    value = "self.metadata.name.contains('.') == (self.spec.possession == 'Declared')",
    message =
        "the name of a Proved record is the digest of the key, that of a Declared one"
            + " DIGEST.NAMESPACE")
public class SeiSigningKey extends CustomResource<SeiSigningKeySpec, Void> {

  public static final String KIND = "SeiSigningKey";

  /** While a node holds the key, its record outlives {@code kubectl delete}. */
  public static final String FINALIZER = "sei.io/signing-key";

  @Required
  @JsonPropertyDescription(
      "The record: the public key, its holder, and the evidence for the holder's "
          + "possession of the key. It is a spec and no status, so that one request "
          + "creates it whole: of two nodes that claim a key the API server refuses "
          + "one.")
  @Override
  public SeiSigningKeySpec getSpec() {
    return super.getSpec();
  }

  /** Records cannot be made empty by reflection; an absent spec stays null. */
  @Override
  protected SeiSigningKeySpec initSpec() {
    return null;
  }
}
