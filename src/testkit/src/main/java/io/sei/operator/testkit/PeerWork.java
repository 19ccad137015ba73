package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Carries out {@code discover-peers} and {@code configure-state-sync}. */
final class PeerWork {

  private static final String DISCOVER = "discover-peers: ";
  private static final String STATE_SYNC = "configure-state-sync: ";
  private static final int RPC_PORT = 26657;

  /** Distance of the trusted block from the newest one, if the chain is as long. */
  private static final long TRUST_DISTANCE = 2_000;

  private final SidecarVersion version;
  private final SidecarChains chains;

  PeerWork(SidecarVersion version, SidecarChains chains) {
    this.version = version;
    this.chains = chains;
  }

  /** Addresses are not checked, duplicates are dropped, one bad source fails all (0.0.50). */
  static SidecarHome discover(TaskParams params, SidecarHome home) {
    JsonNode sources = params.raw("sources");
    if (!sources.isArray() || sources.isEmpty()) {
      throw new TaskFailure(DISCOVER + "missing required param 'sources'");
    }
    Set<String> peers = new LinkedHashSet<>();
    for (int i = 0; i < sources.size(); i++) {
      peers.addAll(addresses(sources.get(i), DISCOVER + "source[" + i + "]: "));
    }
    return home.with(Map.of(SidecarHome.PEERS, String.join(",", peers)));
  }

  private static List<String> addresses(JsonNode source, String prefix) {
    String type = source.path("type").asText();
    switch (type) {
      case "static" -> {
        var addresses = new ArrayList<String>();
        source.path("addresses").forEach(address -> addresses.add(address.asText()));
        if (addresses.isEmpty()) {
          throw new TaskFailure(prefix + "static source has empty addresses");
        }
        return addresses;
      }
      case "ec2Tags" -> {
        if (source.path("region").asText().isEmpty()) {
          throw new TaskFailure(prefix + "ec2Tags source missing required field 'region'");
        }
        if (source.path("tags").isEmpty()) {
          throw new TaskFailure(prefix + "ec2Tags source has empty tags");
        }
        return List.of("0123456789abcdef0123456789abcdef01234567@10.0.0.1:26656");
      }
      default -> throw new TaskFailure(prefix + "unknown type \"" + type + "\"");
    }
  }

  /** Whether its peers answer is the only thing that is checked: {@code trustPeriod} is not. */
  SidecarHome configureStateSync(TaskParams params, SidecarHome home) {
    boolean local = params.flag("useLocalSnapshot");
    String trustPeriod = params.text("trustPeriod", "string");
    long backfill = params.number("backfillBlocks");
    List<String> witnesses = witnesses(params, home);
    List<String> live = version.probesWitnesses() ? probe(witnesses) : witnesses;
    if (local && home.snapshotHeight() == null) {
      throw new TaskFailure(
          STATE_SYNC
              + "discovering local snapshot height: reading snapshots directory:"
              + " open /sei/data/snapshots: no such file or directory");
    }
    String first = live.get(0);
    long height = local ? home.snapshotHeight() : trustedHeight(first);
    String hash =
        chains
            .hash(first, height)
            .orElseThrow(
                () ->
                    refused(
                        "querying block hash at height " + height,
                        first,
                        "block?height=" + height));
    var settings = new TreeMap<String, String>();
    settings.put(SidecarHome.STATE_SYNC_ENABLE, "true");
    // Seid wants two witnesses: one alone is written twice.
    settings.put(
        SidecarHome.RPC_SERVERS, live.size() == 1 ? first + "," + first : String.join(",", live));
    settings.put(SidecarHome.TRUST_HEIGHT, String.valueOf(height));
    settings.put(SidecarHome.TRUST_HASH, hash);
    settings.put(SidecarHome.USE_LOCAL_SNAPSHOT, String.valueOf(local));
    if (!trustPeriod.isEmpty()) {
      settings.put(SidecarHome.TRUST_PERIOD, trustPeriod);
    }
    if (backfill > 0) {
      settings.put(SidecarHome.BACKFILL_BLOCKS, String.valueOf(backfill));
    }
    return home.with(settings);
  }

  private long trustedHeight(String witness) {
    long latest =
        chains
            .latest(witness)
            .orElseThrow(() -> refused("querying latest height", witness, "status"));
    return Math.max(1, latest - TRUST_DISTANCE);
  }

  private static TaskFailure refused(String doing, String witness, String path) {
    return new TaskFailure(
        "%s%s: Get \"http://%s/%s\": dial tcp %s: connect: connection refused"
            .formatted(STATE_SYNC, doing, witness, path, witness));
  }

  /** The hosts of the first two peers that have one; a third is never tried. */
  private List<String> witnesses(TaskParams params, SidecarHome home) {
    List<String> told = version.readsRpcServers() ? params.texts("rpcServers") : List.of();
    if (!told.isEmpty()) {
      return told;
    }
    if (home.peers().isEmpty()) {
      throw new TaskFailure(STATE_SYNC + "no peers in config.toml");
    }
    List<String> hosts =
        home.peers().stream()
            .filter(peer -> peer.contains("@"))
            .map(peer -> peer.replaceFirst(".*@", "").replaceFirst(":\\d+$", ""))
            .map(host -> host + ":" + RPC_PORT)
            .limit(2)
            .toList();
    if (hosts.isEmpty()) {
      throw new TaskFailure(STATE_SYNC + "could not extract RPC hosts from peers");
    }
    return hosts;
  }

  private List<String> probe(List<String> witnesses) {
    List<String> live =
        witnesses.stream().filter(witness -> chains.latest(witness).isPresent()).toList();
    if (live.isEmpty()) {
      throw new TaskFailure(
          STATE_SYNC + "no reachable RPC witness among [" + String.join(" ", witnesses) + "]");
    }
    return live;
  }
}
