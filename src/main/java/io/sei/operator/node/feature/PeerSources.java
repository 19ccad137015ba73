package io.sei.operator.node.feature;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.StaticPeers;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Sources of a node's peers, in the form of the sidecar's API. */
public final class PeerSources {

  /** The key that holds a node's peers. */
  public static final String KEY = "network.p2p.persistent_peers";

  /** Peers may be down for a while, and are looked for at each attempt: a day of attempts. */
  public static final int RETRIES = 24 * 60 * 2;

  private static final String STATIC = "static";

  private PeerSources() {}

  /**
   * Returns whether the sidecar is to look for peers at all: a user who sets them as an override
   * has the last word.
   */
  public static boolean areWanted(SeiNodeSpec spec) {
    return !of(spec).isEmpty() && overridden(spec).isEmpty();
  }

  /**
   * Returns whether some peers are found by labels, so that who they are can change at any time.
   */
  public static boolean areLabelled(SeiNodeSpec spec) {
    return areWanted(spec) && of(spec).stream().map(PeerSource::label).anyMatch(Objects::nonNull);
  }

  /**
   * Hands over the peers, where there is one to tell of. Who the peers of a label are is found out
   * as late as can be, when the task runs.
   */
  public static Optional<Step> step(SeiNodeSpec spec) {
    return areLabelled(spec)
        ? Optional.of(new Step(SidecarTaskTypes.DISCOVER_PEERS, null))
        : params(spec, List.of()).map(params -> new Step(SidecarTaskTypes.DISCOVER_PEERS, params));
  }

  /**
   * Returns the sources of peers as a plan records them; empty without any. The sidecar takes
   * neither an empty list nor a source without addresses.
   *
   * @param resolved what the label sources come to
   */
  public static Optional<ObjectNode> params(SeiNodeSpec spec, Collection<String> resolved) {
    if (!areWanted(spec)) {
      return Optional.empty();
    }
    ArrayNode sources = JsonNodeFactory.instance.arrayNode();
    boolean labelled = false;
    for (PeerSource source : of(spec)) {
      if (source.ec2Tags() != null) {
        ObjectNode ec2 = sources.addObject().put("type", "ec2Tags");
        ec2.put("region", source.ec2Tags().region());
        source.ec2Tags().tags().forEach(ec2.putObject("tags")::put);
      } else if (source.staticPeers() != null) {
        addresses(sources, source.staticPeers().addresses());
      } else if (!labelled && !resolved.isEmpty()) {
        // All label sources are resolved into one sorted list.
        labelled = true;
        addresses(sources, resolved);
      }
    }
    return sources.isEmpty()
        ? Optional.empty()
        : Optional.of(JsonNodeFactory.instance.objectNode().set("sources", sources));
  }

  /**
   * Returns the request to the sidecar. {@code discover-peers} is gone since v0.0.57; where all
   * peers are known, setting the key does the same in every version. Tags of EC2 only the older
   * ones look up.
   *
   * @param params as from {@link #params}
   * @param ready the peers to name first: before v0.0.55 state sync asks only the first
   */
  public static Step request(JsonNode params, Collection<String> ready) {
    var peers = new LinkedHashSet<String>();
    for (JsonNode source : params.path("sources")) {
      if (!source.path("type").asText().equals(STATIC)) {
        return new Step(SidecarTaskTypes.DISCOVER_PEERS, params);
      }
      source.path("addresses").forEach(address -> peers.add(address.asText()));
    }
    List<String> ordered =
        peers.stream().sorted(Comparator.comparing(peer -> !ready.contains(peer))).toList();
    ObjectNode override = JsonNodeFactory.instance.objectNode().put("incremental", true);
    override.putObject("overrides").put(KEY, String.join(",", ordered));
    return new Step(SidecarTaskTypes.CONFIG_APPLY, override);
  }

  private static void addresses(ArrayNode sources, Collection<String> addresses) {
    ObjectNode source = sources.addObject().put("type", STATIC);
    addresses.forEach(source.putArray("addresses")::add);
  }

  /** The peers that a user sets as an override, if so. */
  static Optional<List<String>> overridden(SeiNodeSpec spec) {
    return Optional.ofNullable(spec.overrides())
        .map(overrides -> overrides.get(KEY))
        .map(peers -> List.of(peers.split(",")));
  }

  /** The peers that a spec declares, or else those of the ceremony that its node validates for. */
  static List<PeerSource> of(SeiNodeSpec spec) {
    return spec.peers() == null || spec.peers().isEmpty()
        ? spec
            .ceremony()
            .map(GenesisCeremony::peers)
            .filter(peers -> !peers.isEmpty())
            .map(peers -> new PeerSource(null, new StaticPeers(peers), null))
            .stream()
            .toList()
        : spec.peers();
  }
}
