package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.Refusal;
import io.sei.operator.reconcile.Permit;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The records of the cluster's signing keys. A node signs only once it has created or replaced the
 * record of its key, by the version that was read: of two the API server refuses one. Nothing else
 * is a lock.
 */
public final class KeyRegister {

  /**
   * A record is rebuilt and a finalizer goes before a decision; more is somebody else's writing.
   */
  private static final int LOOKS = 4;

  private final KubeApi api;
  private final KeySightings sightings;
  private volatile Instant forbiddenUntil = Instant.EPOCH;
  private volatile String forbidden = "";

  /**
   * @param sightings what else is to be seen of keys
   */
  public KeyRegister(KubeApi api, KeySightings sightings) {
    this.api = api;
    this.sightings = sightings;
  }

  /**
   * Has the key recorded as this node's.
   *
   * @param arming whether a pod follows at once
   */
  Permit claim(Signer self, boolean arming) {
    return readable(self, () -> decided(self, arming))
        .orElseGet(
            () ->
                Permit.no(
                    NodeReason.SIGNING_KEY_UNGUARDED,
                    "the operator has no right that keeps the signing key from having two signers: "
                        + forbidden,
                    Recheck.CONFLICT));
  }

  private Permit decided(Signer self, boolean arming) {
    for (int look = 0; look < LOOKS; look++) {
      Optional<SeiSigningKey> record = read(self.record());
      Optional<SeiSigningKeySpec> spec = record.map(SeiSigningKey::getSpec);
      KeyGrant grant =
          KeyGrants.decide(
              self,
              spec,
              record.filter(SeiSigningKey::isMarkedForDeletion).isPresent(),
              arming,
              sightings.of(self, spec));
      switch (grant) {
        case KeyGrant.Refused refused -> {
          return Permit.no(refused.reason(), refused.message(), recheck(refused));
        }
        case KeyGrant.Granted granted -> {
          if (write(self, record, granted.record())) {
            return Permit.yes();
          }
        }
        case KeyGrant.Rebuilt rebuilt -> write(self, record, rebuilt.record());
        case KeyGrant.LetGo _ -> letGo(record.orElseThrow());
      }
    }
    return Permit.no(
        NodeReason.IN_USE,
        "SeiSigningKey " + self.record() + " changes all the time",
        Recheck.RACE);
  }

  private static Duration recheck(KeyGrant.Refused refused) {
    return refused.reason() == NodeReason.IN_USE ? Recheck.UNWATCHED : Recheck.CONFLICT;
  }

  /**
   * Records a pod that runs, whatever the record says: nobody is stopped by it. While the node's
   * last one may live on the record keeps that.
   *
   * @param pod what is known of the pod
   * @return what was recorded; empty where the operator has no right to, or somebody else has
   *     written meanwhile
   */
  Optional<Note> note(Signer self, RunningPod pod) {
    return readable(self, () -> noted(self, pod)).flatMap(it -> it);
  }

  /** Whether a pod of the node may sign, whose last one may live on where nobody sees it. */
  Permit follow(Signer self, String podUid) {
    return readable(self, () -> read(self.record()).map(SeiSigningKey::getSpec))
        .flatMap(record -> record.filter(self::holds).flatMap(it -> uncertain(it, podUid)))
        .map(it -> Permit.no(it.reason(), it.message(), recheck(it)))
        .orElseGet(Permit::yes);
  }

  private Optional<KeyGrant.Refused> uncertain(SeiSigningKeySpec record, String podUid) {
    return podUid.equals(record.holder().podUid())
        ? Optional.empty()
        : KeyGrants.uncertain(record, sightings.machine(record.holder()));
  }

  /**
   * What was recorded of a pod.
   *
   * @param sharedWith who holds the key instead and signs too; empty if nobody does
   */
  record Note(Optional<String> sharedWith) {}

  /** A pod of a node that runs. */
  record RunningPod(String uid, String machine) {}

  private Optional<Note> noted(Signer self, RunningPod pod) {
    Optional<SeiSigningKey> record = read(self.record());
    Optional<SeiSigningKeySpec> spec = record.map(SeiSigningKey::getSpec);
    boolean own = spec.filter(self::holds).isPresent();
    if (spec.isPresent() && !own) {
      List<KeyEvidence.User> users = sightings.of(self, spec).users();
      if (!users.isEmpty()) {
        String me = "SeiNode %s/%s".formatted(self.namespace(), self.node());
        return write(self, record, spec.get().withAlsoSigning(me))
            ? Optional.of(new Note(Optional.of(users.get(0).what())))
            : Optional.empty();
      }
    }
    if (own && uncertain(spec.get(), pod.uid()).isPresent()) {
      return Optional.empty();
    }
    SeiSigningKeySpec base = own ? spec.get() : self.holding(State.ARMED);
    SeiSigningKeySpec next =
        base.with(
            it ->
                it.state(State.ARMED)
                    .claim(self.claim().orElse(base.claim()))
                    .holder(
                        base.holder()
                            .with(
                                holder ->
                                    holder
                                        .podUid(pod.uid())
                                        .machine(pod.machine())
                                        .releasedAt(null))));
    return write(self, record, next) ? Optional.of(new Note(Optional.empty())) : Optional.empty();
  }

  /** Gives a key up that this node starts no pod with; nothing if it does not hold it. */
  void release(Signer self, String name) {
    readable(
        self,
        () -> {
          read(name)
              .filter(it -> self.holds(it.getSpec()))
              .filter(it -> it.getSpec().holder().releasedAt() == null)
              .ifPresent(it -> write(self, Optional.of(it), released(it.getSpec(), self.now())));
          return true;
        });
  }

  private static SeiSigningKeySpec released(SeiSigningKeySpec record, Instant now) {
    return record.withHolder(record.holder().withReleasedAt(now));
  }

  private Optional<SeiSigningKey> read(String name) {
    return api.get(SeiSigningKey.class, name);
  }

  /** Whether the record says this now; not where somebody else has written it. */
  private boolean write(Signer self, Optional<SeiSigningKey> before, SeiSigningKeySpec spec) {
    boolean held = spec.state() == State.ARMED && spec.holder().releasedAt() == null;
    if (held && self.holds(spec)) {
      sightings.mark(self, before.filter(it -> isOnClaim(it, spec)).isEmpty());
    }
    if (before.filter(it -> it.getSpec().equals(spec)).isPresent()) {
      return true;
    }
    var next = new SeiSigningKey();
    next.setMetadata(
        new ObjectMetaBuilder(
                before
                    .map(SeiSigningKey::getMetadata)
                    .orElseGet(() -> new ObjectMetaBuilder().build()))
            .withName(Signer.recordOf(spec.publicKey()))
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
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT
          || e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
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
      if (e.getCode() != HttpURLConnection.HTTP_FORBIDDEN) {
        throw e;
      }
      forbidden = Refusal.words(e);
      forbiddenUntil = self.now().plus(Recheck.REFUSED);
      return Optional.empty();
    }
  }
}
