package io.sei.operator.node.objects;

import static io.sei.operator.kube.ApiErrors.isNotFound;
import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

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
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.RestoredVolume;
import io.sei.operator.node.feature.SigningState;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Creates a node's claim from a VolumeSnapshot. The choice, and the upgrades that the snapshot has
 * been through, are written with the claim, so that a restarted operator finds all or nothing; the
 * spec is not read again. Obstacles are reported by the condition DataVolumeRestored.
 */
public record RestoredClaim(KubeApi api, DataClaim dataClaim) {

  /** Remedy where no VolumeSnapshot can be taken. */
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
  public TaskOutcome create(NodePass pass) {
    return switch (choose(pass)) {
      case SnapshotChoice.None none -> {
        offer(pass, no(none.reason(), none.why() + "; " + NEXT_STEP));
        yield TaskOutcome.waitFor(none.reason(), none.why(), RECHECK);
      }
      case SnapshotChoice.Chosen chosen -> create(pass, chosen.snapshot());
    };
  }

  private TaskOutcome create(NodePass pass, VolumeSnapshot view) {
    String name = view.getMetadata().getName();
    SeiNodeSpec spec = pass.node().getSpec();
    if (!SigningState.mayBeLost(spec, view.getMetadata().getUid())) {
      String refusal = "is to be made from VolumeSnapshot " + name;
      String message = "claim %s %s".formatted(Names.claim(pass.node()), refusal);
      pass.claimRefused(refusal);
      offer(
          pass,
          no(
              NodeReason.SNAPSHOT_REFUSED,
              message + ", which has no record of what the validator has signed: see Stalled"));
      return TaskOutcome.waitFor(StallReason.SIGNING_STATE_UNKNOWN, message, RECHECK);
    }
    Optional<Quantity> size = size(pass.namespace(), view);
    dataClaim.create(pass, claim -> from(claim, view, size, pass.view()));
    return observing(pass);
  }

  /** Continues once the source of a claim is recorded in the status as well. */
  public TaskOutcome recorded(NodePass pass, PersistentVolumeClaim claim) {
    Optional<RestoredFrom> from = RestoredVolume.of(claim);
    boolean asked = pass.node().getSpec().snapshotSource().isPresent();
    boolean unseen = asked && pass.view().claim().isEmpty();
    if (unseen || !from.equals(Optional.ofNullable(pass.stored().restoredFrom()))) {
      return observing(pass);
    }
    String name = claim.getMetadata().getName();
    if (from.isPresent()) {
      offer(
          pass,
          yes(
              NodeReason.RESTORED,
              "claim %s was made from VolumeSnapshot %s"
                  .formatted(name, from.get().volumeSnapshot())));
    } else if (asked) {
      offer(
          pass,
          no(
              NodeReason.CLAIM_EXISTS,
              "claim %s already existed and is used as it is: spec.dataVolume.from applies to a new claim only"
                  .formatted(name)));
    }
    return TaskOutcome.done();
  }

  private SnapshotChoice choose(NodePass pass) {
    NodeView view = pass.view();
    var source = view.declared().snapshotSource().orElseThrow();
    List<VolumeSnapshot> found;
    try {
      found = api.list(VolumeSnapshot.class, pass.namespace(), SnapshotChoice.options(source));
    } catch (KubernetesClientException e) {
      if (isNotFound(e)) {
        return new SnapshotChoice.None(
            NodeReason.SNAPSHOT_NOT_FOUND,
            "the VolumeSnapshot CRDs are not installed in this cluster");
      }
      throw e;
    }
    return SnapshotChoice.of(view.declared(), found, view.now());
  }

  private static PersistentVolumeClaim from(
      PersistentVolumeClaim empty, VolumeSnapshot view, Optional<Quantity> size, NodeView node) {
    String name = view.getMetadata().getName();
    String image = Annotations.of(view, Annotations.IMAGE).orElseThrow();
    var from =
        new RestoredFrom(
            name, view.getMetadata().getUid(), image, SnapshotChoice.height(view).orElse(null));
    var claim =
        new PersistentVolumeClaimBuilder(empty)
            .editMetadata()
            .addToAnnotations(Annotations.RESTORED_FROM, RestoredVolume.annotation(from))
            .endMetadata();
    AppliedUpgrades.listed(node.declared())
        .filter(upgrade -> image.equals(upgrade.image()))
        .max(Comparator.comparing(Upgrade::height))
        .map(
            upgrade ->
                node.reached(upgrade).evidence("the volume is from VolumeSnapshot " + name).build())
        .map(upgrade -> new AppliedUpgrades(List.of(upgrade)).annotation())
        .ifPresent(
            annotation ->
                claim
                    .editMetadata()
                    .addToAnnotations(Annotations.APPLIED_UPGRADES, annotation)
                    .endMetadata());
    return claim
        .editSpec()
        .withNewDataSource(view.getApiVersion().replaceFirst("/.*", ""), view.getKind(), name)
        .editResources()
        .addToRequests("storage", atLeast(size, empty))
        .endResources()
        .endSpec()
        .build();
  }

  private Optional<Quantity> size(String namespace, VolumeSnapshot view) {
    return size(view, source -> api.get(PersistentVolumeClaim.class, namespace, source));
  }

  /**
   * The size that the data needs: what the driver says or, where it says nothing or 0
   * (external-snapshotter#1032), that of the claim that the snapshot was taken of.
   *
   * @param claims reads a claim by its name
   */
  static Optional<Quantity> size(
      VolumeSnapshot view, Function<String, Optional<PersistentVolumeClaim>> claims) {
    Quantity restoreSize = view.getStatus().getRestoreSize();
    if (restoreSize != null && restoreSize.getNumericalAmount().signum() > 0) {
      return Optional.of(restoreSize);
    }
    String source = view.getSpec().getSource().getPersistentVolumeClaimName();
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
  private static TaskOutcome observing(NodePass pass) {
    return TaskOutcome.waitFor(
        TaskReason.CLAIM_CHANGED,
        "claim " + Names.claim(pass.node()) + " was just created or found",
        RACE_RECHECK);
  }

  private static void offer(NodePass pass, ConditionProposal proposal) {
    pass.offer(NodeConditionType.DATA_VOLUME_RESTORED, proposal);
  }
}
