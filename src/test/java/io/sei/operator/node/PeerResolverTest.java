package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.LabelPeers;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Validator.KeySecret;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Unreadable;
import io.sei.operator.base.Unreadable.Field;
import io.sei.operator.node.feature.PeerNodes;
import io.sei.operator.node.feature.PeerResolution;
import io.sei.operator.node.feature.PeerSelection;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.Sidecars;
import io.sei.operator.testkit.ManualExecutor;
import io.sei.operator.testkit.StubbedSidecars;
import io.sei.operator.testkit.samples.Samples;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PeerResolverTest {

  private static final String NAMESPACE = "chain";
  private static final String ID = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8";
  private static final String OTHER_ID = "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98";
  private static final String PEER = "peer-0.peer.chain.svc.cluster.local:26656";

  private final Nodes nodes = new Nodes();

  /** Identities of nodes by the addresses of their sidecars. */
  private final Map<String, String> nodeIds = new HashMap<>();

  private final List<String> asked = new ArrayList<>();
  private final List<String> woken = new ArrayList<>();
  private final Sidecars sidecars =
      new Sidecars(
          StubbedSidecars.client(CompletableFuture::new, this::nodeId),
          ManualExecutor.<ResourceID>eager(NOW).polling(new PerObjectState<>()),
          (node, within) -> woken.add(node.getName()));
  private final PeerResolver resolver = new PeerResolver(nodes, sidecars);

  @Test
  void theSidecarOfAPeerIsAskedForItsIdentity() {
    nodes.add(peer());
    watch("peer", "10.0.0.1");
    nodeIds.put("10.0.0.1", ID);

    assertThat(resolver.resolve(seeker()).addresses()).containsExactly(ID + "@" + PEER);
    assertThat(asked).containsExactly("10.0.0.1");
  }

  @Test
  void theSidecarOfAPeerOfAnotherShardIsAskedAtTheAddressOfItsPod() {
    nodes.add(peer());
    nodes.elsewhere.add("peer");
    nodeIds.put("10.0.0.2", ID);

    assertThat(resolver.resolve(seeker()).missing()).as("it has no pod").containsExactly(PEER);
    nodes.pods.put("peer", aPod("peer-0").uid("pod-1").address("10.0.0.2").build());

    assertThat(resolver.resolve(seeker()).addresses()).containsExactly(ID + "@" + PEER);
  }

  /** The sidecar reads the key on the volume, which seid does not use. */
  @Test
  void theIdentityOfAPeerWithANodeKeySecretIsTheOneThatItRecorded() {
    SeiNode peer = nodes.add(validator());
    watch("peer", "10.0.0.1");
    nodeIds.put("10.0.0.1", OTHER_ID);

    assertThat(resolver.resolve(seeker()).missing()).containsExactly(PEER);
    peer.setStatus(SeiNodeStatus.empty().with(status -> status.nodeId(ID)));

    assertThat(resolver.resolve(seeker()).addresses()).containsExactly(ID + "@" + PEER);
    assertThat(asked).isEmpty();
  }

  @Test
  void aPausedPeerWithoutAnIdentityIsNotMissing() {
    SeiNode peer = peer();
    peer.setSpec(peer.getSpec().withPaused(true));
    nodes.add(peer);

    assertThat(resolver.resolve(seeker())).isEqualTo(PeerResolution.NONE);
  }

  @Test
  void knownPeersStayWhileANodeOfTheNamespaceCannotBeRead() {
    SeiNode seeker = seeker();
    seeker.setStatus(knowing(ID));
    nodes.add(unreadable("elsewhere"));
    assertThat(resolver.resolve(seeker).addresses()).as("of another namespace").isEmpty();

    nodes.add(unreadable(NAMESPACE));

    assertThat(resolver.resolve(seeker).addresses()).containsExactly(ID + "@" + PEER);
  }

  @Test
  void aRecordedIdentityReconcilesTheNodesThatKnowAnotherOne() {
    SeiNode validator = nodes.add(validator());
    nodes.add(seeker("knows-it")).setStatus(knowing(ID));
    nodes.add(seeker("knows-another")).setStatus(knowing(OTHER_ID));
    nodes.add(seeker("knows-none"));
    nodes.add(seeker("of-another-shard"));
    nodes.elsewhere.add("of-another-shard");

    resolver.announce(validator, ID);

    assertThat(woken).containsExactlyInAnyOrder("knows-another", "knows-none");
  }

  @Test
  void aNewPodIsAskedForItsIdentityBeforeItsSeekersAreReconciled() {
    nodes.add(seeker());
    watch("peer", "10.0.0.1");
    nodeIds.put("10.0.0.1", ID);

    resolver.announce(nodes.add(peer()));
    resolver.announce(nodes.add(validator()));

    assertThat(asked).containsExactly("10.0.0.1");
    assertThat(woken).containsExactly("seeker");
  }

  @Test
  void aNodeWithoutLabelSourcesHasNoPeers() {
    nodes.add(peer());

    assertThat(resolver.resolve(peer())).isSameAs(PeerResolution.NONE);
  }

  private void watch(String node, String address) {
    sidecars.watch(
        new ResourceID(node, NAMESPACE),
        new SidecarAddress(NAMESPACE, node, Optional.of("pod-1"), Optional.of(address)));
  }

  private static SeiNode peer() {
    return Samples.node(NAMESPACE, "peer", Samples.fullNode("sei:a"));
  }

  private static SeiNode validator() {
    SeiNode node = peer();
    node.setSpec(
        node.getSpec()
            .withFullNode(null)
            .withValidator(
                ValidatorBuilder.builder()
                    .signingKey(new SigningKey(new KeySecret("key")))
                    .nodeKey(new NodeKey(new KeySecret("identity")))
                    .build()));
    return node;
  }

  private static SeiNode seeker() {
    return seeker("seeker");
  }

  private static SeiNode seeker(String name) {
    SeiNode node = Samples.node(NAMESPACE, name, Samples.fullNode("sei:a"));
    var label = new LabelPeers(Map.of("sei.io/chain", node.getSpec().chainId()), null);
    node.setSpec(node.getSpec().withPeers(List.of(new PeerSource(null, null, label))));
    return node;
  }

  private static SeiNode unreadable(String namespace) {
    SeiNode node = Samples.node(namespace, "unreadable", null);
    new Unreadable(List.of(new Field("spec", "is too large"))).recordOn(node);
    return node;
  }

  private static SeiNodeStatus knowing(String id) {
    return SeiNodeStatus.empty().with(status -> status.resolvedPeers(List.of(id + "@" + PEER)));
  }

  private Optional<String> nodeId(SidecarAddress address) {
    asked.add(address.podIp().orElseThrow());
    return Optional.ofNullable(nodeIds.get(address.podIp().orElseThrow()));
  }

  /** Nodes of one namespace and their pods. */
  private static final class Nodes implements PeerNodes {

    private final List<SeiNode> all = new ArrayList<>();
    private final Map<String, Pod> pods = new HashMap<>();

    /** The names of those that another shard manages. */
    private final Set<String> elsewhere = new HashSet<>();

    private SeiNode add(SeiNode node) {
      all.removeIf(before -> before.getMetadata().getName().equals(node.getMetadata().getName()));
      all.add(node);
      return node;
    }

    @Override
    public Stream<SeiNode> nodes(String namespace) {
      return all.stream().filter(node -> node.getMetadata().getNamespace().equals(namespace));
    }

    @Override
    public Stream<SeiNode> unreadableNodes() {
      return all.stream().filter(Unreadable::isStub);
    }

    @Override
    public Stream<SeiNode> peerSeekers(String namespace) {
      return all.stream().filter(node -> PeerSelection.namespaces(node).contains(namespace));
    }

    @Override
    public boolean isOwn(SeiNode node) {
      return !elsewhere.contains(node.getMetadata().getName());
    }

    @Override
    public Optional<Pod> pod(SeiNode node) {
      return Optional.ofNullable(pods.get(node.getMetadata().getName()));
    }
  }
}
