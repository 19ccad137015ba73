package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.signing.KeyRegister.Note;
import io.sei.operator.node.signing.KeyRegister.RunningPod;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.render.KeyMaterial;
import io.sei.operator.render.SigningKeyCheck;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the record of a key true of the pod that signs with it, also of one that an earlier version
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
            .filter(it -> !isRecorded(reconcile.status().signingRecord(), it));
    if (signer.isPresent()) {
      pod.filter(it -> RemoteClaim.isMade(reconcile, signer.get()))
          .ifPresent(it -> note(reconcile, register, signer.get().publicKey(), it));
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
      SigningKeyCheck.publicKeyOf(pod.get().getSpec())
          .or(() -> SigningKeyGuard.keyOf(api, reconcile, secret.get()))
          .ifPresent(key -> note(reconcile, register, key, pod.get()));
    }
  }

  private static boolean isRecorded(SigningRecord record, Pod pod) {
    return record != null
        && record.sharedWith() == null
        && pod.getMetadata().getUid().equals(record.podUid());
  }

  private static void note(NodeReconcile reconcile, KeyRegister register, String key, Pod pod) {
    Signer self = SigningScope.signer(reconcile, key);
    String uid = pod.getMetadata().getUid();
    Optional<Note> noted = register.note(self, new RunningPod(uid, pod.getSpec().getNodeName()));
    SigningRecord before = reconcile.status().signingRecord();
    if (noted.isPresent() && before != null && !self.record().equals(before.name())) {
      register.release(self, before.name());
    }
    noted.ifPresent(
        note ->
            reconcile.update(
                status ->
                    status.withSigningRecord(
                        new SigningRecord(self.record(), uid, note.sharedWith().orElse(null)))));
    noted.flatMap(Note::sharedWith).ifPresent(other -> reconcile.recheckAfter(Recheck.CONFLICT));
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
      Signer self = SigningScope.signer(reconcile, reconcile.status().signingPublicKey());
      scope.register().get().release(self, record.name());
      reconcile.update(status -> status.withSigningRecord(null));
    }
  }

  @Override
  public List<GaugeRow<SeiNode>> gauges() {
    return List.of(
        GaugeRow.value(
            "sei_node_signing_key_shared",
            "1 while another pod of the cluster signs with the validator's key",
            node ->
                Optional.ofNullable(node.getStatus().signingRecord())
                    .map(SigningRecord::sharedWith)
                    .map(it -> 1)));
  }
}
