package io.sei.operator.api.v1alpha1;

import static io.sei.operator.api.v1alpha1.Validator.KEYRING;
import static io.sei.operator.api.v1alpha1.Validator.NO_KEYRING;
import static io.sei.operator.api.v1alpha1.Validator.NO_NODE_KEY;
import static io.sei.operator.api.v1alpha1.Validator.NO_SIGNING_KEY;
import static io.sei.operator.api.v1alpha1.Validator.PASSPHRASE;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Optional;

/** A validator. Its keys live in Secrets that must not be shared between purposes. */
@ValidationRule(
    value = "has(self.signingKey) == has(self.nodeKey) || has(self.remoteSigner)",
    message = "signingKey and nodeKey must be set together (validators get both or neither)")
@ValidationRule(
    value = "(!has(self.signingKey) && !has(self.genesisCeremony)) || !has(self.remoteSigner)",
    fieldPath = ".remoteSigner",
    message = "must not be set with signingKey or genesisCeremony: a validator has one signer")
@ValidationRule(
    value =
        NO_SIGNING_KEY
            + NO_NODE_KEY
            + "self.signingKey.secret.secretName != self.nodeKey.secret.secretName",
    message =
        "signingKey and nodeKey must reference distinct Secrets — packing both keys in one Secret"
            + " collapses the bootstrap-pod trust boundary")
@ValidationRule(
    value = NO_KEYRING + NO_SIGNING_KEY + KEYRING + " != self.signingKey.secret.secretName",
    message =
        "operatorKeyring and signingKey must reference distinct Secrets — collapsing them into one"
            + " Secret would force the sidecar/seid trust boundary to evaporate")
@ValidationRule(
    value = NO_KEYRING + NO_NODE_KEY + KEYRING + " != self.nodeKey.secret.secretName",
    message = "operatorKeyring and nodeKey must reference distinct Secrets")
@ValidationRule(
    value = NO_KEYRING + KEYRING + " != " + PASSPHRASE,
    message = "operatorKeyring data Secret and passphrase Secret must be distinct")
@ValidationRule(
    value = NO_KEYRING + NO_SIGNING_KEY + PASSPHRASE + " != self.signingKey.secret.secretName",
    message = "operatorKeyring passphrase Secret must not equal signingKey Secret")
@ValidationRule(
    value = NO_KEYRING + NO_NODE_KEY + PASSPHRASE + " != self.nodeKey.secret.secretName",
    message = "operatorKeyring passphrase Secret must not equal nodeKey Secret")
@ValidationRule(
    value =
        NO_KEYRING
            + "!has(self.genesisCeremony) || ("
            + KEYRING
            + " != self.genesisCeremony.signingKeySecret && "
            + PASSPHRASE
            + " != self.genesisCeremony.signingKeySecret) ||"
            + " !has(self.genesisCeremony.signingKeySecret)",
    message = "operatorKeyring and its passphrase must not be in the Secret signingKeySecret")
@ValidationRule(
    value =
        NO_KEYRING
            + "!has(self.genesisCeremony) || ("
            + KEYRING
            + " != self.genesisCeremony.nodeKeySecret && "
            + PASSPHRASE
            + " != self.genesisCeremony.nodeKeySecret) || !has(self.genesisCeremony.nodeKeySecret)",
    message = "operatorKeyring and its passphrase must not be in the Secret nodeKeySecret")
@RecordBuilder
public record Validator(
    @JsonPropertyDescription("Source of a new node's state; genesis if unset.") Snapshot snapshot,
    @JsonPropertyDescription("Set by the controller of a fleet with spec.genesis.")
        GenesisCeremony genesisCeremony,
    @JsonPropertyDescription(
            "The consensus key. No second node of the cluster starts with it; with"
                + " SEI_SIGNING_SCOPE Namespaces, no second node of the namespace.")
        SigningKey signingKey,
    @JsonPropertyDescription(
            "The P2P identity. Set together with signingKey; by itself only with remoteSigner.")
        NodeKey nodeKey,
    @JsonPropertyDescription("The account that votes and pays fees.")
        OperatorKeyring operatorKeyring,
    @Size(max = 64)
        @JsonPropertyDescription(
            "UID of the claim whose record of what the signing key has signed may be lost: of the"
                + " one that is there; status.dataClaimUid if that is gone or a remote signer takes"
                + " the key; or that of the SeiSigningKey if another node has signed with the key."
                + " All but the first go into dataVolume.acceptDataLoss as well."
                + " spec.holder.since of the SeiSigningKey"
                + " if the key came from another namespace. UID of the VolumeSnapshot that a claim"
                + " may be made from without it; \"remote-signer\" if the key has signed with a"
                + " remote signer. Only once nothing can be signed twice.")
        String acceptSigningStateLoss,
    @JsonPropertyDescription(
            "A signer outside the pod that has the consensus key and dials in, such as TMKMS or"
                + " Horcrux.")
        RemoteSigner remoteSigner,
    @JsonPropertyDescription(
            "The node of another namespace that may take this node's signing key once this node is"
                + " paused or deleted. Copied to the SeiSigningKey, and withdrawn there if it is"
                + " removed here before that node has taken the key.")
        SigningKeyTransfer signingKeyTransferTo)
    implements ValidatorBuilder.With {

  // Parts of the rules above.
  static final String NO_KEYRING =
      "!has(self.operatorKeyring) || !has(self.operatorKeyring.secret) || ";

  static final String NO_SIGNING_KEY = "!has(self.signingKey) || !has(self.signingKey.secret) || ";

  static final String NO_NODE_KEY = "!has(self.nodeKey) || !has(self.nodeKey.secret) || ";

  static final String PASSPHRASE = "self.operatorKeyring.secret.passphraseSecretRef.secretName";

  static final String KEYRING = "self.operatorKeyring.secret.secretName";

  /** Part of a genesis ceremony, set by the controller of the fleet. */
  @ValidationRule(
      value =
          "!has(self.nodeKeySecret) || self.signingKeySecret != self.nodeKeySecret ||"
              + " !has(self.signingKeySecret)",
      message = "signingKeySecret and nodeKeySecret must be distinct Secrets")
  public record GenesisCeremony(
      @Required @Size(min = 1) @JsonPropertyDescription("Name of the new chain.") String chainId,
      @Required @Size(min = 1) @JsonPropertyDescription("Stake of the validator.")
          String stakingAmount,
      @Required
          @Size(min = 1, max = 4096)
          @JsonPropertyDescription("Balance of the validator's account.")
          String accountBalance,
      @Required @Min(0) @JsonPropertyDescription("Ordinal among the validators.") Integer index,
      @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_LABEL)
          @JsonPropertyDescription(
              "Secret with the consensus key that the ceremony made: NODE-signing-key.")
          String signingKeySecret,
      @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_LABEL)
          @JsonPropertyDescription(
              "Secret with the P2P identity that the ceremony made: NODE-node-key.")
          String nodeKeySecret,
      @JsonPropertyDescription("ConfigMap with the ceremony's genesis.")
          NodeGenesis.ConfigMapKey configMap,
      @JsonPropertyDescription("The other validators, for a node without peers.")
          List<@Pattern(Patterns.PEER) String> peers) {

    /** Name of the Secret with the consensus key that a ceremony makes for a node. */
    public static String signingKeySecret(String node) {
      return node + "-signing-key";
    }

    /** Name of the Secret with the P2P identity that a ceremony makes for a node. */
    public static String nodeKeySecret(String node) {
      return node + "-node-key";
    }
  }

  /** The consensus key. */
  @ValidationRule(
      value = "has(self.secret)",
      message = "exactly one signing key source must be set")
  public record SigningKey(
      @JsonPropertyDescription("The Secret with priv_validator_key.json.") KeySecret secret) {

    /** The file of a Secret that holds the consensus key. */
    public static final String FILE = "priv_validator_key.json";
  }

  /** Holder of the consensus key outside the cluster's Secrets. Its signer dials in to seid. */
  public record RemoteSigner(
      @Required
          @Size(max = 32)
          @Pattern(Patterns.LISTEN)
          @JsonPropertyDescription(
              "Address on which seid listens for the signer, such as tcp://0.0.0.0:26659; "
                  + "the Service NODE-signer has the port.")
          String listen,
      @Required
          @Size(max = 44)
          @Pattern(Patterns.PUBLIC_KEY)
          @ValidationRule(value = "self == oldSelf", message = "publicKey is immutable")
          @JsonPropertyDescription("The Ed25519 public key that the signer signs with, in base64.")
          String publicKey) {

    /** The port of {@link #listen}; empty if that is none that the schema allows. */
    public Optional<Integer> port() {
      return Optional.ofNullable(listen)
          .filter(text -> text.matches(Patterns.LISTEN))
          .map(text -> Integer.valueOf(text.substring(text.lastIndexOf(':') + 1)));
    }
  }

  /** The P2P identity. */
  @ValidationRule(value = "has(self.secret)", message = "exactly one node key source must be set")
  public record NodeKey(
      @JsonPropertyDescription("The Secret with node_key.json.") KeySecret secret) {

    /** The file of a Secret that holds the P2P identity. */
    public static final String FILE = "node_key.json";
  }

  /** A Secret that holds a key. */
  public record KeySecret(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_LABEL)
          @JsonPropertyDescription("Name of a Secret in the node's namespace.")
          @ValidationRule(value = "self == oldSelf", message = "secretName is immutable")
          String secretName) {}

  /** The operator account's keyring, mounted in the sidecar only. */
  public record OperatorKeyring(
      @JsonPropertyDescription("A keyring of the backend \"file\", and its passphrase.")
          KeyringSecret secret) {}

  /** A Secret that holds a keyring directory. */
  public record KeyringSecret(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_LABEL)
          @JsonPropertyDescription("Name of a Secret with the files of the directory keyring-file.")
          @ValidationRule(value = "self == oldSelf", message = "secretName is immutable")
          String secretName,
      @Default(DEFAULT_KEY_NAME)
          @Size(max = 64)
          @Pattern(Patterns.KEY_NAME)
          @JsonPropertyDescription("The key to use, by the name of its .info file.")
          String keyName,
      @Required @JsonPropertyDescription("Secret with the passphrase; not the keyring's.")
          PassphraseSecretRef passphraseSecretRef) {

    /** The key a keyring holds if nothing else is said. */
    public static final String DEFAULT_KEY_NAME = "node_admin";
  }

  /** The key of a Secret that holds the keyring's passphrase. */
  public record PassphraseSecretRef(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_LABEL)
          @JsonPropertyDescription("Name of a Secret in the node's namespace.")
          @ValidationRule(value = "self == oldSelf", message = "passphrase secretName is immutable")
          String secretName,
      @Required @Size(min = 1, max = 253) @JsonPropertyDescription("Its key in that Secret.")
          String key) {}
}
