package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.AppliedUpgrades;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.RestoredVolume;
import io.sei.operator.node.model.SigningState;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Makes a node's claim from a VolumeSnapshot. What was chosen, and the upgrades that it has been
 * through, are written with the claim, so that whoever comes next finds all or nothing; the spec is
 * not asked again. What is in the way is reported as the condition DataVolumeRestored.
 */
public record RestoredClaim(KubeApi api, DataClaim dataClaim) {

  /** What to do where no VolumeSnapshot can be taken. */
  public static final String NEXT_STEP =
      "set spec.dataVolume.from.volumeSnapshot to one that fits, or remove spec.dataVolume.from to"
          + " start with an empty volume";

  /** VolumeSnapshots are not watched, since a cluster need not have them. */
  private static final Duration RECHECK = Duration.ofSeconds(10);

  /** A backstop: the claim's watch announces it. */
  private static final Duration RACE_RECHECK = Duration.ofMillis(100);

  /**
   * Creates the claim of a node that has none.
   *
   * @throws KubernetesClientException with the code 409 if there is one now
   */
  public TaskOutcome create(NodeReconcile reconcile) {
    return switch (choose(reconcile)) {
      case SnapshotChoice.None none -> {
        offer(reconcile, Verdict.no(none.reason(), none.why() + "; " + NEXT_STEP));
        yield TaskOutcome.waitFor(none.reason(), none.why(), RECHECK);
      }
      case SnapshotChoice.Chosen chosen -> create(reconcile, chosen.snapshot());
    };
  }

  private TaskOutcome create(NodeReconcile reconcile, VolumeSnapshot snapshot) {
    String name = snapshot.getMetadata().getName();
    SeiNodeSpec spec = reconcile.node().getSpec();
    if (!SigningState.mayBeLost(spec, snapshot.getMetadata().getUid())) {
      String refusal = "is to be made from VolumeSnapshot " + name;
      String message = "claim %s %s".formatted(Names.claim(reconcile.node()), refusal);
      reconcile.claimRefused(refusal);
      offer(
          reconcile,
          Verdict.no(
              NodeReason.SNAPSHOT_REFUSED,
              message + ", which has no record of what the validator has signed: see Stalled"));
      return TaskOutcome.waitFor(StallReason.SIGNING_STATE_UNKNOWN, message, RECHECK);
    }
    Optional<Quantity> size = size(reconcile.namespace(), snapshot);
    dataClaim.create(reconcile, claim -> from(claim, snapshot, size, reconcile.snapshot()));
    return observing(reconcile);
  }

  /** Goes on once the record of what a claim was made from is in the status as well. */
  public TaskOutcome recorded(NodeReconcile reconcile, PersistentVolumeClaim claim) {
    Optional<RestoredFrom> from = RestoredVolume.of(claim);
    boolean asked = reconcile.node().getSpec().snapshotSource().isPresent();
    boolean unseen = asked && reconcile.snapshot().claim().isEmpty();
    if (unseen || !from.equals(Optional.ofNullable(reconcile.status().restoredFrom()))) {
      return observing(reconcile);
    }
    String name = claim.getMetadata().getName();
    if (from.isPresent()) {
      offer(
          reconcile,
          Verdict.yes(
              NodeReason.RESTORED,
              "claim %s was made from VolumeSnapshot %s"
                  .formatted(name, from.get().volumeSnapshot())));
    } else if (asked) {
      offer(
          reconcile,
          Verdict.no(
              NodeReason.CLAIM_EXISTS,
              "claim %s already existed and is used as it is: spec.dataVolume.from applies to a new claim only"
                  .formatted(name)));
    }
    return TaskOutcome.done();
  }

  private SnapshotChoice choose(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    var source = snapshot.declared().snapshotSource().orElseThrow();
    List<VolumeSnapshot> found;
    try {
      found = api.list(VolumeSnapshot.class, reconcile.namespace(), SnapshotChoice.options(source));
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return new SnapshotChoice.None(
            NodeReason.SNAPSHOT_NOT_FOUND,
            "the VolumeSnapshot CRDs are not installed in this cluster");
      }
      throw e;
    }
    return SnapshotChoice.of(snapshot.declared(), found, snapshot.now());
  }

  private static PersistentVolumeClaim from(
      PersistentVolumeClaim empty,
      VolumeSnapshot snapshot,
      Optional<Quantity> size,
      NodeSnapshot node) {
    String name = snapshot.getMetadata().getName();
    String image = Annotations.of(snapshot, Annotations.IMAGE).orElseThrow();
    var from =
        new RestoredFrom(
            name,
            snapshot.getMetadata().getUid(),
            image,
            SnapshotChoice.height(snapshot).orElse(null));
    var claim =
        new PersistentVolumeClaimBuilder(empty)
            .editMetadata()
            .addToAnnotations(Annotations.RESTORED_FROM, RestoredVolume.annotation(from))
            .endMetadata();
    AppliedUpgrades.listed(node.declared())
        .filter(it -> image.equals(it.image()))
        .max(Comparator.comparing(Upgrade::height))
        .map(it -> node.reached(it).evidence("the volume is from VolumeSnapshot " + name).build())
        .map(it -> new AppliedUpgrades(List.of(it)).annotation())
        .ifPresent(
            it ->
                claim
                    .editMetadata()
                    .addToAnnotations(Annotations.APPLIED_UPGRADES, it)
                    .endMetadata());
    return claim
        .editSpec()
        .withNewDataSource(
            snapshot.getApiVersion().replaceFirst("/.*", ""), snapshot.getKind(), name)
        .editResources()
        .addToRequests("storage", atLeast(size, empty))
        .endResources()
        .endSpec()
        .build();
  }

  private Optional<Quantity> size(String namespace, VolumeSnapshot snapshot) {
    return size(snapshot, source -> api.get(PersistentVolumeClaim.class, namespace, source));
  }

  /**
   * The size that the data needs: what the driver says or, where it says nothing or 0
   * (external-snapshotter#1032), that of the claim that the snapshot was taken of.
   *
   * @param claims reads a claim by its name
   */
  static Optional<Quantity> size(
      VolumeSnapshot snapshot, Function<String, Optional<PersistentVolumeClaim>> claims) {
    Quantity restoreSize = snapshot.getStatus().getRestoreSize();
    if (restoreSize != null && restoreSize.getNumericalAmount().signum() > 0) {
      return Optional.of(restoreSize);
    }
    String source = snapshot.getSpec().getSource().getPersistentVolumeClaimName();
    if (source == null) {
      return Optional.empty();
    }
    return claims
        .apply(source)
        .map(PersistentVolumeClaim::getStatus)
        .map(PersistentVolumeClaimStatus::getCapacity)
        .map(capacity -> capacity.get("storage"));
  }

  private static Quantity atLeast(Optional<Quantity> needed, PersistentVolumeClaim claim) {
    Quantity asked = claim.getSpec().getResources().getRequests().get("storage");
    return needed
        .filter(size -> size.getNumericalAmount().compareTo(asked.getNumericalAmount()) > 0)
        .orElse(asked);
  }

  /** Which image the node runs, and what its pod is like, depends on the claim. */
  private static TaskOutcome observing(NodeReconcile reconcile) {
    return TaskOutcome.waitFor(
        "ClaimChanged",
        "claim " + Names.claim(reconcile.node()) + " was just created or found",
        RACE_RECHECK);
  }

  private static void offer(NodeReconcile reconcile, Verdict verdict) {
    reconcile.offer(NodeConditionType.DATA_VOLUME_RESTORED, verdict);
  }
}
