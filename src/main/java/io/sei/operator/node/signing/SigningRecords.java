package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SigningKeyTransfer;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.signing.KeyRegister.Note;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.KeyMaterial;
import io.sei.operator.render.SigningKeyCheck;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Keeps the record of a key true of the pod that signs with it, also of one that the Go operator
 * started; and gives the key up while its node is paused.
 */
public record SigningRecords(KubeApi api, SigningScope scope) implements NodeFeature {

  /** A pod that signs is recorded once. */
  @Override
  public void keep(NodeReconcile reconcile) {
    scope.register().ifPresent(register -> keep(reconcile, register));
  }

  private void keep(NodeReconcile reconcile, KeyRegister register) {
    Optional<RemoteSigner> signer = reconcile.node().getSpec().remoteSigner();
    Optional<String> secret = KeyMaterial.of(reconcile.node().getSpec()).signingKey();
    Optional<Pod> pod =
        reconcile
            .snapshot()
            .livePod()
            .filter(it -> it.getSpec().getNodeName() != null)
            .filter(it -> SigningKeyCheck.isRemote(it.getSpec()) == signer.isPresent())
            .filter(it -> !isRecorded(reconcile, register, it));
    if (signer.isPresent()) {
      pod.filter(it -> RemoteClaim.isMade(reconcile, signer.get()))
          .ifPresent(
              it ->
                  note(
                      reconcile,
                      register,
                      SigningScope.declaring(reconcile, signer.get().publicKey()),
                      it));
      return;
    }
    boolean signs =
        secret.isPresent()
            && reconcile
                .snapshot()
                .statefulSet()
                .filter(it -> KeyHolders.holds(it, secret.get()))
                .isPresent();
    if (signs && pod.isPresent()) {
      Optional<String> held = SigningKeyGuard.keyOf(api, reconcile, secret.get());
      SigningKeyCheck.publicKeyOf(pod.get().getSpec())
          .or(() -> held)
          .map(key -> SigningScope.proving(reconcile, key, held))
          .ifPresent(self -> note(reconcile, register, self, pod.get()));
    }
  }

  private static boolean isRecorded(NodeReconcile reconcile, KeyRegister register, Pod pod) {
    SigningRecord record = reconcile.status().signingRecord();
    if (record == null
        || record.sharedWith() != null
        || !pod.getMetadata().getUid().equals(record.podUid())) {
      return false;
    }
    if (!record.isDeclared()) {
      return true;
    }
    // Another namespace may have proved to have the key, of which no watch tells.
    reconcile.recheckAfter(KeyRegister.LOOK_AGAIN);
    return !register.isLookDue(ResourceID.fromResource(reconcile.node()), reconcile.now());
  }

  private static void note(NodeReconcile reconcile, KeyRegister register, Signer self, Pod pod) {
    Optional<Note> noted = register.note(self, SigningScope.running(reconcile, pod));
    if (noted.isEmpty()) {
      return;
    }
    SigningRecord before = reconcile.status().signingRecord();
    if (before != null && !noted.get().record().equals(before.name())) {
      register.release(self, before.name());
    }
    SigningRecord after =
        KeyClaim.signing(before, noted.get(), pod.getMetadata().getUid(), reconcile.now());
    reconcile.update(status -> status.withSigningRecord(after));
    if (after.sharedWith() != null) {
      reconcile.recheckAfter(Recheck.CONFLICT);
    }
  }

  /**
   * Copies to the record which node may take the key, in the pass that sees it: the record has to
   * say so before the holder is gone.
   */
  @Override
  public Next protect(NodeReconcile reconcile) {
    SigningKeyTransfer before = reconcile.status().signingKeyTransferTo();
    SigningKeyTransfer word =
        Optional.ofNullable(reconcile.node().getSpec().validator())
            .map(Validator::signingKeyTransferTo)
            .orElse(null);
    String key = reconcile.status().signingPublicKey();
    if (Objects.equals(before, word) || key == null || scope.register().isEmpty()) {
      return Next.goOn();
    }
    Signer self = SigningScope.declaring(reconcile, key);
    if (scope.register().get().copyTransfer(self, before, word)) {
      reconcile.update(status -> status.withSigningKeyTransferTo(word));
    } else {
      reconcile.recheckAfter(Recheck.CONFLICT);
    }
    return Next.goOn();
  }

  /** A node that is paused and has no pod starts none before it has asked again. */
  @Override
  public void sync(NodeReconcile reconcile) {
    SigningRecord record = reconcile.status().signingRecord();
    boolean stopped =
        reconcile.snapshot().isPaused()
            && reconcile.snapshot().pod().isEmpty()
            && reconcile
                .snapshot()
                .statefulSet()
                .filter(it -> !Integer.valueOf(0).equals(it.getSpec().getReplicas()))
                .isEmpty();
    if (record != null && stopped && scope.register().isPresent()) {
      Signer self = SigningScope.declaring(reconcile, reconcile.status().signingPublicKey());
      scope.register().get().release(self, record.name());
      reconcile.update(status -> status.withSigningRecord(null));
    }
  }

  @Override
  public List<GaugeRow<SeiNode>> gauges() {
    return List.of(
        GaugeRow.value(
            "sei_node_signing_key_shared",
            "1 while another node of the cluster has the validator's key and may sign with it",
            node ->
                Optional.ofNullable(node.getStatus().signingRecord())
                    .map(SigningRecord::sharedWith)
                    .map(it -> 1)));
  }
}
