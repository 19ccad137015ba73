package io.sei.operator.api.validation;

import io.sei.operator.api.v1alpha1.LabelKeys;
import io.sei.operator.api.v1alpha1.Patterns;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rules of a SeiNode's spec that the operator enforces itself: those that the schema cannot
 * express, and those that matter for objects that were stored before the schema had them. The API
 * server enforces the others.
 */
public final class NodeValidation {

  /**
   * Looser than the schema for new objects, so that a node with stored peers that seid would refuse
   * at its next start is still managed and upgraded.
   */
  private static final Pattern PEER = Pattern.compile("^[^@,\\s]+@[^@,\\s]+:[0-9]{1,5}$");

  /** A duration of Go is one or more of these, one after the other. */
  private static final Pattern DURATION_TERM = Pattern.compile("\\d+(\\.\\d+)?(ns|us|µs|ms|s|m|h)");

  private static final int MAX_PORT = 65535;

  /** Ports on which seid, the proxy and the exporter listen. */
  private static final Set<Integer> PORTS_IN_USE =
      Set.of(1317, 8443, 8545, 8546, 9090, 9091, 9300, 26656, 26657, 26660);

  /**
   * Labels under {@code sei.io/} that a fleet sets on its nodes' pods; refused on nodes without a
   * fleet and in templates.
   */
  private static final Set<String> LABELS_OF_FLEET_PODS =
      Stream.concat(
              Stream.of(LabelKeys.NODE_DEPLOYMENT, LabelKeys.REVISION), LabelKeys.SYSTEM.stream())
          .collect(Collectors.toUnmodifiableSet());

  private static final Pattern ORDINAL = Pattern.compile("-(0|[1-9][0-9]{0,4})$");

  private final List<FieldError> errors = new ArrayList<>();

  private NodeValidation() {}

  /**
   * Returns the broken rules of a spec alone, without those that depend on its object; empty if it
   * is valid. Never throws.
   */
  public static List<FieldError> validate(SeiNodeSpec spec) {
    var validation = new NodeValidation();
    validation.check(spec);
    return List.copyOf(validation.errors);
  }

  /**
   * Validates a node. One of a fleet is recognised by label and name, since a fleet that retains
   * its nodes does not own them.
   */
  public static List<FieldError> validate(SeiNode node) {
    var validation = new NodeValidation();
    validation.check(node.getSpec());
    String name = node.getMetadata().getName();
    validation.podLabels(
        node.getSpec().podLabels(), isOfFleet(node) ? LABELS_OF_FLEET_PODS : Set.of());
    node.getSpec().ceremony().ifPresent(ceremony -> validation.ceremony(ceremony, name));
    return List.copyOf(validation.errors);
  }

  /** Validates a fleet's template, in which labels under {@code sei.io/} are refused. */
  static List<FieldError> validateTemplate(SeiNodeSpec spec) {
    var validation = new NodeValidation();
    validation.check(spec);
    validation.podLabels(spec.podLabels(), Set.of());
    return List.copyOf(validation.errors);
  }

  /** Returns whether a node has the name and the label that a fleet gives to its nodes. */
  private static boolean isOfFleet(SeiNode node) {
    Map<String, String> labels = node.getMetadata().getLabels();
    String fleet = labels == null ? null : labels.get(LabelKeys.NODE_DEPLOYMENT);
    boolean isNamedSo =
        ORDINAL.matcher(node.getMetadata().getName()).replaceFirst("").equals(fleet);
    Map<String, String> ofPod = node.getSpec().podLabels();
    return isNamedSo && ofPod != null && fleet.equals(ofPod.get(LabelKeys.NODE_DEPLOYMENT));
  }

  private void podLabels(Map<String, String> labels, Set<String> accepted) {
    if (labels == null) {
      return;
    }
    labels.keySet().stream()
        .filter(key -> key.startsWith(LabelKeys.PREFIX) && !accepted.contains(key))
        .sorted()
        .forEach(
            key ->
                errors.add(
                    new FieldError(
                        "spec.podLabels[%s]".formatted(key),
                        "must not be set: the operator alone sets labels under "
                            + LabelKeys.PREFIX)));
  }

  private void ceremony(GenesisCeremony ceremony, String node) {
    String signingKey = GenesisCeremony.signingKeySecret(node);
    rejectIf(
        ceremony.signingKeySecret() != null && !ceremony.signingKeySecret().equals(signingKey),
        "spec.validator.genesisCeremony.signingKeySecret",
        "must be %s, which the node's fleet has made".formatted(signingKey));
    String nodeKey = GenesisCeremony.nodeKeySecret(node);
    rejectIf(
        ceremony.nodeKeySecret() != null && !ceremony.nodeKeySecret().equals(nodeKey),
        "spec.validator.genesisCeremony.nodeKeySecret",
        "must be %s, which the node's fleet has made".formatted(nodeKey));
  }

  private void check(SeiNodeSpec spec) {
    long modes =
        Stream.of(spec.fullNode(), spec.archive(), spec.replayer(), spec.seed(), spec.validator())
            .filter(Objects::nonNull)
            .count();
    rejectIf(
        modes != 1,
        "spec",
        "exactly one of fullNode, archive, replayer, seed, or validator must be set");
    peers(spec.peers());
    errors.addAll(ConfigValueRules.validate(spec.configValues()));
    if (spec.fullNode() != null) {
      snapshot("spec.fullNode.snapshot", spec.fullNode().snapshot());
      generation("spec.fullNode", spec.fullNode().snapshotGeneration());
    }
    if (spec.archive() != null) {
      generation("spec.archive", spec.archive().snapshotGeneration());
    }
    if (spec.replayer() != null && spec.replayer().snapshot() != null) {
      snapshot("spec.replayer.snapshot", spec.replayer().snapshot());
      rejectIf(
          spec.replayer().snapshot().s3() == null,
          "spec.replayer.snapshot.s3",
          "must be set: a replayer starts from a snapshot in S3");
    }
    if (spec.validator() != null) {
      snapshot("spec.validator.snapshot", spec.validator().snapshot());
      validator(spec.validator());
      spec.remoteSigner().ifPresent(signer -> remoteSigner(spec, signer));
    }
  }

  private void peers(List<PeerSource> sources) {
    for (int i = 0; sources != null && i < sources.size(); i++) {
      List<String> addresses =
          Optional.ofNullable(sources.get(i))
              .map(PeerSource::staticPeers)
              .map(PeerSource.StaticPeers::addresses)
              .orElse(List.of());
      for (int j = 0; j < addresses.size(); j++) {
        rejectIf(
            !PEER.matcher(String.valueOf(addresses.get(j))).matches(),
            "spec.peers[%d].static.addresses[%d]".formatted(i, j),
            Patterns.PEER_SENTENCE);
      }
    }
  }

  private void snapshot(String path, Snapshot snapshot) {
    if (snapshot == null) {
      return;
    }
    rejectIf(
        snapshot.trustPeriod() != null && !isGoDuration(snapshot.trustPeriod()),
        path + ".trustPeriod",
        Patterns.DURATION_SENTENCE);
    boolean bootstraps = snapshot.bootstrapImage() != null && !snapshot.bootstrapImage().isEmpty();
    rejectIf(
        bootstraps && snapshot.s3() == null,
        path + ".bootstrapImage",
        "requires s3.targetHeight: it is the height up to which the image replays");
  }

  private void generation(String mode, SnapshotGeneration generation) {
    SnapshotGeneration.Tendermint tendermint = generation == null ? null : generation.tendermint();
    rejectIf(
        tendermint != null
            && tendermint.publish() != null
            && Integer.valueOf(1).equals(tendermint.keepRecent()),
        mode + ".snapshotGeneration.tendermint.keepRecent",
        "must be at least 2 when publish is set");
  }

  private void validator(Validator validator) {
    rejectIf(
        validator.signingKey() != null && validator.genesisCeremony() != null,
        "spec.validator",
        "signingKey and genesisCeremony are mutually exclusive");
    var keyring =
        Optional.ofNullable(validator.operatorKeyring())
            .map(operatorKeyring -> operatorKeyring.secret());
    var ceremony = Optional.ofNullable(validator.genesisCeremony());
    List<String> secrets =
        Stream.of(
                Optional.ofNullable(validator.signingKey())
                    .map(Validator.SigningKey::secret)
                    .map(Validator.KeySecret::secretName),
                Optional.ofNullable(validator.nodeKey())
                    .map(Validator.NodeKey::secret)
                    .map(Validator.KeySecret::secretName),
                ceremony.map(GenesisCeremony::signingKeySecret),
                ceremony.map(GenesisCeremony::nodeKeySecret),
                keyring.map(Validator.KeyringSecret::secretName),
                keyring
                    .map(Validator.KeyringSecret::passphraseSecretRef)
                    .map(Validator.PassphraseSecretRef::secretName))
            .flatMap(Optional::stream)
            .toList();
    rejectIf(
        new HashSet<>(secrets).size() < secrets.size(),
        "spec.validator",
        "signingKey, nodeKey, operatorKeyring and its passphrase must be in distinct Secrets");
  }

  private void remoteSigner(SeiNodeSpec spec, RemoteSigner signer) {
    String path = "spec.validator.remoteSigner";
    rejectIf(
        spec.validator().signingKey() != null || spec.validator().genesisCeremony() != null,
        path,
        "must not be set with signingKey or genesisCeremony: a validator has one signer");
    int sidecar =
        spec.sidecar() == null || spec.sidecar().port() == null
            ? SidecarSpec.DEFAULT_PORT
            : spec.sidecar().port();
    rejectIf(
        signer
            .port()
            .filter(port -> port <= MAX_PORT && port != sidecar && !PORTS_IN_USE.contains(port))
            .isEmpty(),
        path + ".listen",
        "must name a port up to 65535 that nothing else in the pod listens on");
  }

  private void rejectIf(boolean broken, String path, String message) {
    if (broken) {
      errors.add(new FieldError(path, message));
    }
  }

  /**
   * The sidecar accepts any text, and a duration that Go cannot parse keeps the node from starting,
   * without a way to repair it.
   */
  private static boolean isGoDuration(String text) {
    return text.equals("0") || DURATION_TERM.matcher(text).replaceAll("").isEmpty();
  }
}
