package io.sei.operator.node.feature;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Result of resolving a node's label sources.
 *
 * @param addresses peers whose identity is known, as {@code nodeId@host:port}, sorted
 * @param missing peers whose identity is not known yet, as {@code host:port}, sorted
 * @param ready those of the addresses whose pod is Ready, sorted
 * @param witnesses where the peers that are Ready serve RPC, as {@code host:port}, sorted
 */
public record PeerResolution(
    List<String> addresses, List<String> missing, List<String> ready, List<String> witnesses) {

  /** Resolution for a node without label sources. */
  public static final PeerResolution NONE =
      new PeerResolution(List.of(), List.of(), List.of(), List.of());

  /**
   * A node that a label source selects.
   *
   * @param address where it is, as {@code host:port}
   * @param nodeId its identity, if that is known
   * @param expected whether its identity can be known soon
   * @param rpc where it serves RPC inside the cluster, as {@code host:port}; empty if it does not
   * @param ready whether its pod is Ready
   */
  public record Peer(
      String address,
      Optional<String> nodeId,
      boolean expected,
      Optional<String> rpc,
      boolean ready) {}

  /**
   * Resolves peers.
   *
   * @param known what the peers came to before: a peer that is not heard of for a while stays
   */
  public static PeerResolution of(Collection<Peer> peers, Collection<String> known) {
    var addresses = new TreeSet<String>();
    var missing = new TreeSet<String>();
    var ready = new TreeSet<String>();
    var witnesses = new TreeSet<String>();
    for (Peer peer : peers) {
      Optional<String> address =
          peer.nodeId()
              .map(id -> id + "@" + peer.address())
              .or(
                  () ->
                      known.stream()
                          .filter(text -> text.endsWith("@" + peer.address()))
                          .findFirst());
      address.ifPresent(addresses::add);
      if (peer.ready()) {
        address.ifPresent(ready::add);
        peer.rpc().ifPresent(witnesses::add);
      }
      if (address.isEmpty() && peer.expected()) {
        missing.add(peer.address());
      }
    }
    return new PeerResolution(
        List.copyOf(addresses), List.copyOf(missing), List.copyOf(ready), List.copyOf(witnesses));
  }
}
