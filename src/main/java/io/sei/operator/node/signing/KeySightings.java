package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import io.sei.operator.node.signing.KeyEvidence.Presence;
import io.sei.operator.node.signing.KeyEvidence.User;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.SigningKeyCheck;
import java.net.HttpURLConnection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is to be seen of signing keys beside their records, read live and in this order: a node that
 * is gone has left its StatefulSet, or else its pod, in a later list.
 *
 * @param namespaces where the operator may look; empty for the whole cluster
 */
public record KeySightings(KubeApi api, Set<String> namespaces) {

  /** Stands for a claim that could not be found; it can be accepted by this name. */
  private static final String UNKNOWN = "unknown";

  private static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

  private static final ListOptions VALIDATORS = labelled(Labels.ROLE, NodeMode.VALIDATOR.role());

  /** Looks now, for a node, at what its key's record and all others say. */
  KeyEvidence of(Signer self, Optional<SeiSigningKeySpec> record) {
    Optional<Holder> holder = record.map(SeiSigningKeySpec::holder);
    Presence presence =
        record.filter(it -> !self.holds(it)).filter(it -> isThere(it.holder())).isPresent()
            ? Presence.THERE
            : Presence.GONE;
    List<StatefulSet> statefulSets = list(StatefulSet.class, VALIDATORS);
    List<Pod> pods = list(Pod.class, VALIDATORS);
    List<User> users = users(self, statefulSets, pods);
    boolean rebuilds = record.isEmpty() && users.isEmpty();
    boolean lives =
        holder
            .filter(it -> pods.stream().anyMatch(pod -> uid(pod).equals(it.podUid())))
            .isPresent();
    return new KeyEvidence(
        presence,
        record.isEmpty() ? completed(users) : users,
        rebuilds ? kept(self) : Optional.empty(),
        lives ? Machine.ENDED : holder.map(this::machine).orElse(Machine.ENDED));
  }

  /** A node in a namespace that is not the operator's counts as there. */
  private boolean isThere(Holder holder) {
    if (holder.uid() == null) {
      return false;
    }
    try {
      return api.get(SeiNode.class, holder.namespace(), holder.node())
          .filter(it -> uid(it).equals(holder.uid()))
          .isPresent();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return true;
      }
      throw e;
    }
  }

  private List<User> users(Signer self, List<StatefulSet> statefulSets, List<Pod> pods) {
    Stream<User> ofPods =
        pods.stream()
            .filter(it -> it.getStatus() == null || !"Succeeded".equals(it.getStatus().getPhase()))
            .filter(it -> hasKey(SigningKeyCheck.publicKeyOf(it.getSpec()), self))
            .filter(it -> !isOwn(self, it))
            .map(it -> user(self, it, it.getSpec(), uid(it)));
    Stream<User> ofStatefulSets =
        statefulSets.stream()
            .filter(it -> !it.isMarkedForDeletion())
            .filter(it -> !Integer.valueOf(0).equals(it.getSpec().getReplicas()))
            .filter(
                it ->
                    hasKey(SigningKeyCheck.publicKeyOf(it.getSpec().getTemplate().getSpec()), self))
            .filter(it -> !isOwn(self, it))
            .map(it -> user(self, it, it.getSpec().getTemplate().getSpec(), null));
    return Stream.concat(ofPods, ofStatefulSets).sorted(Comparator.comparing(User::what)).toList();
  }

  /** The first with what its record needs besides. */
  private List<User> completed(List<User> users) {
    return users.stream().limit(1).map(it -> new User(it.what(), completed(it.record()))).toList();
  }

  private SeiSigningKeySpec completed(SeiSigningKeySpec record) {
    Holder holder = record.holder();
    Optional<SeiNode> node = api.get(SeiNode.class, holder.namespace(), holder.node());
    Optional<PersistentVolumeClaim> claim =
        node.flatMap(
            it -> api.get(PersistentVolumeClaim.class, holder.namespace(), Names.claim(it)));
    return record.with(
        it ->
            it.holder(holder.withUid(node.map(KeySightings::uid).orElse(null)))
                .claim(
                    record.claim() != null
                        ? record.claim()
                        : new Claim(
                            claim.map(bound -> bound.getMetadata().getName()).orElse(UNKNOWN),
                            claim.map(KeySightings::uid).orElse(UNKNOWN),
                            null)));
  }

  private static String uid(HasMetadata object) {
    return object.getMetadata().getUid();
  }

  private static boolean hasKey(Optional<String> key, Signer self) {
    return key.filter(self.key()::equals).isPresent();
  }

  private static boolean isOwn(Signer self, HasMetadata object) {
    return object.getMetadata().getNamespace().equals(self.namespace())
        && Labels.isOfNode(object, self.node());
  }

  private static User user(Signer self, HasMetadata object, PodSpec pod, String podUid) {
    String namespace = object.getMetadata().getNamespace();
    String node = Labels.of(object, Labels.NODE).orElse(object.getMetadata().getName());
    return new User(
        "%s %s/%s".formatted(object.getKind(), namespace, object.getMetadata().getName()),
        new SeiSigningKeySpec(
            self.key(),
            Labels.of(object, Labels.CHAIN).orElse(null),
            State.ARMED,
            new Holder(namespace, node, null, podUid, pod.getNodeName(), self.now(), null),
            SigningKeyCheck.isRemote(pod) ? Claim.REMOTE_SIGNER : null,
            null,
            null));
  }

  /** What the newest claim that was marked for the key comes to. */
  private Optional<SeiSigningKeySpec> kept(Signer self) {
    return list(PersistentVolumeClaim.class, labelled(Labels.SIGNING_KEY, self.record())).stream()
        .max(Comparator.comparing(it -> Annotations.of(it, Annotations.SIGNS_SINCE).orElse("")))
        .map(
            it ->
                new SeiSigningKeySpec(
                    self.key(),
                    Labels.of(it, Labels.CHAIN).orElse(null),
                    State.ARMED,
                    new Holder(
                        it.getMetadata().getNamespace(),
                        Labels.of(it, Labels.NODE).orElse(it.getMetadata().getName()),
                        Annotations.of(it, Annotations.CLAIM_OWNER_UID).orElse(null),
                        null,
                        null,
                        self.now(),
                        null),
                    isRemote(it)
                        ? Claim.REMOTE_SIGNER
                        : new Claim(it.getMetadata().getName(), it.getMetadata().getUid(), null),
                    null,
                    null));
  }

  /** Whether containers of the holder's last pod may live on, if that pod is gone. */
  Machine machine(Holder holder) {
    if (holder.podUid() == null || holder.machine() == null) {
      return Machine.ENDED;
    }
    try {
      Optional<Node> node = api.get(Node.class, holder.machine());
      boolean outOfService =
          node.map(it -> it.getSpec().getTaints()).stream()
              .flatMap(List::stream)
              .anyMatch(it -> OUT_OF_SERVICE.equals(it.getKey()));
      NodeFacts facts = NodeFacts.of(holder.machine(), node.orElse(null));
      return facts.state() == NodeFacts.State.SILENT && !outOfService
          ? Machine.SILENT
          : Machine.ENDED;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return Machine.UNREADABLE;
      }
      throw e;
    }
  }

  /**
   * Marks the claim on which the node signs, so that a record that is lost can be recreated.
   *
   * @param always also if it is marked already
   */
  void mark(Signer self, boolean always) {
    self.volume()
        .flatMap(it -> api.get(PersistentVolumeClaim.class, self.namespace(), it.name()))
        .filter(it -> uid(it).equals(self.volume().orElseThrow().uid()))
        .filter(
            it ->
                always
                    || !Labels.of(it, Labels.SIGNING_KEY).equals(Optional.of(self.record()))
                    || isRemote(it) != self.remote())
        .ifPresent(
            it ->
                api.mergePatch(
                    it,
                    MetadataPatch.marks(
                        it, Map.of(Labels.SIGNING_KEY, self.record()), marks(self))));
  }

  private static Map<String, String> marks(Signer self) {
    var marks = new HashMap<String, String>();
    marks.put(Annotations.SIGNS_SINCE, self.now().toString());
    marks.put(Annotations.SIGNS_REMOTELY, self.remote() ? "true" : null);
    return marks;
  }

  private static boolean isRemote(HasMetadata claim) {
    return Annotations.has(claim, Annotations.SIGNS_REMOTELY, "true");
  }

  private <T extends HasMetadata> List<T> list(Class<T> type, ListOptions options) {
    return namespaces.isEmpty()
        ? api.listEverywhere(type, options)
        : namespaces.stream().flatMap(it -> api.list(type, it, options).stream()).toList();
  }

  private static ListOptions labelled(String label, String value) {
    return new ListOptionsBuilder().withLabelSelector(label + "=" + value).build();
  }
}
