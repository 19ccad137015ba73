package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;

/** Handling of an upgrade that the chain plans and the user has not listed. */
public record UpgradePolicy(
    @Size(max = 4)
        @ValidationRule(
            value = "self.all(it, it.matches('" + UpgradePolicy.TEMPLATE + "'))",
            message =
                "each of imageTemplates must be an image reference whose tag has {name} exactly"
                    + " once, such as ghcr.io/sei-protocol/sei:{name}")
        @JsonPropertyDescription(
            "Templates of the image of such an upgrade: {name} in the tag stands for its "
                + "name on the chain. Of a name such as v6.8 the tag with v6.8.0 is tried "
                + "first. Once two nodes report the plan, it is listed in status.upgrades with "
                + "the first of these images that can be pulled, by its digest. Changing them "
                + "restarts nothing.")
        List<@Size(max = 256) String> imageTemplates) {

  /** An image whose tag has the name of an upgrade in it, and stays short enough for a tag. */
  public static final String TEMPLATE =
      "^[a-zA-Z0-9][-a-zA-Z0-9._/:]*:([a-zA-Z0-9_][-a-zA-Z0-9_.]{0,31})?[{]name[}][-a-zA-Z0-9_.]{0,32}$";
}
