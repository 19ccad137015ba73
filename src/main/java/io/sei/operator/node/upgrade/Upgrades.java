package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.Releases;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.node.objects.RunningVersion;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SpecHash;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Prepares a node for the upgrades ahead, and records the image with which it continues at a halt,
 * before the pod is changed.
 */
public final class Upgrades implements NodeFeature {

  /** Time before an upgrade from which its expected time is reported. */
  private static final Duration ESTIMATED_AHEAD = Duration.ofHours(1);

  private final KubeApi api;
  private final NodeCaches caches;
  private final DataClaim claims;
  private final UpgradePulls pulls;
  private final Supplier<Releases> releases;
  private final RunningVersion running;

  /**
   * @param volumes reads the volume of a node's data; empty if it could not be read
   */
  public Upgrades(
      KubeApi api,
      NodeCaches caches,
      DataClaim claims,
      ImagePuller puller,
      Supplier<Releases> releases,
      RunningVersion running,
      Function<SeiNode, Optional<VolumeFacts>> volumes) {
    this.running = running;
    this.releases = releases;
    this.api = api;
    this.caches = caches;
    this.claims = claims;
    this.pulls = new UpgradePulls(puller, releases, running::of, volumes);
  }

  /** Upgrades that the operator listed count like the user's. */
  @Override
  public SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return ChainEntries.effective(spec, status);
  }

  /**
   * Has the images of the upgrades ahead pulled where the node's pod runs.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server fails
   */
  @Override
  public void keep(NodePass pass) {
    pulls.advance(pass, pass.view().chain().flatMap(ChainState::plannedTime));
  }

  /**
   * Records what the operator lists itself, and what becomes of the node's image, on its claim and
   * in the status, before anything is done about it: the upgrade that it has just halted for, one
   * whose image came too early or was corrected since, or what a new volume starts with.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if the claim cannot be written
   */
  @Override
  public Next observe(NodePass pass) {
    NodeView view = pass.view();
    if (isListChanged(pass)) {
      return Next.writeFirst("upgrades");
    }
    Optional<UpgradeStatus> corrected = view.upgrades().correction(pass.node().getSpec());
    if (corrected.isEmpty() && Boolean.TRUE.equals(pass.node().getSpec().upgradesPaused())) {
      return Next.goOn();
    }
    Optional<UpgradeStatus> switched =
        corrected.or(() -> UpgradeEvidence.of(view).filter(upgrade -> !isForbidden(pass, upgrade)));
    if (switched.isPresent()) {
      Optional<PersistentVolumeClaim> claim = claims.read(pass);
      String uid =
          claim
              .map(persistentVolumeClaim -> persistentVolumeClaim.getMetadata().getUid())
              .orElse(null);
      return write(pass, claim, view.upgrades().with(switched.get().withClaimUid(uid)));
    }
    return StartingHeight.of(view)
        .map(upgrade -> write(pass, Optional.empty(), view.upgrades().with(upgrade)))
        .orElseGet(() -> bind(pass));
  }

  /** A node stays halted rather than run an image that the list of releases forbids. */
  private boolean isForbidden(NodePass pass, UpgradeStatus upgrade) {
    return UpgradeImage.of(pass.node(), upgrade, releases.get()).forbidden().isPresent();
  }

  /** Brings what the operator lists itself up to date with the chain's plan. */
  private boolean isListChanged(NodePass pass) {
    NodeView view = pass.view();
    // One that the claim has as applied, though the status has not yet, is the operator's still.
    List<UpgradeStatus> before =
        ChainEntries.ahead(view.stored())
            .filter(entry -> !view.upgrades().has(entry.name()))
            .toList();
    if (before.isEmpty() && view.declared().upgradePolicy() == null) {
      return false;
    }
    List<UpgradeStatus> entries = ChainListing.of(view, imagesOfOthers(pass));
    if (entries.equals(before)) {
      return false;
    }
    Stream<UpgradeStatus> others =
        Stream.ofNullable(view.stored().upgrades())
            .flatMap(List::stream)
            .filter(upgrade -> !before.contains(upgrade));
    List<UpgradeStatus> upgrades = Stream.concat(others, entries.stream()).toList();
    pass.update(status -> status.withUpgrades(upgrades));
    return true;
  }

  /** Returns the images that other nodes of the chain in the namespace have listed. */
  private Map<String, Set<String>> imagesOfOthers(NodePass pass) {
    return caches
        .nodes()
        .filter(node -> pass.namespace().equals(node.getMetadata().getNamespace()))
        .filter(node -> !pass.name().equals(node.getMetadata().getName()))
        .filter(node -> node.getSpec().chainId().equals(pass.node().getSpec().chainId()))
        .map(SeiNode::getStatus)
        .filter(Objects::nonNull)
        .flatMap(ChainEntries::all)
        .collect(
            Collectors.groupingBy(
                UpgradeStatus::name, Collectors.mapping(UpgradeStatus::image, Collectors.toSet())));
  }

  /** Writes what was recorded before there was a claim onto the claim, once it is there. */
  private Next bind(NodePass pass) {
    AppliedUpgrades recorded = pass.view().upgrades();
    Optional<PersistentVolumeClaim> claim = pass.view().claim();
    if (claim.isEmpty() || !recorded.lacksClaim()) {
      return Next.goOn();
    }
    return write(pass, claim, recorded.of(claim.get().getMetadata().getUid()));
  }

  private Next write(
      NodePass pass, Optional<PersistentVolumeClaim> claim, AppliedUpgrades recorded) {
    claim.ifPresent(persistentVolumeClaim -> annotate(pass, persistentVolumeClaim, recorded));
    pass.update(status -> status.withUpgrades(ChainEntries.status(pass.view(), recorded, status)));
    return Next.writeFirst("upgrades");
  }

  private void annotate(NodePass pass, PersistentVolumeClaim claim, AppliedUpgrades applied) {
    String patch =
        MetadataPatch.annotation(claim, Annotations.APPLIED_UPGRADES, applied.annotation());
    PersistentVolumeClaim written = api.mergePatch(claim, patch);
    // An imported claim without our label is not watched.
    if (pass.view().claim().isPresent()) {
      caches.remember(written, Optional.of(claim));
    }
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(this::record).report(this::report);
    UpgradeEvents.TABLE.forEach(conditions::event);
    UpgradeGauges.TABLE.forEach(conditions::gauge);
  }

  /** A pod that runs the image of an upgrade is of the spec all the same, with its own image. */
  void record(NodePass pass) {
    NodeView view = pass.view();
    List<UpgradeStatus> upgrades =
        ChainEntries.status(view, view.upgrades(pass.draft()), pass.draft()).stream()
            .map(
                upgrade ->
                    view.livePod().flatMap(PodFacts::nodeName).map(upgrade::on).orElse(upgrade))
            .map(upgrade -> passed(upgrade, view))
            .map(upgrade -> expected(upgrade, view))
            .toList();
    pass.update(status -> status.withUpgrades(upgrades.isEmpty() ? null : upgrades));
    if (view.specHash().equals(pass.draft().podSpecHash())) {
      String declared = declaredHash(view);
      String base = declared.equals(view.specHash()) ? null : declared;
      pass.update(status -> status.withPodBaseHash(base));
    }
  }

  /** The spec hash with the image that is declared, and without a hold. */
  private static String declaredHash(NodeView view) {
    return SpecHash.ofTemplate(
        view.node().getSpec().withImage(view.declaredImage()),
        Annotations.restartRequestedAt(view.node()).orElse(null));
  }

  /**
   * Marks a listed upgrade whose height the node is past, where the chain has no plan of its name:
   * the vote failed, or the entry is of another chain. As long as the chain was not asked, what was
   * recorded holds. The entry counts again once such a plan is there.
   */
  private static UpgradeStatus passed(UpgradeStatus upgrade, NodeView view) {
    if (!upgrade.isAhead() || upgrade.isWithdrawn() || upgrade.height() == null) {
      return upgrade;
    }
    Optional<ChainState> chain = view.chain();
    Optional<Long> height = view.height();
    if (chain.isEmpty() || height.isEmpty()) {
      return view.stored().hasPassed(upgrade.name(), upgrade.height())
          ? upgrade.withState(UpgradeState.PASSED)
          : upgrade;
    }
    boolean isPlanned =
        chain.get().planned().filter(plan -> plan.name().equals(upgrade.name())).isPresent();
    return height.get() > upgrade.height() && !isPlanned
        ? upgrade.withState(UpgradeState.PASSED)
        : upgrade;
  }

  /** No earlier estimate is written: it changes with every block, and nothing depends on it yet. */
  private static UpgradeStatus expected(UpgradeStatus upgrade, NodeView view) {
    if (!upgrade.isAhead() || upgrade.isPassed() || upgrade.height() == null) {
      return upgrade.withExpectedAt(null);
    }
    return upgrade.withExpectedAt(
        view.chain()
            .flatMap(state -> state.timeOf(upgrade.height()))
            .map(time -> time.truncatedTo(ChronoUnit.MINUTES))
            .filter(time -> !time.isAfter(view.now().plus(ESTIMATED_AHEAD)))
            .orElse(null));
  }

  void report(NodePass pass) {
    UpgradesReady.derive(pass, pass.finding(), releases.get(), running.of(pass));
  }
}
