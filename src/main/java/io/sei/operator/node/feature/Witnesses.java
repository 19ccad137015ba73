package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Ports;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The nodes that state sync asks for a trusted block. Left to itself a sidecar takes the hosts of
 * the first two peers, and writes one that is alone down twice: a block that only one node vouches
 * for. Sidecars older than v0.0.55 ignore the list without a word.
 */
public final class Witnesses {

  /** Two that differ are what makes a witness worth something. */
  public static final int NEEDED = 2;

  /** Each that is silent costs 10 seconds. */
  private static final int MOST = 4;

  private static final Duration RECHECK = Duration.ofSeconds(5);

  private static final Pattern PEER = Pattern.compile("[^@]+@(.+):\\d+");

  private Witnesses() {}

  /**
   * Returns whether a spec has a node begin with state sync, from peers or from files on its
   * volume.
   */
  public static boolean areWanted(SeiNodeSpec spec) {
    return spec.initialSnapshot().isPresent();
  }

  /**
   * Returns whether the operator can know them. Peers that are found by EC2 tags only the sidecar
   * knows.
   */
  public static boolean areKnown(SeiNodeSpec spec) {
    return named(spec).isPresent()
        || PeerSources.of(spec).stream().map(PeerSource::ec2Tags).allMatch(Objects::isNull);
  }

  /**
   * Returns RPC addresses of witnesses as {@code host:port}: those that the spec names, else nodes
   * of this cluster that are Ready, then the hosts of the addresses that the user gave.
   */
  public static List<String> of(SeiNodeSpec spec, PeerResolution peers) {
    return named(spec).orElseGet(() -> found(spec, peers));
  }

  private static Optional<List<String>> named(SeiNodeSpec spec) {
    return spec.initialSnapshot().map(Snapshot::rpcServers);
  }

  private static List<String> found(SeiNodeSpec spec, PeerResolution peers) {
    Stream<String> given =
        PeerSources.overridden(spec)
            .map(Collection::stream)
            .orElseGet(
                () ->
                    PeerSources.of(spec).stream()
                        .map(PeerSource::staticPeers)
                        .filter(Objects::nonNull)
                        .flatMap(staticPeer -> staticPeer.addresses().stream()));
    Set<String> all = new LinkedHashSet<>(peers.witnesses());
    given.flatMap(address -> rpc(address).stream()).forEach(all::add);
    return all.stream().limit(MOST).toList();
  }

  /** Waits as long as there are fewer than are needed, where the operator can know them. */
  public static Optional<TaskOutcome> missing(SeiNodeSpec spec, PeerResolution peers) {
    List<String> witnesses = of(spec, peers);
    if (!areKnown(spec) || witnesses.size() >= NEEDED) {
      return Optional.empty();
    }
    return Optional.of(
        TaskOutcome.waitFor(
            StallReason.WITNESSES_MISSING,
            "state sync needs %d nodes that serve RPC, and %s: add them to spec.peers or to the snapshot's rpcServers; nodes that a label selects count while they are Ready"
                .formatted(
                    NEEDED,
                    witnesses.isEmpty()
                        ? "there is none"
                        : "only " + witnesses.get(0) + " is available"),
            RECHECK));
  }

  private static Optional<String> rpc(String peer) {
    Matcher address = PEER.matcher(peer);
    return address.matches() ? Optional.of(address.group(1) + ":" + Ports.RPC) : Optional.empty();
  }
}
