package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.sei.operator.api.v1alpha1.LabelKeys;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.LabelPeers;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * PURE: selects the nodes that label sources name. Nodes are looked up by namespace and the labels
 * of each are read once, so that the number of sources does not multiply the work.
 */
public final class PeerSelection {

  /** Value of {@link LabelKeys#PEERS_FROM} that admits every namespace. */
  public static final String ALL = "All";

  private PeerSelection() {}

  /**
   * Selects the peers of a node: those of its chain that one of its label sources selects and that
   * have consented, if they are in another namespace.
   *
   * @param nodesOf the nodes of a namespace
   */
  public static Stream<SeiNode> peersOf(SeiNode node, Function<String, Stream<SeiNode>> nodesOf) {
    Map<String, List<LabelPeers>> sources = sources(node);
    return sources.keySet().stream()
        .sorted()
        .flatMap(nodesOf)
        .filter(other -> selects(node, sources, Candidate.of(other)));
  }

  /**
   * Selects the nodes that have a node among their peers.
   *
   * @param seekersIn the nodes with a label source for a namespace
   */
  public static Stream<SeiNode> seekersOf(
      SeiNode node, Function<String, Stream<SeiNode>> seekersIn) {
    Candidate candidate = Candidate.of(node);
    return seekersIn
        .apply(candidate.namespace())
        .filter(seeker -> selects(seeker, sources(seeker), candidate));
  }

  /** The namespaces that a node's label sources are for. */
  public static List<String> namespaces(SeiNode node) {
    return List.copyOf(sources(node).keySet());
  }

  /** Returns whether a node seeks peers in another namespace than its own. */
  public static boolean looksElsewhere(SeiNode node) {
    String own = node.getMetadata().getNamespace();
    return sources(node).keySet().stream().anyMatch(namespace -> !namespace.equals(own));
  }

  private static Map<String, List<LabelPeers>> sources(SeiNode node) {
    var byNamespace = new HashMap<String, List<LabelPeers>>();
    if (node.getSpec() == null || node.getSpec().peers() == null) {
      return byNamespace;
    }
    node.getSpec().peers().stream()
        .filter(Objects::nonNull)
        .map(PeerSource::label)
        .filter(label -> label != null && label.selector() != null)
        .forEach(
            label ->
                byNamespace
                    .computeIfAbsent(namespace(label, node), any -> new ArrayList<>())
                    .add(label));
    return byNamespace;
  }

  private static String namespace(LabelPeers label, SeiNode node) {
    return label.namespace() == null || label.namespace().isEmpty()
        ? node.getMetadata().getNamespace()
        : label.namespace();
  }

  private static boolean selects(
      SeiNode seeker, Map<String, List<LabelPeers>> sources, Candidate candidate) {
    if (!candidate.isOfChain(seeker) || candidate.is(seeker) || !candidate.admits(seeker)) {
      return false;
    }
    return sources.getOrDefault(candidate.namespace(), List.of()).stream()
        .anyMatch(
            source -> candidate.labels().entrySet().containsAll(source.selector().entrySet()));
  }

  /** A node that may be selected, with the labels that it is selected by. */
  private record Candidate(SeiNode node, String namespace, Map<String, String> labels) {

    /** A node that is new has no label of its chain yet; the spec of every node has it. */
    static Candidate of(SeiNode node) {
      ObjectMeta metadata = node.getMetadata();
      var labels = new HashMap<String, String>();
      Map<String, String> own = metadata.getLabels();
      if (own != null) {
        labels.putAll(own);
      }
      if (node.getSpec() != null) {
        labels.put(LabelKeys.CHAIN, node.getSpec().chainId());
      }
      return new Candidate(node, metadata.getNamespace(), labels);
    }

    boolean is(SeiNode other) {
      return namespace.equals(other.getMetadata().getNamespace())
          && node.getMetadata().getName().equals(other.getMetadata().getName());
    }

    boolean isOfChain(SeiNode other) {
      return node.getSpec() != null
          && other.getSpec() != null
          && Objects.equals(node.getSpec().chainId(), other.getSpec().chainId());
    }

    /** Returns whether a node may learn identity and address of this one. */
    boolean admits(SeiNode seeker) {
      String other = seeker.getMetadata().getNamespace();
      String consent = labels.get(LabelKeys.PEERS_FROM);
      return namespace.equals(other) || ALL.equals(consent) || other.equals(consent);
    }
  }
}
