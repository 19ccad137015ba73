package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.SigningNode.NOW;
import static io.sei.operator.node.signing.SigningNode.local;
import static io.sei.operator.node.signing.SigningNode.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SigningKeyTransfer;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.signing.SigningKeyLock.Outcome;
import io.sei.operator.node.signing.SigningKeyLock.RunningPod;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Labels;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every order in which three nodes of two namespaces claim a key, start, are paused and deleted,
 * accept the loss of any signing state, and are given the key; beside pods that name the key and
 * have it not. The requests and decisions are the product's.
 */
class SigningKeyTransitionsTest {

  /** Progress of a node. */
  private enum At {
    WANTS,
    RUNS,
    PAUSED,
    GONE
  }

  /** Everything that is stored, and how far each node has come. */
  private record World(Map<String, SeiSigningKeySpec> records, List<At> nodes) {

    Optional<SeiSigningKeySpec> proved() {
      return records.values().stream()
          .filter(spec -> spec.possession() == Possession.PROVED)
          .findFirst();
    }

    Optional<SeiSigningKeySpec> declared(String namespace) {
      return records.values().stream()
          .filter(spec -> spec.possession() == Possession.DECLARED)
          .filter(spec -> spec.holder().namespace().equals(namespace))
          .findFirst();
    }

    World with(int i, At at) {
      var next = new ArrayList<>(nodes);
      next.set(i, at);
      return new World(records, next);
    }
  }

  /**
   * @param apart whether two instances of the operator each see one namespace
   */
  private record Cast(List<SigningNode> nodes, boolean apart) {}

  static List<Cast> casts() {
    List<SigningNode> squatted =
        List.of(local("a", "alice"), remote("b", "mallory"), local("b", "bob"));
    return List.of(
        new Cast(squatted, false),
        new Cast(squatted, true),
        new Cast(List.of(local("a", "alice"), remote("a", "anna"), remote("b", "mallory")), false),
        new Cast(List.of(local("a", "alice"), local("a", "amy"), local("b", "bob")), false));
  }

  private Cast cast;
  private List<List<HasMetadata>> own;
  private List<List<HasMetadata>> workloads;
  private List<HasMetadata> always;

  @ParameterizedTest
  @MethodSource("casts")
  void noKeyIsSignedWithInTwoPlacesTakenAwayOrBlocked(Cast members) {
    prepare(members);
    var first = new World(Map.of(), IntStream.range(0, 3).mapToObj(any -> At.WANTS).toList());
    Set<World> seen = new HashSet<>(Set.of(first));
    Deque<World> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      World world = open.pop();
      for (World next : followers(world)) {
        assertSound(world, next);
        if (seen.add(next)) {
          open.add(next);
        }
      }
    }
    assertThat(seen.size()).isGreaterThan(500);
  }

  private void prepare(Cast members) {
    cast = members;
    own =
        cast.nodes().stream()
            .map(node -> List.<HasMetadata>of(node.node(), node.boundClaim()))
            .toList();
    workloads = cast.nodes().stream().map(SigningNode::workload).toList();
    always =
        Stream.concat(
                cast.nodes().stream().flatMap(node -> node.secret().stream()),
                Stream.of("a", "b").flatMap(SigningKeyTransitionsTest::decoys))
            .toList();
  }

  /**
   * A pod and a StatefulSet that name the key, as the right to create pods and StatefulSets allows.
   */
  private static Stream<HasMetadata> decoys(String namespace) {
    var spec = remote(namespace, "decoy").podSpec();
    var meta =
        new ObjectMetaBuilder()
            .withNamespace(namespace)
            .withName("decoy")
            .withUid("decoy-" + namespace)
            .withLabels(Map.of(Labels.ROLE, "validator"));
    HasMetadata pod = new PodBuilder().withMetadata(meta.build()).withSpec(spec).build();
    HasMetadata statefulSet =
        new StatefulSetBuilder()
            .withMetadata(
                meta.addNewOwnerReference()
                    .withApiVersion("apps/v1")
                    .withKind("Deployment")
                    .withName("decoy")
                    .withUid("decoy")
                    .withController(true)
                    .endOwnerReference()
                    .build())
            .withNewSpec()
            .withNewTemplate()
            .withSpec(spec)
            .endTemplate()
            .endSpec()
            .build();
    return Stream.of(pod, statefulSet);
  }

  private List<World> followers(World world) {
    var next = new ArrayList<World>();
    for (int i = 0; i < 3; i++) {
      switch (world.nodes().get(i)) {
        case WANTS -> {
          claims(world, i, next);
          next.add(world.with(i, At.PAUSED));
          next.add(world.with(i, At.GONE));
        }
        case RUNS -> {
          next.add(noted(world, i));
          next.add(released(world, i).with(i, At.PAUSED));
          next.add(world.with(i, At.GONE));
        }
        case PAUSED -> {
          next.add(world.with(i, At.WANTS));
          next.add(world.with(i, At.GONE));
        }
        case GONE -> {}
      }
    }
    words(world, next);
    return next;
  }

  /** Whatever a node may have learned of a record it may accept. */
  private void claims(World world, int i, List<World> next) {
    SigningNode self = cast.nodes().get(i);
    if (self.remote()) {
      // A tenant may edit the template, so that a pod names the key before there was a claim.
      next.add(noted(world, i));
    }
    Stream<String> ofRecords =
        world.records().values().stream()
            .filter(spec -> spec.claim() != null)
            .map(spec -> spec.claim().uid());
    List<String> accepted =
        Stream.concat(ofRecords, Stream.of(NOW.toString(), self.claim().uid())).distinct().toList();
    next.add(claimed(world, i, false, null));
    next.add(claimed(world, i, true, null));
    accepted.forEach(word -> next.add(claimed(world, i, true, word)));
  }

  private World claimed(World world, int i, boolean arming, String accepted) {
    SigningNode node = cast.nodes().get(i);
    InMemoryApi api = stored(world, i);
    Outcome outcome = register(api, node).acquire(node.signer(accepted), arming);
    boolean starts = arming && outcome.veto().isNone();
    if (starts) {
      assertThat(hasStateOrWord(world, node, accepted)).as("%s in %s", node, world).isTrue();
    }
    World claimed = read(api, world).with(i, starts ? At.RUNS : At.WANTS);
    assertPermitted(world, claimed, i, arming, outcome);
    return starts ? noted(claimed, i) : claimed;
  }

  /** Returns whether a node has the signing state, or its spec accepts the loss of that. */
  private static boolean hasStateOrWord(World world, SigningNode node, String accepted) {
    Optional<SeiSigningKeySpec> record = world.proved().or(() -> world.declared(node.namespace()));
    Signer self = node.signer(null);
    if (record.isEmpty() || record.get().state() == State.RESERVED) {
      return true;
    }
    Claim last = record.get().claim();
    if (last.isSameData(self.claim().orElseThrow())) {
      return true;
    }
    boolean fromElsewhere = self.isForeign(record.get()) || last.namespace() != null;
    String needed = fromElsewhere ? NOW.toString() : last.uid();
    return needed.equals(accepted);
  }

  private World noted(World world, int i) {
    SigningNode node = cast.nodes().get(i);
    InMemoryApi api = stored(world, i);
    register(api, node)
        .note(node.signer(null), new RunningPod("pod-" + node.name(), "machine-1", false));
    return read(api, world);
  }

  private World released(World world, int i) {
    SigningNode node = cast.nodes().get(i);
    InMemoryApi api = stored(world, i);
    register(api, node).release(node.signer(null));
    return read(api, world);
  }

  /**
   * The holder of a key gives it to the last node, or takes that back; or an administrator does.
   */
  private void words(World world, List<World> next) {
    if (world.proved().isEmpty()) {
      return;
    }
    SigningNode to = cast.nodes().getLast();
    SigningKeyTransfer word = new SigningKeyTransfer(to.namespace(), to.name());
    SigningKeyTransfer said = world.proved().get().transferTo();
    String name = Signer.nameOf(world.proved().get());
    var records = new TreeMap<>(world.records());
    records.put(name, world.proved().get().withTransferTo(said == null ? word : null));
    next.add(new World(records, world.nodes()));
    for (int holder = 0; holder < 2; holder++) {
      if (Set.of(At.RUNS, At.PAUSED).contains(world.nodes().get(holder))) {
        SigningKeyTransfer changed = said == null ? word : null;
        World after = copied(world, holder, said, changed);
        next.add(after);
        boolean holds = cast.nodes().get(holder).signer(null).holds(world.proved().get());
        assertThat(after.proved().get().transferTo()).isEqualTo(holds ? changed : said);
      }
    }
  }

  private World copied(
      World world, int holder, SigningKeyTransfer before, SigningKeyTransfer word) {
    SigningNode node = cast.nodes().get(holder);
    InMemoryApi api = stored(world, holder);
    register(api, node).copyTransfer(node.signer(null), before, word);
    return read(api, world);
  }

  private SigningKeyLock register(InMemoryApi api, SigningNode node) {
    Set<String> seen = cast.apart() ? Set.of(node.namespace()) : Set.of();
    return new SigningKeyLock(api.api(), api.usage(seen), new PerObjectState<>());
  }

  private InMemoryApi stored(World world, int i) {
    Set<String> seen = cast.apart() ? Set.of(cast.nodes().get(i).namespace()) : Set.of();
    var api = new InMemoryApi(seen, any -> {});
    always.forEach(api::put);
    for (int node = 0; node < 3; node++) {
      At at = world.nodes().get(node);
      if (at != At.GONE) {
        own.get(node).forEach(api::put);
      }
      if (at == At.RUNS) {
        workloads.get(node).forEach(api::put);
      }
    }
    world.records().forEach((name, spec) -> api.put(record(name, spec)));
    return api;
  }

  private static SeiSigningKey record(String name, SeiSigningKeySpec spec) {
    var record = new SeiSigningKey();
    record.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withResourceVersion("0")
            .withLabels(Map.of(Labels.SIGNING_KEY, Signer.recordOf(spec.publicKey())))
            .build());
    record.setSpec(spec);
    return record;
  }

  /** The field alsoSigning decides nothing, so it makes no other world. */
  private static World read(InMemoryApi api, World before) {
    var records = new TreeMap<String, SeiSigningKeySpec>();
    api.records()
        .forEach(
            key -> records.put(key.getMetadata().getName(), key.getSpec().withAlsoSigning(null)));
    return new World(records, before.nodes());
  }

  private void assertPermitted(World before, World after, int i, boolean arming, Outcome outcome) {
    SigningNode self = cast.nodes().get(i);
    Signer signer = self.signer(null);
    if (outcome.veto() instanceof Veto.Refusal no) {
      assertTellsNothing(self, no.message());
    }
    boolean blocked = !outcome.veto().isNone();
    Optional<SeiSigningKeySpec> proved = before.proved();
    boolean neighbour =
        before
            .declared(self.namespace())
            .filter(record -> !signer.holds(record) && record.holder().releasedAt() == null)
            .isPresent();
    boolean hasItsState =
        proved.filter(signer::holds).map(SeiSigningKeySpec::claim).stream()
            .anyMatch(claim -> claim.isSameData(signer.claim().orElseThrow()));
    if (hasItsState && !neighbour) {
      assertThat(blocked).as("the recorded holder %s in %s", self, before).isFalse();
    }
    boolean alone =
        proved.isEmpty()
            && before.declared(self.namespace()).isEmpty()
            && IntStream.range(0, 3)
                .filter(other -> before.nodes().get(other) == At.RUNS)
                .allMatch(other -> cast.nodes().get(other).remote());
    if (alone && !self.remote()) {
      assertThat(blocked).as("%s proves its key in %s", self, before).isFalse();
    }
    if (!blocked) {
      boolean elsewhere =
          after.records().values().stream()
              .filter(
                  record -> record.possession() == Possession.DECLARED && signer.isForeign(record))
              .anyMatch(
                  record -> record.holder().releasedAt() == null && isThere(after, record, self));
      assertThat(outcome.sharing().with().isPresent())
          .as("sharing of %s in %s", self, after)
          .isEqualTo(elsewhere || hasUsers(after, i));
    }
  }

  private boolean isThere(World world, SeiSigningKeySpec record, SigningNode asks) {
    boolean unseen = cast.apart() && !record.holder().namespace().equals(asks.namespace());
    return unseen
        || IntStream.range(0, 3)
            .filter(node -> cast.nodes().get(node).name().equals(record.holder().node()))
            .anyMatch(node -> world.nodes().get(node) != At.GONE);
  }

  private boolean hasUsers(World world, int self) {
    SigningNode asks = cast.nodes().get(self);
    return IntStream.range(0, 3)
        .filter(other -> other != self && world.nodes().get(other) == At.RUNS)
        .mapToObj(cast.nodes()::get)
        .anyMatch(
            other ->
                other.namespace().equals(asks.namespace()) || (!other.remote() && !cast.apart()));
  }

  /** Asserts that a message names nothing of another namespace. */
  private void assertTellsNothing(SigningNode self, String message) {
    cast.nodes().stream()
        .filter(node -> !node.namespace().equals(self.namespace()))
        .flatMap(node -> Stream.of(node.name(), "claim-" + node.name(), "pod-" + node.name()))
        .forEach(name -> assertThat(message).doesNotContain(name));
  }

  private void assertSound(World before, World after) {
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < i; j++) {
        if (after.nodes().get(i) == At.RUNS && after.nodes().get(j) == At.RUNS) {
          assertMayBothRun(after, cast.nodes().get(i), cast.nodes().get(j));
        }
      }
    }
    Optional<SeiSigningKeySpec> was = before.proved();
    if (was.isEmpty()) {
      return;
    }
    SeiSigningKeySpec is = after.proved().orElseThrow();
    assertThat(was.get().state() == State.ARMED && is.state() == State.RESERVED)
        .as("%s is %s", was, is)
        .isFalse();
    if (!Objects.equals(was.get().holder().namespace(), is.holder().namespace())) {
      boolean given =
          new SigningKeyTransfer(is.holder().namespace(), is.holder().node())
              .equals(was.get().transferTo());
      boolean unused = was.get().state() == State.RESERVED && !isRemote(is.holder().node());
      assertThat(given || unused).as("%s goes to %s", was, is).isTrue();
    }
  }

  private boolean isRemote(String node) {
    return cast.nodes().stream().anyMatch(member -> member.name().equals(node) && member.remote());
  }

  /** Two sign at once only where a namespace declares the key that another one has or declares. */
  private static void assertMayBothRun(World world, SigningNode one, SigningNode other) {
    assertThat(one.namespace()).as("%s", world).isNotEqualTo(other.namespace());
    assertThat(Stream.of(one, other))
        .as("%s", world)
        .anyMatch(
            node ->
                node.remote()
                    && world
                        .declared(node.namespace())
                        .filter(record -> record.holder().node().equals(node.name()))
                        .isPresent());
  }
}
