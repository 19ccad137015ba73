package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.RestoredVolume;
import io.sei.operator.reconcile.Next;
import java.util.Objects;
import java.util.Optional;

/** Records what the claim was made from, which decides what the pod is like. */
public record RestoredSource() implements NodeFeature {

  @Override
  public Next settle(NodeReconcile reconcile) {
    Optional<PersistentVolumeClaim> claim = reconcile.snapshot().claim();
    RestoredFrom from = claim.flatMap(RestoredVolume::of).orElse(null);
    if (claim.isEmpty() || Objects.equals(from, reconcile.status().restoredFrom())) {
      return Next.goOn();
    }
    reconcile.update(status -> status.withRestoredFrom(from));
    return Next.writeFirst("source");
  }
}
