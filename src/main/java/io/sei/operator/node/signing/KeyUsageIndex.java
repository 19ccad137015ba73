package io.sei.operator.node.signing;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpecBuilder;
import io.sei.operator.base.Unreadable;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import io.sei.operator.node.signing.KeyEvidence.User;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.NodeMode;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads where signing keys are in use beside their records, live and in this order: a node that is
 * deleted between two lists still appears by its StatefulSet or its pod in a later one.
 *
 * <p>A variable of a pod and a label of a claim name a public key, which anyone can know. So they
 * count within the node's own namespace; those of another namespace count only where a Secret there
 * has the private key.
 *
 * @param namespaces where the operator may look; empty for the whole cluster
 * @param lastPods judges whether a pod that is gone may still sign
 */
record KeyUsageIndex(KubeApi api, Set<String> namespaces, LastPods lastPods) {

  /** Stands for a claim that could not be found; it can be accepted by this name. */
  private static final String UNKNOWN = "unknown";

  private static final ListOptions VALIDATORS = labelled(Labels.ROLE, NodeMode.VALIDATOR.role());

  /**
   * A node of another namespace that declares a key, and has not released it.
   *
   * @param shows whether its status says already that the key is shared
   */
  record Declaration(ResourceID node, boolean shows) {}

  /** Looks now, for a node, at what the records of its key and all others say. */
  KeyEvidence of(Signer self, KeyRecord.Pair records) {
    Optional<Holder> holder = records.binding().map(keyRecord -> keyRecord.spec().holder());
    List<StatefulSet> statefulSets = list(StatefulSet.class, VALIDATORS);
    List<Pod> pods = list(Pod.class, VALIDATORS);
    List<User> users = users(self, records, statefulSets, pods);
    boolean rebuilds = records.binding().isEmpty();
    boolean lives =
        holder
            .filter(candidate -> pods.stream().anyMatch(pod -> uid(pod).equals(candidate.podUid())))
            .isPresent();
    return new KeyEvidence(
        rebuilds ? completed(users) : users,
        rebuilds && users.isEmpty() ? kept(self) : Optional.empty(),
        lives
            ? Machine.ENDED
            : holder.map(last -> lastPods.machine(self, last)).orElse(Machine.ENDED));
  }

  /**
   * Returns whether the holder of a record exists; so it does in a namespace that is not the
   * operator's.
   */
  boolean isThere(Holder holder) {
    return node(holder.namespace(), holder.node())
        .map(found -> found.filter(node -> isMeant(holder, node)).isPresent())
        .orElse(true);
  }

  private static boolean isMeant(Holder holder, SeiNode node) {
    return holder.uid() == null
        ? holder.releasedAt() == null
        : holder.uid().equals(node.getMetadata().getUid());
  }

  /** A SeiNode, if there is one; empty where the operator has no right to know. */
  private Optional<Optional<SeiNode>> node(String namespace, String name) {
    try {
      return Optional.of(api.get(SeiNode.class, namespace, name));
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** The nodes of other namespaces that declare the key and have not released it. */
  List<Declaration> declarations(Signer self) {
    return api
        .listEverywhere(SeiSigningKey.class, labelled(Labels.SIGNING_KEY, self.record()))
        .stream()
        .filter(object -> !Unreadable.isStub(object))
        .map(SeiSigningKey::getSpec)
        .filter(spec -> spec.possession() == Possession.DECLARED)
        .filter(spec -> spec.publicKey().equals(self.key()))
        .filter(spec -> self.isForeign(spec) && spec.holder().releasedAt() == null)
        .flatMap(spec -> declaration(spec.holder()).stream())
        .toList();
  }

  private Optional<Declaration> declaration(Holder holder) {
    var id = new ResourceID(holder.node(), holder.namespace());
    Optional<Optional<SeiNode>> node = node(holder.namespace(), holder.node());
    if (node.isEmpty()) {
      // Another instance of the operator manages it, and its status is not visible from here.
      return Optional.of(new Declaration(id, true));
    }
    return node.get()
        .filter(candidate -> isMeant(holder, candidate))
        .map(seiNode -> new Declaration(id, showsSharing(seiNode)));
  }

  private static boolean showsSharing(SeiNode node) {
    return node.getStatus() != null
        && node.getStatus().signingRecord() != null
        && node.getStatus().signingRecord().sharedWith() != null;
  }

  private List<User> users(
      Signer self, KeyRecord.Pair records, List<StatefulSet> statefulSets, List<Pod> pods) {
    Stream<User> ofPods =
        pods.stream()
            // One of another namespace must not stop this node by being too large to read.
            .filter(object -> !Unreadable.isStub(object))
            .filter(pod -> !PodFacts.hasSucceeded(pod))
            .filter(pod -> hasKey(PodSigningKey.of(pod.getSpec()), self))
            .filter(pod -> !isOwn(self, pod))
            .flatMap(pod -> user(self, records, pod, statefulSets).stream());
    Stream<User> ofStatefulSets =
        statefulSets.stream()
            .filter(object -> !Unreadable.isStub(object))
            .filter(statefulSet -> !statefulSet.isMarkedForDeletion())
            .filter(statefulSet -> !Integer.valueOf(0).equals(statefulSet.getSpec().getReplicas()))
            .filter(
                statefulSet ->
                    hasKey(PodSigningKey.of(statefulSet.getSpec().getTemplate().getSpec()), self))
            .filter(statefulSet -> !isOwn(self, statefulSet))
            .flatMap(statefulSet -> user(self, statefulSet).stream());
    return Stream.concat(ofPods, ofStatefulSets).sorted(Comparator.comparing(User::what)).toList();
  }

  /** A pod counts if the record names it, or a StatefulSet of a SeiNode controls it. */
  private Optional<User> user(
      Signer self, KeyRecord.Pair records, Pod pod, List<StatefulSet> statefulSets) {
    boolean recorded =
        records
            .binding()
            .filter(candidate -> uid(pod).equals(candidate.spec().holder().podUid()))
            .isPresent();
    Optional<OwnerReference> controller =
        Ownership.controller(pod)
            .filter(owner -> owner.getKind().equals(HasMetadata.getKind(StatefulSet.class)));
    Optional<StatefulSet> statefulSet =
        controller.flatMap(
            owner ->
                statefulSets.stream().filter(set -> uid(set).equals(owner.getUid())).findFirst());
    // A StatefulSet that is gone has left its pods to the garbage collector.
    boolean controlled =
        controller.isPresent() && statefulSet.map(KeyUsageIndex::isOfSeiNode).orElse(true);
    if (!recorded && !controlled) {
      return Optional.empty();
    }
    return user(
        self, pod, pod.getSpec(), uid(pod), statefulSet.flatMap(Ownership::controller), recorded);
  }

  private Optional<User> user(Signer self, StatefulSet statefulSet) {
    return isOfSeiNode(statefulSet)
        ? user(
            self,
            statefulSet,
            statefulSet.getSpec().getTemplate().getSpec(),
            null,
            Ownership.controller(statefulSet),
            false)
        : Optional.empty();
  }

  /** One without a controller was left by a SeiNode that was deleted without its dependents. */
  private static boolean isOfSeiNode(StatefulSet statefulSet) {
    return Ownership.controller(statefulSet)
        .map(
            owner ->
                owner.getKind().equals(SeiNode.KIND)
                    && owner.getApiVersion().startsWith(SeiNode.GROUP + "/"))
        .orElse(true);
  }

  /**
   * @param known whether the record itself says that this is a user
   */
  private Optional<User> user(
      Signer self,
      HasMetadata object,
      PodSpec pod,
      String podUid,
      Optional<OwnerReference> node,
      boolean known) {
    String namespace = object.getMetadata().getNamespace();
    boolean here = namespace.equals(self.namespace());
    if (!here && !known && !isProved(self, namespace, pod)) {
      return Optional.empty();
    }
    String name =
        node.map(OwnerReference::getName)
            .or(() -> Labels.of(object, Labels.NODE))
            .orElse(object.getMetadata().getName());
    boolean proved = !here || self.proves() || isProved(self, namespace, pod);
    return Optional.of(
        new User(
            "%s %s/%s".formatted(object.getKind(), namespace, object.getMetadata().getName()),
            SeiSigningKeySpecBuilder.builder()
                .publicKey(self.key())
                .possession(proved ? Possession.PROVED : Possession.DECLARED)
                .chainId(Labels.of(object, Labels.CHAIN).orElse(null))
                .state(State.ARMED)
                .holder(
                    new Holder(
                        namespace,
                        name,
                        node.map(OwnerReference::getUid).orElse(null),
                        podUid,
                        pod.getNodeName(),
                        self.now(),
                        null))
                .claim(PodSigningKey.isRemote(pod) ? Claim.REMOTE_SIGNER : null)
                .build()));
  }

  /**
   * Returns whether the Secret that a pod mounts for its signing key has the private key of this
   * one.
   */
  private boolean isProved(Signer self, String namespace, PodSpec pod) {
    return KeyMounts.signingKeyOf(pod).filter(text -> isIn(self, namespace, text)).isPresent();
  }

  /** A Secret that the operator must not read proves nothing. */
  private boolean isIn(Signer self, String namespace, String secret) {
    try {
      return KeySecretChecks.publicKey(secret, api.get(Secret.class, namespace, secret))
          .filter(self.key()::equals)
          .isPresent();
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        return false;
      }
      throw e;
    }
  }

  /** The first with what its record needs besides. */
  private List<User> completed(List<User> users) {
    return users.stream()
        .limit(1)
        .map(user -> new User(user.what(), completed(user.record())))
        .toList();
  }

  private SeiSigningKeySpec completed(SeiSigningKeySpec record) {
    Holder holder = record.holder();
    Optional<SeiNode> node = api.get(SeiNode.class, holder.namespace(), holder.node());
    Optional<PersistentVolumeClaim> claim =
        node.flatMap(
            seiNode ->
                api.get(PersistentVolumeClaim.class, holder.namespace(), Names.claim(seiNode)));
    String uid = holder.uid() != null ? holder.uid() : node.map(KeyUsageIndex::uid).orElse(null);
    return record.with(
        builder ->
            builder
                .holder(
                    holder.with(
                        next -> next.uid(uid).releasedAt(uid == null ? holder.since() : null)))
                .claim(
                    record.claim() != null
                        ? record.claim()
                        : new Claim(
                            claim.map(bound -> bound.getMetadata().getName()).orElse(UNKNOWN),
                            claim.map(KeyUsageIndex::uid).orElse(UNKNOWN),
                            null,
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

  /** Returns the record by the newest claim that was marked for the key. */
  private Optional<SeiSigningKeySpec> kept(Signer self) {
    return list(PersistentVolumeClaim.class, labelled(Labels.SIGNING_KEY, self.record())).stream()
        .sorted(
            Comparator.<PersistentVolumeClaim, String>comparing(
                    claim -> Annotations.of(claim, Annotations.SIGNS_SINCE).orElse(""))
                .reversed())
        .flatMap(claim -> kept(self, claim).stream())
        .findFirst();
  }

  private Optional<SeiSigningKeySpec> kept(Signer self, PersistentVolumeClaim claim) {
    String namespace = claim.getMetadata().getNamespace();
    String node = Labels.of(claim, Labels.NODE).orElse(claim.getMetadata().getName());
    String owner = Annotations.of(claim, Annotations.CLAIM_OWNER_UID).orElse(null);
    if (self.namespace().equals(namespace)) {
      return Optional.of(kept(self, claim, node, owner));
    }
    return api.get(SeiNode.class, namespace, node)
        .filter(candidate -> uid(candidate).equals(owner) || Ownership.isOurs(claim, candidate))
        .filter(
            candidate ->
                candidate
                    .getSpec()
                    .signingKeySecret()
                    .filter(secret -> isIn(self, namespace, secret))
                    .isPresent())
        .map(seiNode -> kept(self, claim, node, uid(seiNode)).withPossession(Possession.PROVED));
  }

  private static SeiSigningKeySpec kept(
      Signer self, PersistentVolumeClaim claim, String node, String owner) {
    var bound = new Claim(claim.getMetadata().getName(), uid(claim), null, null);
    return SeiSigningKeySpecBuilder.builder()
        .publicKey(self.key())
        .possession(self.possession())
        .chainId(Labels.of(claim, Labels.CHAIN).orElse(null))
        .state(State.ARMED)
        .holder(
            new Holder(
                claim.getMetadata().getNamespace(),
                node,
                owner,
                null,
                null,
                self.now(),
                owner == null ? self.now() : null))
        .claim(isRemote(claim) ? Claim.REMOTE_SIGNER : bound)
        .build();
  }

  /**
   * Marks the claim on which the node signs, so that a record that is lost can be recreated.
   *
   * @param always also if it is marked already
   */
  void mark(Signer self, boolean always) {
    self.volume()
        .flatMap(claim -> api.get(PersistentVolumeClaim.class, self.namespace(), claim.name()))
        .filter(claim -> uid(claim).equals(self.volume().orElseThrow().uid()))
        .filter(
            claim ->
                always
                    || !Labels.of(claim, Labels.SIGNING_KEY).equals(Optional.of(self.record()))
                    || isRemote(claim) != self.remote())
        .ifPresent(
            claim ->
                api.mergePatch(
                    claim,
                    MetadataPatch.marks(
                        claim, Map.of(Labels.SIGNING_KEY, self.record()), marks(self))));
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
        : namespaces.stream()
            .flatMap(namespace -> api.list(type, namespace, options).stream())
            .toList();
  }

  private static ListOptions labelled(String label, String value) {
    return new ListOptionsBuilder().withLabelSelector(label + "=" + value).build();
  }
}
