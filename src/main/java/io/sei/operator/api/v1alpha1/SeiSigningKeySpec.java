package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * Record of a signing key. It is a spec and no status, so that one request creates it whole: of two
 * that claim a key the API server refuses one.
 */
@RecordBuilder
@SchemaCustomizer(Sentences.class)
@SchemaCustomizer(value = Bounds.class, input = "spec")
public record SeiSigningKeySpec(
    @Required
        @Size(min = 1, max = 128)
        @ValidationRule(value = "self == oldSelf", message = "publicKey is immutable")
        @JsonPropertyDescription("The public key, in base64.")
        String publicKey,
    @Required
        @ValidationRule(
            value = "self == oldSelf",
            message =
                "possession is immutable; an administrator who knows who has a declared key creates"
                    + " the record of the key itself")
        @JsonPropertyDescription(
            "Proved if the operator has read the private key in a Secret of the holder, or an"
                + " administrator has written this record; then no other node starts with the key,"
                + " in any namespace. Declared if a spec names the public key alone, which binds"
                + " nodes of the holder's namespace only: one that runs already goes on if the key"
                + " is proved elsewhere, and the alert SeiSigningKeyShared fires.")
        Possession possession,
    @Size(max = 128)
        @JsonPropertyDescription(
            "The chain that the key signs for. To use the key for another chain, an administrator"
                + " changes this first.")
        String chainId,
    @Required @JsonPropertyDescription("Whether the holder's pod may have signed.") State state,
    @Required @JsonPropertyDescription("The node that signs, or signed last.") Holder holder,
    @JsonPropertyDescription("Claim with the record of signatures; unset while Reserved.")
        Claim claim,
    @Size(max = 1024)
        @JsonPropertyDescription(
            "Another node that was found to sign with the key; unset if there is none.")
        String alsoSigning,
    @Size(max = 64)
        @JsonPropertyDescription(
            "UID of a pod of the holder whose containers have ended: written by the operator as it"
                + " releases the key, or by a person who knows it though the machine does not say"
                + " so.")
        String endedPodUid,
    @JsonPropertyDescription(
            "The node of another namespace that may take the key once the holder has stopped:"
                + " copied from the holder's spec.validator.signingKeyTransferTo, or written by an"
                + " administrator. Unset again once that node has taken it.")
        SigningKeyTransfer transferTo)
    implements SeiSigningKeySpecBuilder.With {

  /** Evidence for the holder's possession of the key. */
  public enum Possession {
    /** Evidence is the private key in a Secret, or an administrator's word. */
    @JsonProperty("Proved")
    PROVED,
    /** Evidence is only the public key in a spec, which the chain publishes as well. */
    @JsonProperty("Declared")
    DECLARED
  }

  /** Progress of the holder. */
  public enum State {
    /** The record has given no pod the key. */
    @JsonProperty("Reserved")
    RESERVED,
    /** Written before the first pod; stays, whatever becomes of the holder. */
    @JsonProperty("Armed")
    ARMED
  }

  /** A SeiNode and its pod. */
  @RecordBuilder
  public record Holder(
      @Required @JsonPropertyDescription("Namespace of the SeiNode.") String namespace,
      @Required @JsonPropertyDescription("Name of the SeiNode.") String node,
      @JsonPropertyDescription(
              "UID of the SeiNode. Unset if only its pod or claim was found; and by an"
                  + " administrator who means the node of this name, which is filled in once that"
                  + " node takes the key.")
          String uid,
      @JsonPropertyDescription("UID of its last pod, as far as is known.") String podUid,
      @JsonPropertyDescription("Kubernetes node of that pod.") String machine,
      @JsonPropertyDescription("Time since which it holds the key.") Instant since,
      @JsonPropertyDescription(
              "Time at which the paused holder released the key; unset while it holds it.")
          Instant releasedAt)
      implements SeiSigningKeySpecHolderBuilder.With {}

  /** A PersistentVolumeClaim in the holder's namespace; or, as remote-signer, none. */
  @RecordBuilder
  public record Claim(
      @Required @JsonPropertyDescription("Name of the claim.") String name,
      @Required @JsonPropertyDescription("UID of the claim.") String uid,
      @JsonPropertyDescription(
              "The storage driver's name for the volume; unset where it is not known.")
          String volumeHandle,
      @JsonPropertyDescription(
              "Namespace of the claim, where the key came from another one; unset if it is the"
                  + " holder's.")
          String namespace)
      implements SeiSigningKeySpecClaimBuilder.With {

    /** Stands for no claim: what was signed is recorded by a signer outside the cluster. */
    public static final Claim REMOTE_SIGNER =
        new Claim("remote-signer", "remote-signer", null, null);

    /** Returns whether what was signed is recorded by a signer outside the cluster. */
    @JsonIgnore
    public boolean isRemote() {
      return uid.equals(REMOTE_SIGNER.uid());
    }

    /** Returns whether another claim, which may be null, has the same data. */
    public boolean isSameData(Claim other) {
      return other != null
          && (uid.equals(other.uid())
              || (volumeHandle != null && volumeHandle.equals(other.volumeHandle())));
    }

    /** Returns whether the key came from another namespace with this claim. */
    @JsonIgnore
    public boolean isOfAnotherNamespace(String holders) {
      return namespace != null && !namespace.equals(holders);
    }
  }
}
