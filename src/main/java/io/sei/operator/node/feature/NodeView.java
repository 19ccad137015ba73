package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatusBuilder;
import io.sei.operator.chain.ChainState;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ConfigHash;
import io.sei.operator.render.Names;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.SnapshotStop;
import io.sei.operator.render.SpecHash;
import io.sei.operator.sidecar.SidecarHealth;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Immutable view of a node and of what belongs to it at the start of a pass. Decisions read nothing
 * else.
 *
 * @param effective the node with its effective spec, and as it is declared
 * @param stored the status that is stored, empty rather than null; read-only
 * @param specHash digest of those fields of the effective spec whose change restarts the pod
 * @param sidecarImage the sidecar image of the effective spec
 * @param statefulSet the StatefulSet with the node's name, of any owner
 * @param pod the pod with the node's pod name, of any owner
 * @param halt the upgrade that the newest run of seid in that pod halted for
 * @param bootstrapPods the pods of the node's bootstrap Job; not looked for once it has run
 * @param sidecar the last answer of the running pod's sidecar
 * @param peers the peers that the node's label sources select
 * @param chain the chain as nodes of the namespace reported it
 * @param height the newest block that this node reported
 * @param risk that the data goes as soon as the pod ends; empty if it does not
 * @param now the moment all of this was read
 */
@RecordBuilder
public record NodeView(
    EffectiveNode effective,
    SeiNodeStatus stored,
    String specHash,
    String sidecarImage,
    Optional<StatefulSet> statefulSet,
    Optional<Pod> pod,
    Optional<UpgradeHalt> halt,
    List<Pod> bootstrapPods,
    Optional<PersistentVolumeClaim> claim,
    Optional<Service> service,
    Optional<ConfigMap> proxyConfig,
    Optional<SidecarHealth> sidecar,
    PeerResolution peers,
    Optional<ChainState> chain,
    Optional<Long> height,
    Optional<VolumeRisk> risk,
    Instant now)
    implements NodeViewBuilder.With {

  /** Returns this view with another plan in its stored status. */
  public NodeView after(TaskPlan plan) {
    return withStored(stored.withPlan(plan));
  }

  /** Returns this view with the claim that was just written. */
  public NodeView claimed(PersistentVolumeClaim written) {
    Optional<PersistentVolumeClaim> own = Optional.of(written);
    return with(
        builder ->
            builder
                .claim(own)
                .effective(
                    new EffectiveNode(
                        effective.declared(),
                        node(),
                        AppliedUpgrades.onClaim(own),
                        effective.setAside())));
  }

  /** The node with its effective spec. */
  public SeiNode node() {
    return effective.node();
  }

  /** The spec as the user wrote it. */
  public SeiNodeSpec declared() {
    return effective.declared().getSpec();
  }

  /** {@code spec.image} as the user wrote it. */
  public String declaredImage() {
    return declared().image();
  }

  /** Returns whether the node's pod must not be ended, because its data would be lost. */
  public boolean isKept() {
    return risk.filter(lost -> !lost.accepted()).isPresent();
  }

  /** The upgrades that the node's volume has been through. */
  public AppliedUpgrades upgrades() {
    return upgrades(stored);
  }

  /** The upgrades that the volume has been through, by another status than the stored one. */
  public AppliedUpgrades upgrades(SeiNodeStatus next) {
    return AppliedUpgrades.of(next, claim, effective.onClaim());
  }

  /** The upgrade whose image the node runs in place of {@code spec.image}. */
  public Optional<UpgradeStatus> runningUpgrade() {
    return upgrades().last().filter(any -> !declaredImage().equals(node().getSpec().image()));
  }

  /** Returns the record, without evidence, of a listed upgrade with which the node continues. */
  public UpgradeStatusBuilder reached(Upgrade listed) {
    return UpgradeStatusBuilder.builder(UpgradeStatus.scheduled(listed))
        .state(UpgradeState.APPLIED)
        .supersededImage(declaredImage())
        .reachedAt(now);
  }

  /** The status of a node, empty rather than null. */
  public static SeiNodeStatus statusOf(SeiNode node) {
    return node.getStatus() == null ? SeiNodeStatus.empty() : node.getStatus().seeded();
  }

  /** Returns whether the user, or its fleet for a snapshot, stops the node. */
  public boolean isPaused() {
    return Boolean.TRUE.equals(node().getSpec().paused());
  }

  /** The snapshot that the node is stopped for, if it is for nothing else. */
  public Optional<SnapshotStop> stop() {
    return Boolean.TRUE.equals(declared().paused()) || !isPaused()
        ? Optional.empty()
        : SnapshotStop.of(node(), now);
  }

  /** Returns whether the pod of a held node runs, in which seid is not started. */
  public boolean isIdle() {
    return livePod()
        .filter(idle -> PodFacts.isIdle(idle) && PodFacts.runs(idle, Names.SEID))
        .isPresent();
  }

  /** Returns whether the node is held: seid does not run in its pod. */
  public boolean isHeld() {
    return node().getSpec().holding().isPresent();
  }

  /** Cause for which a node with this status is held. */
  public static String holdReason(SeiNodeStatus status) {
    return status == null || status.signingElsewhere() == null
        ? "spec.maintenance.hold is set"
        : "something else signs with this validator's key";
  }

  /** Kind of the plan that gives the node the pod of its spec. */
  public PlanKind podPlan() {
    return isRunning() ? PlanKind.UPDATE : PlanKind.INIT;
  }

  /** Returns whether seid serves RPC once it has started. */
  public boolean servesRpc() {
    return NodeMode.of(node().getSpec()).servesRpc();
  }

  /** Returns whether the spec was edited since a plan was made. */
  public boolean isEditedSince(TaskPlan plan) {
    return !Objects.equals(plan.target().generation(), node().getMetadata().getGeneration());
  }

  /** Returns whether an init plan has ever completed. */
  public boolean isRunning() {
    return stored.phase() == NodePhase.RUNNING;
  }

  /** Returns whether the node has a volume before anything was planned for it. */
  public boolean inheritsVolume() {
    return !isRunning()
        && stored.plan() == null
        && (claim.isPresent() || Names.importedClaim(node()).isPresent());
  }

  /** Returns whether the node's claim was deleted and no pod has its volume any more. */
  public boolean hasLostItsClaim() {
    boolean hadOne =
        isRunning()
            || Stream.ofNullable(stored.plan())
                .flatMap(plan -> plan.tasks().stream())
                .filter(task -> TaskTypes.ENSURE_DATA_PVC.equals(task.type()))
                .anyMatch(task -> task.status() == TaskStatus.COMPLETE);
    return hadOne
        && claim.isEmpty()
        && Names.importedClaim(node()).isEmpty()
        && bootstrapPods.isEmpty()
        && pod.filter(PodFacts::hasStarted).isEmpty();
  }

  /** The uid of the StatefulSet that the status says is the node's. */
  public Optional<String> trackedUid() {
    return Optional.ofNullable(stored.statefulSet()).map(StatefulSetRef::uid);
  }

  /** The node's pod, if its StatefulSet is the tracked one. */
  public Optional<Pod> ownedPod() {
    return pod.filter(this::isOwned);
  }

  /** Returns whether a pod belongs to the tracked StatefulSet. */
  public boolean isOwned(Pod candidate) {
    Optional<String> owner = PodFacts.ownerUid(candidate);
    return owner.isPresent() && owner.equals(trackedUid());
  }

  /** The node's pod, unless it is being deleted. */
  public Optional<Pod> livePod() {
    return ownedPod().filter(candidate -> !PodFacts.isTerminating(candidate));
  }

  /** The pod whose sidecar may be called: the node's or, before it has one, its bootstrap's. */
  public Optional<Pod> sidecarPod() {
    return livePod().or(this::bootstrapPod);
  }

  /** The pod of the node's bootstrap, unless it is terminating or not the only one. */
  public Optional<Pod> bootstrapPod() {
    return bootstrapPods.size() == 1
        ? bootstrapPods.stream().filter(candidate -> !PodFacts.isTerminating(candidate)).findAny()
        : Optional.empty();
  }

  /**
   * The spec hash a pod stands for: its stamp or, where it has none that this build understands,
   * the baseline recorded for it. Empty if neither says anything.
   */
  public Optional<String> stampOf(Pod candidate) {
    Optional<String> stamp = rawStamp(candidate).filter(SpecHash::isKnownFormat);
    return stamp.isPresent()
        ? stamp
        : Optional.ofNullable(stored.podBaseline())
            .filter(baseline -> baseline.isOf(candidate))
            .map(PodBaseline::specHash);
  }

  /**
   * The image that seid was asked to run in a pod. Admission may have put another one, such as that
   * of a mirror, into {@code spec.image}, so the pod's stamp decides where its spec is known.
   */
  public Optional<String> imageOf(Pod candidate) {
    String stamp = stampOf(candidate).orElse("");
    if (stamp.equals(specHash)) {
      return Optional.of(node().getSpec().image());
    }
    TaskPlan plan = stored.plan();
    if (plan != null && plan.target() != null && stamp.equals(plan.target().specHash())) {
      return Optional.of(plan.target().image());
    }
    if (stamp.equals(stored.podSpecHash()) && stored.currentImage() != null) {
      return Optional.of(stored.currentImage());
    }
    return PodFacts.image(candidate, Names.SEID);
  }

  /** Names the image that admission put in place of the one that seid was asked to run, if any. */
  public Optional<String> imageRewrite() {
    Optional<String> asked = livePod().flatMap(this::imageOf);
    Optional<String> rewritten = livePod().flatMap(pod -> PodFacts.image(pod, Names.SEID));
    return asked.isEmpty() || rewritten.isEmpty() || asked.equals(rewritten)
        ? Optional.empty()
        : Optional.of(
            "admission control put image %s in place of %s"
                .formatted(rewritten.get(), asked.get()));
  }

  /**
   * Returns whether a pod has to be replaced for a target: it is not of the StatefulSet's newest
   * revision, and it does not stand for the target's hash either, or has nothing to lose.
   */
  public boolean isStale(Pod candidate, String updateRevision, String targetHash) {
    return !PodFacts.revision(candidate).equals(Optional.ofNullable(updateRevision))
        && (!stampOf(candidate).equals(Optional.of(targetHash)) || hasNothingToLose(candidate));
  }

  /**
   * Returns whether a pod can be replaced without a loss: no container of it was ever started, or
   * it cannot start and no sidecar has accepted a task of the plan that is to bring the node up, so
   * that seid has never run.
   */
  public boolean hasNothingToLose(Pod candidate) {
    TaskPlan plan = stored.plan();
    return PodFacts.hasNeverRun(candidate) || hasNeverRunSeid(plan, candidate);
  }

  private boolean hasNeverRunSeid(TaskPlan plan, Pod candidate) {
    return !isRunning()
        && plan != null
        && plan.kind() == PlanKind.INIT
        && plan.tasks().stream()
            .filter(task -> TaskTypes.isOfSidecar(task.type()))
            .allMatch(task -> task.status() != TaskStatus.COMPLETE && task.submittedAt() == null)
        && PodFacts.hasStuckContainer(candidate);
  }

  /** Difference between the spec that the pod was made for and the spec; empty if there is none. */
  public Optional<String> podDifference() {
    return livePod()
        .filter(running -> !stampOf(running).equals(Optional.of(specHash)))
        .map(running -> difference());
  }

  /** Difference between what runs and the spec, for a message. */
  public String difference() {
    return differenceFrom(livePod().flatMap(this::imageOf).orElse(stored.currentImage()));
  }

  /** Difference between a pod for an image and the spec, for a message. */
  public String differenceFrom(String from) {
    String to = node().getSpec().image();
    return to.equals(from) ? "pod settings changed" : "image " + from + " -> " + to;
  }

  /** Digest of the configuration in the spec. */
  public String configHash() {
    return ConfigHash.of(node().getSpec());
  }

  /** Returns whether the sidecar was given the configuration of the spec. */
  public boolean isConfigured() {
    return stored.config() != null
        && stored.config().appliedAt() != null
        && stored.config().hash().equals(configHash());
  }

  /**
   * Returns whether the node was configured without peers and has not been Ready since, for which
   * seid needs a block: a restart costs it nothing, and peers count from there.
   */
  public boolean beganWithoutPeers() {
    return isConfigured() && stored.config().peersHash() == null && stored.syncedAt() == null;
  }

  /** Returns whether the sidecar of the running pod waits for {@code mark-ready}. */
  public boolean isSidecarWaiting() {
    return livePod().isPresent() && sidecar.equals(Optional.of(SidecarHealth.NOT_READY));
  }

  /** The value of the annotation by which a user requests a retry of a failed plan. */
  public Optional<String> retryRequest() {
    return Optional.ofNullable(node().getMetadata().getAnnotations())
        .map(annotations -> annotations.get(Annotations.RETRY));
  }

  private static Optional<String> rawStamp(Pod candidate) {
    Map<String, String> annotations = candidate.getMetadata().getAnnotations();
    return Optional.ofNullable(annotations).map(all -> all.get(Annotations.SPEC_HASH));
  }
}
