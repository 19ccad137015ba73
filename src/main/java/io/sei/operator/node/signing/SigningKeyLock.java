package io.sei.operator.node.signing;

import static io.sei.operator.kube.ApiErrors.isConflict;
import static io.sei.operator.kube.ApiErrors.isForbidden;
import static io.sei.operator.kube.ApiErrors.isNotFound;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SigningKeyTransfer;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Recheck;
import io.sei.operator.base.Unreadable;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.Refusal;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.signing.KeyEvidence.User;
import io.sei.operator.node.signing.KeyUsageIndex.Declaration;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Locks signing keys, by their records. A node signs only once it has created the record of its
 * key, or replaced the version that it read; of two concurrent writes the API server refuses one.
 * Nothing else is a lock.
 *
 * <p>A key has one record in the cluster once a node has proved to have it, and before that one in
 * each namespace that declares it. A node that takes either record reads both afterwards, so that
 * of two nodes of a namespace of which each takes one at least one sees the other.
 */
final class SigningKeyLock {

  /** A record is rebuilt, transferred or taken before a decision; more is another one's writing. */
  private static final int LOOKS = 6;

  /** Another instance of the operator may have recorded proof of a key that a node declares. */
  static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

  private final KubeApi api;
  private final KeyUsageIndex usage;
  private final LastPods lastPods;
  private final PerObjectState<ResourceID> memory;
  private final PerObjectMap<ResourceID, Instant> looks;
  private volatile Instant forbiddenUntil = Instant.EPOCH;
  private volatile String forbidden = "";

  /**
   * @param usage index of the pods and claims that use keys
   * @param memory by which nodes are woken
   */
  SigningKeyLock(KubeApi api, KeyUsageIndex usage, PerObjectState<ResourceID> memory) {
    this.api = api;
    this.usage = usage;
    this.lastPods = usage.lastPods();
    this.memory = memory;
    this.looks = memory.newMap();
  }

  /**
   * Outcome of acquiring the lock.
   *
   * @param record name of the record that the node signs by
   * @param sharing the other node that has the key; none where this node must not sign
   */
  record Outcome(Veto veto, String record, Sharing sharing) {}

  /**
   * Another node that has the key and may sign with it.
   *
   * @param with description of the other node; empty for none
   * @param isAwaited whether the status of another node does not show it yet
   */
  record Sharing(Optional<String> with, boolean isAwaited) {

    static final Sharing NONE = new Sharing(Optional.empty(), false);
  }

  /** The records of a key as objects. */
  private record Stored(Optional<SeiSigningKey> proved, Optional<SeiSigningKey> declared) {

    /** The stored record of the same name. */
    Optional<SeiSigningKey> of(SeiSigningKeySpec record) {
      return switch (record.possession()) {
        case PROVED -> proved;
        case DECLARED -> declared;
      };
    }
  }

  /**
   * Acquires the lock: records the key as this node's.
   *
   * @param arming whether a pod follows at once
   */
  Outcome acquire(Signer self, boolean arming) {
    return readable(self, () -> decided(self, arming)).orElseGet(() -> outcome(self, unguarded()));
  }

  private static Outcome outcome(Signer self, Veto veto) {
    return new Outcome(veto, self.record(), Sharing.NONE);
  }

  private Outcome decided(Signer self, boolean arming) {
    Optional<SeiSigningKeySpec> taken = Optional.empty();
    for (int look = 0; look < LOOKS; look++) {
      Stored stored = read(self);
      KeyRecord.Pair records = records(self, stored);
      KeyEvidence seen = usage.of(self, records);
      switch (SigningKeyLockPolicy.decide(self, records, arming, seen)) {
        case SigningKeyLockDecision.Refused refused -> {
          taken
              .or(() -> reserved(self, records))
              .ifPresent(spec -> release(self, Signer.nameOf(spec)));
          return outcome(self, Veto.of(refused.reason(), refused.message(), recheck(refused)));
        }
        case SigningKeyLockDecision.Granted granted -> {
          SeiSigningKeySpec next = granted.record();
          Optional<SeiSigningKey> before = stored.of(next);
          if (isHeldBy(self, before)) {
            if (write(self, before, next)) {
              giveUpDeclared(self, stored, next);
              return new Outcome(Veto.none(), Signer.nameOf(next), sharing(self, seen.users()));
            }
          } else if (write(self, before, before.isPresent() ? next : notYetArmed(next))) {
            // Another node may have taken the other record meanwhile, so both are read again.
            taken = Optional.of(next);
          }
        }
        case SigningKeyLockDecision.Rebuilt rebuilt ->
            write(self, stored.of(rebuilt.record()), rebuilt.record());
        case SigningKeyLockDecision.Transferred transferred ->
            write(self, stored.of(transferred.record()), transferred.record());
        case SigningKeyLockDecision.LetGo _ ->
            letGo(stored.proved().or(stored::declared).orElseThrow());
      }
    }
    return outcome(
        self,
        Veto.of(
            NodeReason.IN_USE,
            "SeiSigningKey " + self.record() + " changes all the time",
            Recheck.RACE));
  }

  /** A record that is created first says that no pod has had the key. */
  private static SeiSigningKeySpec notYetArmed(SeiSigningKeySpec next) {
    return next.withState(State.RESERVED);
  }

  private static Optional<SeiSigningKeySpec> reserved(Signer self, KeyRecord.Pair records) {
    return records
        .binding()
        .map(KeyRecord::spec)
        .filter(spec -> self.holds(spec) && spec.state() == State.RESERVED);
  }

  private static boolean isHeldBy(Signer self, Optional<SeiSigningKey> record) {
    return record
        .map(SeiSigningKey::getSpec)
        .filter(
            spec -> self.uid().equals(spec.holder().uid()) && spec.holder().releasedAt() == null)
        .isPresent();
  }

  /** Once possession is proved the node's own declaration stands for nothing any more. */
  private void giveUpDeclared(Signer self, Stored stored, SeiSigningKeySpec record) {
    if (record.possession() == Possession.PROVED && isHeldBy(self, stored.declared())) {
      release(self, self.declaredRecord());
    }
  }

  private static Duration recheck(SigningKeyLockDecision.Refused refused) {
    boolean endsSoon =
        refused.reason() == NodeReason.IN_USE || refused.reason() == NodeReason.POD_TERMINATING;
    return endsSoon ? Recheck.UNWATCHED : Recheck.CONFLICT;
  }

  /** Finds the other nodes that have the key, and wakes those whose status does not show it. */
  private Sharing sharing(Signer self, List<User> users) {
    Optional<String> user = users.stream().findFirst().map(present -> present.describeTo(self));
    List<Declaration> declarations = usage.declarations(self);
    List<Declaration> unaware =
        declarations.stream().filter(declaration -> !declaration.shows()).toList();
    unaware.forEach(declaration -> looks.remove(declaration.node()));
    unaware.forEach(declaration -> memory.wake(declaration.node()));
    return new Sharing(
        user.or(
            () ->
                declarations.stream()
                    .findFirst()
                    .map(declaration -> SigningKeyLockPolicy.SOMEWHERE)),
        !unaware.isEmpty());
  }

  /**
   * Records a running pod, whatever the record contains: no node is stopped for it. While the
   * node's last one may live on the record keeps that.
   *
   * @param pod what is known of the pod
   * @return what was recorded; empty where the operator has no right to, or another writer was
   *     faster
   */
  Optional<Note> note(Signer self, RunningPod pod) {
    looks.put(new ResourceID(self.node(), self.namespace()), self.now());
    return readable(self, () -> noted(self, pod)).flatMap(optional -> optional);
  }

  /** Whether the records of a declared key have not been read for a while. */
  boolean isLookDue(ResourceID node, Instant now) {
    return looks.get(node).filter(last -> now.isBefore(last.plus(LOOK_AGAIN))).isEmpty();
  }

  /** Vetoes that a pod signs which no record names yet. */
  Veto follow(Signer self, RunningPod pod) {
    return readable(self, () -> records(self, read(self)).binding().map(KeyRecord::spec))
        .map(record -> record.flatMap(spec -> uncertain(self, spec, pod)))
        .map(
            refused ->
                refused
                    .map(found -> Veto.of(found.reason(), found.message(), recheck(found)))
                    .orElseGet(SigningKeyLock::unrecorded))
        .orElseGet(this::unguarded);
  }

  /** Vetoes that a pod signs until the record of its key names it, which a pass does at its end. */
  static Veto unrecorded() {
    return Veto.of(
        TaskReason.RECORDING,
        "the record of the signing key does not name the pod yet",
        Recheck.RACE);
  }

  private Veto unguarded() {
    return Veto.of(
        NodeReason.SIGNING_KEY_UNGUARDED,
        "the operator has no right that keeps the signing key from having two signers: "
            + forbidden,
        Recheck.CONFLICT);
  }

  private Optional<SigningKeyLockDecision.Refused> uncertain(
      Signer self, SeiSigningKeySpec record, RunningPod pod) {
    return pod.uid().equals(record.holder().podUid())
        ? Optional.empty()
        : SigningKeyLockPolicy.uncertain(
            self, record, lastPods.machine(self, record, pod.machine()));
  }

  /**
   * Outcome of recording a pod.
   *
   * @param record name of the record that the pod signs by
   * @param sharedWith the other node that has the key; empty for none
   */
  record Note(String record, Optional<String> sharedWith) {}

  /**
   * A pod of a node that runs.
   *
   * @param isShared whether another node was found to have its key
   */
  record RunningPod(String uid, String machine, boolean isShared) {}

  private Optional<Note> noted(Signer self, RunningPod pod) {
    Stored stored = read(self);
    KeyRecord.Pair records = records(self, stored);
    Optional<KeyRecord> binding = records.binding();
    boolean own = binding.filter(candidate -> self.holds(candidate.spec())).isPresent();
    if (own && uncertain(self, binding.get().spec(), pod).isPresent()) {
      return Optional.empty();
    }
    boolean looksForUsers = pod.isShared() || (binding.isPresent() && !own);
    List<User> users = looksForUsers ? usage.of(self, records).users() : List.of();
    if (binding.isPresent() && !own) {
      KeyRecord record = binding.get();
      if (self.isForeign(record.spec()) && (record.isHeld() || !self.proves())) {
        return foreign(self, stored, record);
      }
      if (!users.isEmpty()) {
        return alsoSigning(self, stored, record.spec())
            ? Optional.of(
                new Note(
                    Signer.nameOf(record.spec()), Optional.of(users.getFirst().describeTo(self))))
            : Optional.empty();
      }
      if (uncertain(self, record.spec(), pod).isPresent()) {
        return Optional.empty();
      }
    }
    SeiSigningKeySpec base = own ? binding.get().spec() : self.holding(State.ARMED);
    boolean proved = self.proves() || records.proved().isPresent();
    SeiSigningKeySpec next =
        base.with(
            builder ->
                builder
                    .possession(proved ? Possession.PROVED : Possession.DECLARED)
                    .state(State.ARMED)
                    .claim(self.claim().orElse(base.claim()))
                    .holder(
                        base.holder()
                            .with(
                                holder ->
                                    holder
                                        .uid(self.uid())
                                        .podUid(pod.uid())
                                        .machine(pod.machine())
                                        .releasedAt(null))));
    if (!write(self, stored.of(next), next)) {
      return Optional.empty();
    }
    giveUpDeclared(self, stored, next);
    return Optional.of(new Note(Signer.nameOf(next), sharing(self, users).with()));
  }

  /**
   * Notes a pod whose key another namespace has proved to have. A node that proves it too is
   * recorded there as signing as well; one that declares it changes nothing of that record.
   */
  private Optional<Note> foreign(Signer self, Stored stored, KeyRecord record) {
    if (self.proves() && !alsoSigning(self, stored, record.spec())) {
      return Optional.empty();
    }
    return Optional.of(
        new Note(
            self.proves() ? self.record() : self.declaredRecord(),
            record.isHeld() ? Optional.of(SigningKeyLockPolicy.SOMEWHERE) : Optional.empty()));
  }

  private boolean alsoSigning(Signer self, Stored stored, SeiSigningKeySpec record) {
    String me = "SeiNode %s/%s".formatted(self.namespace(), self.node());
    return write(self, stored.of(record), record.withAlsoSigning(me));
  }

  /** Whether a record names this node as the holder of the key; also where none can be read. */
  boolean isHolder(Signer self) {
    return readable(self, () -> records(self, read(self)).binding().map(KeyRecord::spec))
        .map(record -> record.filter(self::holds).isPresent())
        .orElse(true);
  }

  /**
   * The node that holds a key by a record, in words that another node may read; empty if none does,
   * or the operator may not read the records.
   */
  Optional<String> holder(ResourceID reader, String publicKey) {
    String namespace = reader.getNamespace().orElseThrow();
    String digest = Signer.recordOf(publicKey);
    try {
      return Stream.of(digest, digest + "." + namespace)
          .flatMap(name -> get(name).stream())
          .map(record -> record.getSpec().holder())
          .filter(holder -> holder.releasedAt() == null)
          .filter(
              holder ->
                  !holder.namespace().equals(namespace) || !holder.node().equals(reader.getName()))
          .map(
              holder ->
                  holder.namespace().equals(namespace)
                      ? "SeiNode " + holder.node()
                      : SigningKeyLockPolicy.SOMEWHERE)
          .findFirst();
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Gives a key up that this node starts no pod with, by whatever record it holds it. */
  void release(Signer self) {
    release(self, self.record());
    release(self, self.declaredRecord());
  }

  /** Releases the record of this name; has no effect if the node does not hold it. */
  void release(Signer self, String name) {
    readable(
        self,
        () -> {
          get(name)
              .filter(key -> self.holds(key.getSpec()))
              .filter(key -> key.getSpec().holder().releasedAt() == null)
              .ifPresent(key -> write(self, Optional.of(key), released(key.getSpec(), self.now())));
          return true;
        });
  }

  private SeiSigningKeySpec released(SeiSigningKeySpec record, Instant now) {
    Holder holder = record.holder();
    String ended = lastPods.isEndReported(holder) ? holder.podUid() : record.endedPodUid();
    return record.with(next -> next.holder(holder.withReleasedAt(now)).endedPodUid(ended));
  }

  /**
   * Copies to the record which node may take the holder's key. What an administrator wrote stays.
   *
   * @param before what was copied last; null for none
   * @param word what the node's spec says now; null for none
   * @return whether the record is up to date with it; not where it has changed meanwhile
   */
  boolean copyTransfer(Signer self, SigningKeyTransfer before, SigningKeyTransfer word) {
    return readable(
            self,
            () -> {
              Optional<SeiSigningKey> record =
                  get(self.record()).filter(key -> self.holds(key.getSpec()));
              if (record.isEmpty()) {
                return word == null;
              }
              SeiSigningKeySpec spec = record.get().getSpec();
              boolean isLeft = word == null && !Objects.equals(spec.transferTo(), before);
              return isLeft || write(self, record, spec.withTransferTo(word));
            })
        .orElse(false);
  }

  private Stored read(Signer self) {
    return new Stored(get(self.record()), get(self.declaredRecord()));
  }

  private Optional<SeiSigningKey> get(String name) {
    Optional<SeiSigningKey> record = api.get(SeiSigningKey.class, name);
    if (record.filter(Unreadable::isStub).isPresent()) {
      throw RefusedException.unreadable(record.get());
    }
    return record;
  }

  private KeyRecord.Pair records(Signer self, Stored stored) {
    return new KeyRecord.Pair(
        stored.proved().map(key -> record(self, key)),
        stored.declared().map(key -> record(self, key)));
  }

  private KeyRecord record(Signer self, SeiSigningKey stored) {
    SeiSigningKeySpec spec = stored.getSpec();
    return new KeyRecord(
        spec, stored.isMarkedForDeletion(), self.holds(spec) || usage.isThere(spec.holder()));
  }

  /** Writes a record unless it is so already; false if another writer changed it first. */
  private boolean write(Signer self, Optional<SeiSigningKey> before, SeiSigningKeySpec spec) {
    boolean held = spec.state() == State.ARMED && spec.holder().releasedAt() == null;
    if (held && self.holds(spec)) {
      usage.mark(self, before.filter(key -> isOnClaim(key, spec)).isEmpty());
    }
    if (before.filter(key -> key.getSpec().equals(spec)).isPresent()) {
      return true;
    }
    ObjectMeta meta =
        before.map(SeiSigningKey::getMetadata).orElseGet(() -> new ObjectMetaBuilder().build());
    var labels = new HashMap<>(Objects.requireNonNullElse(meta.getLabels(), new HashMap<>()));
    labels.put(Labels.SIGNING_KEY, Signer.recordOf(spec.publicKey()));
    var next = new SeiSigningKey();
    next.setMetadata(
        new ObjectMetaBuilder(meta)
            .withName(Signer.nameOf(spec))
            .withLabels(labels)
            .withFinalizers(held ? List.of(SeiSigningKey.FINALIZER) : List.of())
            .build());
    next.setSpec(spec);
    return succeeds(() -> before.isPresent() ? api.replace(next) : api.create(next));
  }

  private static boolean isOnClaim(SeiSigningKey record, SeiSigningKeySpec spec) {
    return Objects.equals(record.getSpec().claim(), spec.claim());
  }

  private void letGo(SeiSigningKey record) {
    record.getMetadata().setFinalizers(List.of());
    succeeds(() -> api.replace(record));
  }

  private static boolean succeeds(Supplier<SeiSigningKey> write) {
    try {
      write.get();
      return true;
    } catch (KubernetesClientException e) {
      if (isConflict(e) || isNotFound(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Empty where the operator has no right to records; what is refused is asked for seldom. */
  private <T> Optional<T> readable(Signer self, Supplier<T> work) {
    if (self.now().isBefore(forbiddenUntil)) {
      return Optional.empty();
    }
    try {
      return Optional.of(work.get());
    } catch (KubernetesClientException e) {
      if (!isForbidden(e)) {
        throw e;
      }
      forbidden = Refusal.words(e);
      forbiddenUntil = self.now().plus(Recheck.REFUSED);
      return Optional.empty();
    }
  }
}
