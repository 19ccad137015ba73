package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SigningKeyTransfer;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.node.signing.SigningKeyLock.Note;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.Next;
import java.util.Objects;
import java.util.Optional;

/**
 * Keeps the record of a key true of the pod that signs with it, also of one that the Go operator
 * started; and gives the key up while its node is paused.
 */
record SigningRecords(KubeApi api, SigningScope scope) {

  /** Records a pod that signs, once; releases the key of a paused node that has no pod. */
  void keep(NodePass pass) {
    if (scope.lock().isEmpty()) {
      return;
    }
    if (pass.view().isPaused()) {
      releaseStopped(pass, scope.lock().get());
    } else {
      keep(pass, scope.lock().get());
    }
  }

  /**
   * A node that is paused and has no pod starts none before it acquires the key again. Without a
   * recorded StatefulSet one may have just been created, which only a live read would find.
   */
  private static void releaseStopped(NodePass pass, SigningKeyLock lock) {
    SigningRecord record = pass.stored().signingRecord();
    boolean isStopped =
        NodeObjects.areExpected(pass)
            && pass.view().pod().isEmpty()
            && pass.view()
                .statefulSet()
                .filter(live -> !Integer.valueOf(0).equals(live.getSpec().getReplicas()))
                .isEmpty();
    if (record != null && isStopped) {
      lock.release(SigningScope.declaring(pass, pass.stored().signingPublicKey()), record.name());
      pass.update(status -> status.withSigningRecord(null));
    }
  }

  private void keep(NodePass pass, SigningKeyLock lock) {
    Optional<RemoteSigner> signer = pass.node().getSpec().remoteSigner();
    Optional<String> secret = pass.node().getSpec().signingKeySecret();
    Optional<Pod> pod =
        pass.view()
            .livePod()
            .filter(livePod -> livePod.getSpec().getNodeName() != null)
            .filter(livePod -> PodSigningKey.isRemote(livePod.getSpec()) == signer.isPresent())
            .filter(livePod -> !isRecorded(pass, lock, livePod));
    if (signer.isPresent()) {
      pod.filter(candidate -> SigningKeyGuard.isMade(pass, signer.get()))
          .ifPresent(
              present ->
                  note(
                      pass, lock, SigningScope.declaring(pass, signer.get().publicKey()), present));
      return;
    }
    boolean signs =
        secret.isPresent()
            && pass.view()
                .statefulSet()
                .filter(statefulSet -> KeyHolders.holds(statefulSet, secret.get()))
                .isPresent();
    if (signs && pod.isPresent()) {
      Optional<String> held = SigningKeyGuard.keyOf(api, pass, secret.get());
      PodSigningKey.of(pod.get().getSpec())
          .or(() -> held)
          .map(key -> SigningScope.proving(pass, key, held))
          .ifPresent(self -> note(pass, lock, self, pod.get()));
    }
  }

  private static boolean isRecorded(NodePass pass, SigningKeyLock lock, Pod pod) {
    SigningRecord record = pass.stored().signingRecord();
    if (record == null
        || record.sharedWith() != null
        || !pod.getMetadata().getUid().equals(record.podUid())) {
      return false;
    }
    if (!record.isDeclared()) {
      return true;
    }
    // Another namespace may have proved to have the key, of which no watch tells.
    pass.recheckAfter(SigningKeyLock.LOOK_AGAIN);
    return !lock.isLookDue(ResourceID.fromResource(pass.node()), pass.now());
  }

  private static void note(NodePass pass, SigningKeyLock lock, Signer self, Pod pod) {
    SigningRecord before = pass.stored().signingRecord();
    Optional<Note> noted = lock.note(self, SigningScope.running(before, pod));
    if (noted.isEmpty()) {
      return;
    }
    if (before != null && !noted.get().record().equals(before.name())) {
      lock.release(self, before.name());
    }
    SigningRecord after =
        SigningKeyReady.signing(before, noted.get(), pod.getMetadata().getUid(), pass.now());
    pass.update(status -> status.withSigningRecord(after));
    if (after.sharedWith() != null) {
      pass.recheckAfter(Recheck.CONFLICT);
    }
  }

  /**
   * Copies to the record which node may take the key, in the pass that sees it: the record has to
   * say so before the holder is gone.
   */
  Next protect(NodePass pass) {
    SigningKeyTransfer before = pass.stored().signingKeyTransferTo();
    SigningKeyTransfer word =
        Optional.ofNullable(pass.node().getSpec().validator())
            .map(Validator::signingKeyTransferTo)
            .orElse(null);
    String key = pass.stored().signingPublicKey();
    if (Objects.equals(before, word) || key == null || scope.lock().isEmpty()) {
      return Next.goOn();
    }
    Signer self = SigningScope.declaring(pass, key);
    if (scope.lock().get().copyTransfer(self, before, word)) {
      pass.update(status -> status.withSigningKeyTransferTo(word));
    } else {
      pass.recheckAfter(Recheck.CONFLICT);
    }
    return Next.goOn();
  }

  void conditions(ConditionParts conditions) {
    conditions.gauge(
        GaugeRow.value(
            "sei_node_signing_key_shared",
            "1 while another node of the cluster has the validator's key and may sign with it",
            node ->
                Optional.ofNullable(node.getStatus().signingRecord())
                    .map(SigningRecord::sharedWith)
                    .map(text -> 1)));
  }
}
