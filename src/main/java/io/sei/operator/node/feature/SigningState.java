package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;

/**
 * PURE: whether a node may do without the record of what its key has signed, which is on its
 * volume. Without it the key may sign two blocks at one height, for which the chain tombstones the
 * validator.
 */
public final class SigningState {

  private SigningState() {}

  /** Returns whether what is recorded on the claim with this uid may be lost; null for no claim. */
  public static boolean mayBeLost(SeiNodeSpec spec, String claimUid) {
    return spec.signingKeySecret().isEmpty()
        || (claimUid != null && claimUid.equals(spec.validator().acceptSigningStateLoss()));
  }
}
