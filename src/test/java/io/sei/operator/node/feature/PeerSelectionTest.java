package io.sei.operator.node.feature;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.LabelPeers;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.samples.Samples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which nodes label sources select, and what that costs. */
class PeerSelectionTest {

  private static final String KEY = "team";

  /** Counts the labels that are read of each node. */
  private final Map<String, Integer> labelReads = new HashMap<>();

  private final List<String> namespacesListed = new ArrayList<>();

  @ParameterizedTest(name = "a node of namespace {0} with sei.io/peers-from={1}: {2}")
  @CsvSource({
    "here,      , true",
    "elsewhere, , false",
    "elsewhere, other, false",
    "elsewhere, all, false",
    "elsewhere, here, true",
    "elsewhere, All, true",
    "here, other, true",
  })
  void aNodeOfAnotherNamespaceIsAPeerIfItConsents(String namespace, String consent, boolean found) {
    SeiNode seeker =
        seeker("here", "seeker", source(Map.of(), "here"), source(Map.of(), "elsewhere"));
    SeiNode other = node(namespace, "other", Map.of());
    if (consent != null) {
      other.getMetadata().setLabels(Map.of("sei.io/peers-from", consent));
    }

    assertThat(PeerSelection.peersOf(seeker, in(other))).hasSize(found ? 1 : 0);
    assertThat(PeerSelection.seekersOf(other, any -> Stream.of(seeker))).hasSize(found ? 1 : 0);
  }

  @Test
  void peersAreOtherNodesOfTheChainWithTheLabelsOfOneSource() {
    SeiNode seeker =
        seeker(
            "here",
            "seeker",
            source(Map.of(KEY, "x", "tier", "rpc"), null),
            source(Map.of("sei.io/chain", "atlantic-2", KEY, "y"), ""));
    SeiNode x = node("here", "x", Map.of(KEY, "x", "tier", "rpc"));
    SeiNode y = node("here", "y", Map.of(KEY, "y"));
    SeiNode half = node("here", "half", Map.of(KEY, "x"));
    SeiNode another = node("here", "another", Map.of(KEY, "y", "sei.io/chain", "atlantic-2"));
    another.setSpec(another.getSpec().withChainId("arctic-1"));
    SeiNode without = node("here", "without", Map.of(KEY, "y"));
    without.setSpec(null);
    SeiNode itself = seeker("here", "seeker");
    itself.getMetadata().setLabels(Map.of(KEY, "y"));

    assertThat(PeerSelection.peersOf(seeker, in(x, y, half, another, without, itself)))
        .extracting(node -> node.getMetadata().getName())
        .containsExactlyInAnyOrder("x", "y");
  }

  /** 25,000 sources cost seconds of a reconcile thread at each look once. */
  @Test
  void labelsOfANodeAreReadOnceHoweverManySourcesThereAre() {
    PeerSource[] sources =
        IntStream.range(0, 1000)
            .mapToObj(i -> source(Map.of(KEY, "nobody-" + i), i % 2 == 0 ? null : "elsewhere"))
            .toArray(PeerSource[]::new);
    SeiNode seeker = seeker("here", "seeker", sources);
    SeiNode[] nodes =
        IntStream.range(0, 300)
            .mapToObj(
                i -> node(List.of("here", "elsewhere", "far").get(i % 3), "node-" + i, Map.of()))
            .toArray(SeiNode[]::new);

    assertThat(PeerSelection.peersOf(seeker, in(nodes))).isEmpty();

    assertThat(namespacesListed).containsExactly("elsewhere", "here");
    assertThat(labelReads).hasSize(200).allSatisfy((node, reads) -> assertThat(reads).isEqualTo(1));
    assertThat(PeerSelection.namespaces(seeker)).containsExactlyInAnyOrder("here", "elsewhere");
  }

  @Test
  void aNodesLabelsAreReadOnceForAllThatMaySeekIt() {
    SeiNode node = node("here", "node", Map.of(KEY, "x"));
    List<SeiNode> seekers =
        IntStream.range(0, 300)
            .mapToObj(i -> seeker("here", "seeker-" + i, source(Map.of(KEY, "x"), null)))
            .toList();

    assertThat(PeerSelection.seekersOf(node, any -> seekers.stream())).hasSize(300);

    assertThat(labelReads.get("node")).isEqualTo(1);
  }

  @Test
  void whatIsNoSourceIsIgnored() {
    SeiNode node =
        Samples.node(
            "here",
            "node",
            Samples.fullNode("sei:a")
                .withPeers(
                    Collections.unmodifiableList(
                        Arrays.asList(
                            null,
                            new PeerSource(null, null, null),
                            new PeerSource(null, null, new LabelPeers(null, "elsewhere"))))));

    assertThat(PeerSelection.namespaces(node)).isEmpty();
    assertThat(PeerSelection.looksElsewhere(node)).isFalse();
    node.setSpec(null);
    assertThat(PeerSelection.namespaces(node)).isEmpty();
  }

  private Function<String, Stream<SeiNode>> in(SeiNode... nodes) {
    return namespace -> {
      namespacesListed.add(namespace);
      return Stream.of(nodes).filter(node -> node.getMetadata().getNamespace().equals(namespace));
    };
  }

  private SeiNode seeker(String namespace, String name, PeerSource... sources) {
    SeiNode node = node(namespace, name, Map.of());
    node.setSpec(node.getSpec().withPeers(List.of(sources)));
    return node;
  }

  private SeiNode node(String namespace, String name, Map<String, String> labels) {
    SeiNode node = Samples.node(namespace, name, Samples.fullNode("sei:a"));
    var metadata = new CountingMeta();
    metadata.setNamespace(namespace);
    metadata.setName(name);
    metadata.setLabels(labels);
    node.setMetadata(metadata);
    return node;
  }

  private static PeerSource source(Map<String, String> selector, String namespace) {
    return new PeerSource(null, null, new LabelPeers(selector, namespace));
  }

  /** Counts the reads of labels. */
  private final class CountingMeta extends ObjectMeta {
    private static final long serialVersionUID = 1;

    @Override
    public Map<String, String> getLabels() {
      labelReads.merge(getName(), 1, Integer::sum);
      return super.getLabels();
    }
  }
}
