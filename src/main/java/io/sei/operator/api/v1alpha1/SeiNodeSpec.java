package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Desired state of a node. Exactly one of {@code fullNode}, {@code archive}, {@code replayer},
 * {@code seed} and {@code validator} is set.
 */
@RecordBuilder
@ValidationRule(
    value =
        "(has(self.fullNode) ? 1 : 0) + (has(self.archive) ? 1 : 0) + (has(self.replayer) ? 1 : 0)"
            + " + (has(self.seed) ? 1 : 0) + (has(self.validator) ? 1 : 0) == 1",
    message = "exactly one of fullNode, archive, replayer, seed, or validator must be set")
@ValidationRule(
    value = "!has(self.replayer) || (has(self.peers) && size(self.peers) > 0)",
    message = "peers is required when replayer mode is set")
@ValidationRule(
    value =
        "!has(oldSelf.dataVolume) || !has(oldSelf.dataVolume.__import__) || (has(self.dataVolume)"
            + " && has(self.dataVolume.__import__))",
    message = "import cannot be unset once configured")
@ValidationRule(
    value =
        "(has(oldSelf.fullNode) ? 1 : 0) + (has(oldSelf.archive) ? 1 : 0) +"
            + " (has(oldSelf.replayer) ? 1 : 0) + (has(oldSelf.validator) ? 1 : 0) != 1 ||"
            + " (has(self.fullNode) == has(oldSelf.fullNode) &&"
            + " has(self.archive) == has(oldSelf.archive) &&"
            + " has(self.replayer) == has(oldSelf.replayer))",
    message =
        "the mode (fullNode, archive, replayer or validator) is immutable: the data in the volume"
            + " belongs to it")
@ValidationRule(
    value = "has(self.seed) || !has(oldSelf.seed)",
    message = "the mode (seed) is immutable: make another node")
@ValidationRule(
    value =
        "(has(self.genesis) && has(oldSelf.genesis) && self.genesis == oldSelf.genesis) ||"
            + " !has(self.genesis)",
    message = "genesis is immutable: the data in the volume begins with it")
@ValidationRule(
    value = "has(self.genesis) || !has(oldSelf.genesis)",
    message = "genesis is immutable: the data in the volume begins with it")
@ValidationRule(
    value = Freeze.NO_OVERRIDES + "!has(self.fullNode) || !has(self.fullNode.freeze)",
    message = Freeze.OVERRIDES)
@ValidationRule(
    value = Freeze.NO_OVERRIDES + "!has(self.archive) || !has(self.archive.freeze)",
    message = Freeze.OVERRIDES)
@SchemaCustomizer(
    value = ListTypes.class,
    input = "upgrades=map:name,configValues=map:fileName+key")
@SchemaCustomizer(value = Quantities.class, input = "resources")
@SchemaCustomizer(Sentences.class)
@SchemaCustomizer(value = Bounds.class, input = "spec")
public record SeiNodeSpec(
    @Required
        @Size(min = 1, max = 63)
        @Pattern(Patterns.DNS_LABEL)
        @JsonPropertyDescription("Chain the node belongs to, such as pacific-1; immutable.")
        @ValidationRule(
            value = "self == oldSelf",
            message = "chainId is immutable: the data in the volume belongs to one chain")
        String chainId,
    @Required
        @Size(min = 1, max = 512)
        @JsonPropertyDescription("Container image of seid. Changing it rolls the node.")
        @ValidationRule(
            value = "self.matches('" + Patterns.IMAGE + "')",
            message = Patterns.IMAGE_MESSAGE)
        String image,
    @JsonPropertyDescription(
            "The genesis of a chain that is not built into the sidecar, in place of the one in the"
                + " bucket of genesis files; immutable.")
        NodeGenesis genesis,
    @Size(max = 64)
        @JsonPropertyDescription("Sources of the node's peers.")
        @ValidationRule(
            value =
                "oldSelf.hasValue() && oldSelf.value() == self || self.all(source,"
                    + " !has(source.static) || source.static.addresses.all(address, size(address) >"
                    + " 41 && address.charAt(40) == '@'))",
            optionalOldSelf = true,
            message = "each static peer " + Patterns.PEER_SENTENCE)
        List<PeerSource> peers,
    @Size(max = 512)
        @JsonPropertyDescription(
            "sei-config keys (dotted) set over the mode's defaults. Every value is text, also a"
                + " number: mempool.size: \"5000\". A number without quotes is refused.")
        Map<String, @Size(max = 65536) String> overrides,
    @Size(max = 100)
        @JsonPropertyDescription(
            "Keys of seid's TOML files, as they are spelt there, set over everything else, for"
                + " settings that sei-config lacks.")
        @ValidationRule(
            value =
                "self.all(a, !self.exists(b, b.fileName == a.fileName && b.key.startsWith(a.key +"
                    + " '.')))",
            message =
                "of one file a key and another one within it cannot both be set, such as p2p and"
                    + " p2p.laddr")
        List<ConfigValue> configValues,
    @JsonPropertyDescription("The sei-sidecar container.") SidecarSpec sidecar,
    @Size(max = 64)
        @JsonPropertyDescription(
            "Labels added to the pod; none under sei.io/, which are the operator's.")
        Map<String, @Size(max = 63) String> podLabels,
    @JsonPropertyDescription("The node's data volume.") DataVolume dataVolume,
    @JsonPropertyDescription("Run as a full node.") FullNode fullNode,
    @JsonPropertyDescription("Run as an archive node.") Archive archive,
    @JsonPropertyDescription("Replay from a snapshot and compare with a canonical node.")
        Replayer replayer,
    @JsonPropertyDescription("Run as a seed: tell peers of each other, without blocks or RPC.")
        Seed seed,
    @JsonPropertyDescription("Run as a validator.") Validator validator,
    @Size(max = 512)
        @JsonPropertyDescription("P2P address (host:port) announced to peers.")
        @ValidationRule(
            value =
                "self == '' || self.matches('"
                    + Patterns.ADDRESS
                    + "') && !self.startsWith('0.0.0.0:')",
            message =
                "must be host:port, where peers can connect to, such as p2p.example.com:26656")
        String externalAddress,
    @JsonPropertyDescription(
            "Stop the node: the StatefulSet is scaled to 0, and the volume stays. A plan continues"
                + " when the node is resumed.")
        Boolean paused,
    @JsonPropertyDescription("Work on the volume by hand; belongs to one node of a fleet.")
        Maintenance maintenance,
    @Min(1)
        @JsonPropertyDescription(
            "Raising it wipes the chain data on the volume once, and initializes the node again."
                + " Node key and signing state are kept. Of a validator with a signing key, only"
                + " once acceptSigningStateLoss names the claim. Belongs to one node of a fleet.")
        Long dataResetGeneration,
    @Min(0)
        @Max(86400)
        @JsonPropertyDescription(
            "Seconds seid gets to shut down before it is killed; 120 if unset, since a kill in the"
                + " middle of a commit corrupts the database.")
        Long terminationGracePeriodSeconds,
    @JsonPropertyDescription("Resources of the seid container; the mode's defaults if unset.")
        @ValidationRule(
            value = "!has(self.claims) || self.claims.size() == 0",
            message = "resources.claims is not supported: the pod has no resource claims")
        ResourceRequirements resources,
    @JsonPropertyDescription("Placement and user of the pod.") Scheduling scheduling,
    @Min(1)
        @Max(432000)
        @JsonPropertyDescription(
            "Seconds that a start of seid may take, with the replay of blocks, the "
                + "migration of its data and a state sync, before the condition Stalled reports "
                + "that it takes too long; 21600 (six hours) if unset. Nothing is restarted or "
                + "rolled back for it.")
        Integer startDeadlineSeconds,
    @Min(1)
        @Max(86400)
        @JsonPropertyDescription(
            "Seconds without progress after which the condition Stalled reports the "
                + "reason; SEI_PROGRESS_DEADLINE of the operator (600) if unset. A cause that "
                + "does not go away by itself, such as an image that does not exist, is "
                + "reported at once.")
        Integer progressDeadlineSeconds,
    @Size(max = 32)
        @JsonPropertyDescription(
            "Upgrades that the chain has planned. When seid halts for one of them, the "
                + "node continues with its image. Listing one restarts nothing, unless the node "
                + "has halted for it already, or the entry is early.")
        @ValidationRule(
            value = "self.all(a, self.exists_one(b, b.height == a.height))",
            message = "upgrades must have different heights")
        List<Upgrade> upgrades,
    @JsonPropertyDescription(
            "Keep the image when seid halts for a listed upgrade. If it is cleared, a halted "
                + "node gets the image of the upgrade.")
        Boolean upgradesPaused,
    @JsonPropertyDescription(
            "Policy for upgrades that the chain plans and that upgrades does not list.")
        UpgradePolicy upgradePolicy,
    @JsonPropertyDescription("Policy for updates of the running node.") UpdatePolicy updatePolicy)
    implements SeiNodeSpecBuilder.With {

  /** Placement of the pod; {@link Scheduling#NONE} if unset. */
  public Scheduling placement() {
    return scheduling == null ? Scheduling.NONE : scheduling;
  }

  /** The ConfigMap that holds the genesis; empty if the sidecar gets it. */
  public Optional<NodeGenesis.ConfigMapKey> givenGenesis() {
    return Optional.ofNullable(genesis)
        .map(NodeGenesis::configMap)
        .or(() -> ceremony().map(Validator.GenesisCeremony::configMap));
  }

  /** The ceremony that the node is a part of. */
  public Optional<Validator.GenesisCeremony> ceremony() {
    return Optional.ofNullable(validator).map(Validator::genesisCeremony);
  }

  /** Name of the Secret with the consensus key, also of one that a ceremony made. */
  public Optional<String> signingKeySecret() {
    return Optional.ofNullable(validator)
        .map(Validator::signingKey)
        .map(Validator.SigningKey::secret)
        .map(Validator.KeySecret::secretName)
        .or(() -> ceremony().map(Validator.GenesisCeremony::signingKeySecret));
  }

  /** Name of the Secret with the P2P identity, also of one that a ceremony made. */
  public Optional<String> nodeKeySecret() {
    return Optional.ofNullable(validator)
        .map(Validator::nodeKey)
        .or(() -> Optional.ofNullable(seed).map(Seed::nodeKey))
        .map(Validator.NodeKey::secret)
        .map(Validator.KeySecret::secretName)
        .or(() -> ceremony().map(Validator.GenesisCeremony::nodeKeySecret));
  }

  /** The Secrets with the operator account's keyring and its passphrase. */
  public Optional<Validator.KeyringSecret> operatorKeyring() {
    return Optional.ofNullable(validator)
        .map(Validator::operatorKeyring)
        .map(Validator.OperatorKeyring::secret);
  }

  /** Remote signer of the node; empty if seid signs with a key of its own. */
  public Optional<Validator.RemoteSigner> remoteSigner() {
    return Optional.ofNullable(validator).map(Validator::remoteSigner);
  }

  /** Storage of the node's claim; empty if unset. */
  public Optional<DataVolume.Storage> storage() {
    return Optional.ofNullable(dataVolume).map(DataVolume::storage);
  }

  /** The VolumeSnapshot from which a new claim is made; empty for an empty claim. */
  public Optional<DataVolume.SnapshotSource> snapshotSource() {
    return Optional.ofNullable(dataVolume)
        .filter(volume -> volume.importClaim() == null)
        .map(DataVolume::from)
        .map(DataVolume.From::volumeSnapshot);
  }

  /** Method by which the pod gets other images; empty if unset. */
  public Optional<UpdatePolicy.OfPod> podUpdates() {
    return Optional.ofNullable(updatePolicy).map(UpdatePolicy::pod);
  }

  /** Time at which seid gets a changed configuration; empty if unset. */
  public Optional<UpdatePolicy.OfConfig> configUpdates() {
    return Optional.ofNullable(updatePolicy).map(UpdatePolicy::config);
  }

  /** Returns a copy with another update policy. */
  public SeiNodeSpec updated(UnaryOperator<UpdatePolicy> change) {
    UpdatePolicy policy = updatePolicy == null ? new UpdatePolicy(null, null) : updatePolicy;
    return withUpdatePolicy(change.apply(policy));
  }

  /** Time that the containers of the node's pod are given to end: two minutes by default. */
  public Duration gracePeriod() {
    return terminationGracePeriodSeconds == null
        ? Duration.ofMinutes(2)
        : Duration.ofSeconds(terminationGracePeriodSeconds);
  }

  /** Time that a start of seid may take: six hours by default. */
  public Duration startDeadline() {
    return startDeadlineSeconds == null
        ? Duration.ofHours(6)
        : Duration.ofSeconds(startDeadlineSeconds);
  }

  /** Way in which seid is kept from running; empty if it may run. */
  public Optional<Maintenance.Hold> holding() {
    return Optional.ofNullable(maintenance).map(Maintenance::hold);
  }

  /** The snapshot that the mode names; empty means that the chain is replayed from genesis. */
  public Optional<Snapshot> initialSnapshot() {
    if (validator != null) {
      return Optional.ofNullable(validator.snapshot());
    }
    if (replayer != null) {
      return Optional.ofNullable(replayer.snapshot());
    }
    return Optional.ofNullable(fullNode).map(FullNode::snapshot);
  }

  /** The state-sync snapshots that the node makes for others; empty if it makes none. */
  public Optional<SnapshotGeneration.Tendermint> stateSyncSnapshots() {
    SnapshotGeneration generation = null;
    if (fullNode != null) {
      generation = fullNode.snapshotGeneration();
    } else if (archive != null) {
      generation = archive.snapshotGeneration();
    }
    return Optional.ofNullable(generation).map(SnapshotGeneration::tendermint);
  }

  /** Height at which the node stops following its chain; empty if it follows its chain. */
  public Optional<Freeze> freeze() {
    return Optional.ofNullable(fullNode)
        .map(FullNode::freeze)
        .or(() -> Optional.ofNullable(archive).map(Archive::freeze));
  }

  /** Returns whether the node is to execute the block of a height, once its chain has it. */
  public boolean executes(long block) {
    return freeze().filter(freeze -> !freeze.executes(block)).isEmpty();
  }

  /** Returns a copy for a volume that already has its state. */
  public SeiNodeSpec withoutInitialSnapshot() {
    return with(
        builder -> {
          if (fullNode != null) {
            builder.fullNode(fullNode.withSnapshot(null));
          }
          if (replayer != null) {
            builder.replayer(new Replayer(null, replayer.resultExport()));
          }
          if (validator != null) {
            builder.validator(validator.withSnapshot(null));
          }
        });
  }
}
