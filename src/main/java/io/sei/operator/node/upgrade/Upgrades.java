package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.KnownChain;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.model.AppliedUpgrades;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.resources.DataClaim;
import io.sei.operator.node.resources.PullJobs;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prepares a node for the upgrades ahead, and records which image it goes on with at one, before
 * anything is done about it.
 */
public final class Upgrades implements NodeFeature {

  /** How long before an upgrade its expected time is reported. */
  private static final Duration ESTIMATED_AHEAD = Duration.ofHours(1);

  private final KubeApi api;
  private final NodeCaches caches;
  private final DataClaim claims;
  private final ImagePulls pulls;

  public Upgrades(KubeApi api, NodeCaches caches, DataClaim claims, PullJobs pulls) {
    this.api = api;
    this.caches = caches;
    this.claims = claims;
    this.pulls = new ImagePulls(pulls);
  }

  /** What the operator lists itself counts like what people list. */
  @Override
  public SeiNodeSpec effective(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return ChainEntries.effective(spec, status);
  }

  /**
   * Has the images of the upgrades ahead pulled where the node's pod runs. Not while a plan is
   * active, which may move the pod.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server fails
   */
  @Override
  public void keep(NodeReconcile reconcile) {
    TaskPlan plan = reconcile.status().plan();
    if (plan == null || !plan.isActive()) {
      pulls.advance(reconcile, reconcile.snapshot().chain().flatMap(KnownChain::plannedTime));
    }
  }

  /**
   * Records what the operator lists itself, and what becomes of the node's image, on its claim and
   * in the status, before anything is done about it: the upgrade that it has just halted for, one
   * whose image came too early, or what a new volume starts with.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the claim cannot be written
   */
  @Override
  public Next settle(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    if (isListChanged(reconcile)) {
      return Next.writeFirst("upgrades");
    }
    if (Boolean.TRUE.equals(reconcile.node().getSpec().upgradesPaused())) {
      return Next.goOn();
    }
    Optional<UpgradeStatus> switched = UpgradeEvidence.of(snapshot);
    if (switched.isPresent()) {
      Optional<PersistentVolumeClaim> claim = claims.read(reconcile);
      String uid = claim.map(it -> it.getMetadata().getUid()).orElse(null);
      return write(reconcile, claim, snapshot.upgrades().with(switched.get().withClaimUid(uid)));
    }
    return StartingHeight.of(snapshot)
        .map(it -> write(reconcile, Optional.empty(), snapshot.upgrades().with(it)))
        .orElseGet(() -> bind(reconcile));
  }

  /** Brings what the operator lists itself up to date with the chain's plan. */
  private boolean isListChanged(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    List<UpgradeStatus> before = ChainEntries.ahead(snapshot.status()).toList();
    if (before.isEmpty() && snapshot.declared().upgradePolicy() == null) {
      return false;
    }
    List<UpgradeStatus> entries = ChainListing.of(snapshot, imagesOfOthers(reconcile));
    if (entries.equals(before)) {
      return false;
    }
    Stream<UpgradeStatus> others =
        Stream.ofNullable(snapshot.status().upgrades())
            .flatMap(List::stream)
            .filter(it -> !before.contains(it));
    List<UpgradeStatus> upgrades = Stream.concat(others, entries.stream()).toList();
    reconcile.update(status -> status.withUpgrades(upgrades));
    return true;
  }

  /** What other nodes of the chain in the namespace have listed themselves. */
  private Map<String, Set<String>> imagesOfOthers(NodeReconcile reconcile) {
    return caches
        .nodes()
        .filter(it -> reconcile.namespace().equals(it.getMetadata().getNamespace()))
        .filter(it -> !reconcile.name().equals(it.getMetadata().getName()))
        .filter(it -> it.getSpec().chainId().equals(reconcile.node().getSpec().chainId()))
        .map(SeiNode::getStatus)
        .filter(Objects::nonNull)
        .flatMap(ChainEntries::all)
        .collect(
            Collectors.groupingBy(
                UpgradeStatus::name, Collectors.mapping(UpgradeStatus::image, Collectors.toSet())));
  }

  /** What was recorded before there was a claim goes onto it once it is there. */
  private Next bind(NodeReconcile reconcile) {
    AppliedUpgrades recorded = reconcile.snapshot().upgrades();
    Optional<PersistentVolumeClaim> claim =
        reconcile.snapshot().claim().filter(it -> recorded.lacksClaim());
    return claim
        .map(it -> write(reconcile, claim, recorded.of(it.getMetadata().getUid())))
        .orElseGet(Next::goOn);
  }

  private Next write(
      NodeReconcile reconcile, Optional<PersistentVolumeClaim> claim, AppliedUpgrades recorded) {
    claim.ifPresent(it -> annotate(reconcile, it, recorded));
    reconcile.update(
        status -> status.withUpgrades(ChainEntries.status(reconcile.snapshot(), recorded, status)));
    return Next.writeFirst("upgrades");
  }

  private void annotate(
      NodeReconcile reconcile, PersistentVolumeClaim claim, AppliedUpgrades applied) {
    String patch =
        MetadataPatch.annotation(claim, Annotations.APPLIED_UPGRADES, applied.annotation());
    PersistentVolumeClaim written = api.mergePatch(claim, patch);
    // An imported claim without our label is not watched.
    if (reconcile.snapshot().claim().isPresent()) {
      caches.remember(written, Optional.of(claim));
    }
  }

  /** A pod that runs the image of an upgrade is of the spec all the same, with its own image. */
  @Override
  public void record(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    List<UpgradeStatus> upgrades =
        ChainEntries.status(snapshot, snapshot.upgrades(reconcile.status()), reconcile.status())
            .stream()
            .map(it -> snapshot.livePod().flatMap(PodFacts::nodeName).map(it::on).orElse(it))
            .map(upgrade -> passed(upgrade, snapshot))
            .map(it -> expected(it, snapshot))
            .toList();
    reconcile.update(status -> status.withUpgrades(upgrades.isEmpty() ? null : upgrades));
    if (snapshot.specHash().equals(reconcile.status().podSpecHash())) {
      String declared = snapshot.declaredHash();
      String base = declared.equals(snapshot.specHash()) ? null : declared;
      reconcile.update(status -> status.withPodBaseHash(base));
    }
  }

  /**
   * Marks a listed upgrade whose height the node is past, where the chain has no plan of its name:
   * the vote failed, or the entry is of another chain. As long as the chain was not asked, what was
   * recorded holds. The entry counts again once such a plan is there.
   */
  private static UpgradeStatus passed(UpgradeStatus upgrade, NodeSnapshot snapshot) {
    if (!upgrade.isAhead() || upgrade.isWithdrawn() || upgrade.height() == null) {
      return upgrade;
    }
    Optional<KnownChain> chain = snapshot.chain();
    Optional<Long> height = snapshot.height();
    if (chain.isEmpty() || height.isEmpty()) {
      return wasPassed(upgrade, snapshot.status())
          ? upgrade.withState(UpgradeState.PASSED)
          : upgrade;
    }
    boolean isPlanned =
        chain.get().planned().filter(plan -> plan.name().equals(upgrade.name())).isPresent();
    return height.get() > upgrade.height() && !isPlanned
        ? upgrade.withState(UpgradeState.PASSED)
        : upgrade;
  }

  private static boolean wasPassed(UpgradeStatus upgrade, SeiNodeStatus status) {
    return Stream.ofNullable(status.upgrades())
        .flatMap(List::stream)
        .filter(UpgradeStatus::isPassed)
        .anyMatch(
            before ->
                upgrade.name().equals(before.name()) && upgrade.height().equals(before.height()));
  }

  /** No earlier estimate is written: it changes with every block, and nothing depends on it yet. */
  private static UpgradeStatus expected(UpgradeStatus upgrade, NodeSnapshot snapshot) {
    if (!upgrade.isAhead() || upgrade.isPassed() || upgrade.height() == null) {
      return upgrade.withExpectedAt(null);
    }
    return upgrade.withExpectedAt(
        snapshot
            .chain()
            .flatMap(it -> it.timeOf(upgrade.height()))
            .map(it -> it.truncatedTo(ChronoUnit.MINUTES))
            .filter(it -> !it.isAfter(snapshot.now().plus(ESTIMATED_AHEAD)))
            .orElse(null));
  }

  @Override
  public void report(NodeReconcile reconcile, Optional<Finding> finding) {
    UpgradesReady.derive(reconcile, finding);
  }

  @Override
  public List<EventRule<SeiNodeStatus>> events() {
    return UpgradeEvents.TABLE;
  }

  @Override
  public List<GaugeRow<SeiNode>> gauges() {
    return UpgradeGauges.TABLE;
  }
}
