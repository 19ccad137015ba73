package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.render.ChildRenderer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Immutable view of a fleet and its nodes at the start of a pass.
 *
 * @param stored the status that is stored, empty rather than null; read-only. It has no rollout of
 *     a configuration alone, which only shows the record of the configuration
 * @param template the template of the fleet's spec, also after it failed and was rolled back
 * @param templateHash its hash
 * @param children the deployment's own nodes, by ordinal
 * @param revisions the templates that are kept
 * @param live since when pods that were read live have been Ready, empty of those that are not; by
 *     the name of their node
 * @param leaving what announces that the Kubernetes node of a pod that was read live is about to be
 *     drained; by the name of the node
 * @param taken for what nodes were taken down in this pass, of which the status has no record yet;
 *     by their name
 * @param sources what takes nodes down, in the order in which it may
 * @param exiting names of nodes whose seid a task is about to end
 * @param now the moment all of this was read
 * @param memo of this view alone; a copy gets its own
 */
@RecordBuilder
public record FleetView(
    SeiNodeDeployment deployment,
    SeiNodeDeploymentStatus stored,
    NodeTemplate template,
    String templateHash,
    List<Child> children,
    Revisions revisions,
    Map<String, Optional<Instant>> live,
    Map<String, String> leaving,
    Map<String, Disruption> taken,
    List<DisruptionSource> sources,
    Set<String> exiting,
    ReadyConfirmation confirmation,
    Instant now,
    Memo memo)
    implements FleetViewBuilder.With {

  private static final ChildRenderer RENDERER = new ChildRenderer();

  /** A node of the deployment. */
  public record Child(SeiNode node, int ordinal) {

    /** The node by its spec and status. */
    public FleetNode view() {
      return FleetNode.of(node, ordinal);
    }
  }

  /**
   * Feature that takes nodes of a fleet down. {@code Disruptions} says what it waits for; the
   * feature itself chooses the nodes, records that choice and takes them down. The methods here
   * decide by the view alone.
   */
  public interface DisruptionSource {

    /** The sources among the features of a fleet, in their order. */
    static List<DisruptionSource> among(List<?> features) {
      return features.stream()
          .filter(DisruptionSource.class::isInstance)
          .map(DisruptionSource.class::cast)
          .sorted(Comparator.comparing(DisruptionSource::disruption))
          .toList();
    }

    /** Its name, and its place in the order. */
    Disruption disruption();

    /**
     * Nodes that the source has taken down, or is about to, and that are not done yet. A node whose
     * seid a scheduled task is about to end is in flight too, for no source.
     */
    List<FleetNode> inFlight(FleetView view);

    /**
     * Returns whether the source makes progress without help, also between two admissions. Later
     * sources wait for that; once the source is stalled they continue within the budget, in which
     * its nodes count.
     */
    default boolean isMakingProgress(FleetView view) {
      return inFlight(view).stream().anyMatch(DisruptionSource::isMakingProgress);
    }

    private static boolean isMakingProgress(FleetNode node) {
      return node.stall() == null
          && !node.pausedOrHeld()
          && !node.neverReady()
          && !node.unreadable()
          && !node.terminating();
    }
  }

  /** The nodes, computed once: each node whose spec was edited is rendered for them. */
  public static final class Memo {
    private List<FleetNode> fleet;
  }

  public FleetView {
    leaving = leaving == null ? Map.of() : leaving;
    taken = taken == null ? Map.of() : taken;
    exiting = exiting == null ? Set.of() : exiting;
    if (stored.rollout() != null && stored.rollout().configuration() != null) {
      stored = stored.withRollout(null);
    }
    memo = new Memo();
  }

  /** Number of nodes in the spec. */
  public int replicas() {
    return deployment.getSpec().replicas();
  }

  /** Limits of a rollout. */
  public Limits limits() {
    return Limits.of(deployment.getSpec(), confirmation);
  }

  /** Returns whether the user has paused every node. */
  public boolean isPaused() {
    return Boolean.TRUE.equals(deployment.getSpec().paused());
  }

  /** Returns whether rollouts are paused, alone or with every node. */
  public boolean pausesRollouts() {
    return isPaused()
        || Optional.ofNullable(deployment.getSpec().updateStrategy())
            .map(UpdateStrategy::paused)
            .orElse(false);
  }

  /** The nodes that exist and are within the replicas, by ordinal. */
  public Stream<Child> wanted() {
    return children.stream().filter(child -> child.ordinal() < replicas());
  }

  /** The nodes within the replicas by their status, or by their pods where those were read live. */
  public List<FleetNode> fleet() {
    if (memo.fleet == null) {
      memo.fleet = observed();
    }
    return memo.fleet;
  }

  private List<FleetNode> observed() {
    return wanted().map(this::observed).toList();
  }

  private FleetNode observed(Child child) {
    FleetNode cached = FleetNode.of(child.node(), child.ordinal(), hash -> made(child, hash));
    FleetNode node =
        live.containsKey(cached.name()) ? cached.asReadLive(live.get(cached.name()), now) : cached;
    boolean isStopped =
        stored
            .runningSnapshot()
            .filter(run -> run.needsNode() && node.name().equals(run.node()))
            .isPresent();
    boolean isSwitching =
        node.switching() || node.isReady() && (isUnconfirmed(node, child) || isExiting(node));
    return node.with(
        seen ->
            seen.snapshotting(isStopped).switching(isSwitching).leaving(leaving.get(node.name())));
  }

  /**
   * Returns whether a node that is Ready may cease to be so at any moment, as it was given a
   * configuration or the image of an early upgrade and is not confirmed since.
   */
  private boolean isUnconfirmed(FleetNode node, Child child) {
    boolean isAwaited =
        stored.configuration() != null && node.name().equals(stored.configuration().awaited());
    boolean runsEarly =
        Stream.ofNullable(child.node().getSpec().upgrades())
            .flatMap(List::stream)
            .anyMatch(Upgrade::runsEarly);
    return isAwaited || runsEarly && !limits().isConfirmed(node, now);
  }

  /**
   * Returns whether a task is about to end the node's seid. The task waits for no budget, as its
   * height is the chain's; a node that is stalled is not kept from what may bring it back.
   */
  private boolean isExiting(FleetNode node) {
    return exiting.contains(node.name()) && node.stall() == null;
  }

  /** Names of the nodes whose pods have a PodDisruptionBudget of their own, in their order. */
  public List<String> namesWithOwnBudget() {
    return fleet().stream().filter(FleetNode::hasOwnBudget).map(FleetNode::name).toList();
  }

  /** The record of the fleet's snapshots, empty rather than null. */
  public FleetSnapshots snapshots() {
    return Optional.ofNullable(stored.snapshots()).orElseGet(FleetSnapshots::empty);
  }

  private Optional<SeiNode> made(Child child, String hash) {
    return template(hash).map(given -> RENDERER.render(deployment, child.ordinal(), given));
  }

  /**
   * Nodes that a rollout may take beyond what may be unavailable, because they are not Ready for
   * all that the watches have said. In every reconcile, as an admission that is decided in one must
   * hold in the next.
   */
  public List<SeiNode> inDoubt() {
    return stored.rollout() == null
        ? List.of()
        : wanted().filter(child -> isInDoubt(child.view())).map(Child::node).toList();
  }

  /** Nodes that are Ready by what the watches have said. */
  public List<SeiNode> believedReady() {
    return wanted().filter(child -> child.view().isReady()).map(Child::node).toList();
  }

  private boolean isInDoubt(FleetNode node) {
    return !node.isReady()
        && !node.terminating()
        && !node.pausedOrHeld()
        && !node.atRisk()
        && !node.isOn(target())
        && node.ordinal() >= limits().partition();
  }

  /** The object of a node of this view. */
  public SeiNode child(FleetNode node) {
    return child(node.ordinal()).orElseThrow();
  }

  /** The node with an ordinal, if it is there. */
  public Optional<SeiNode> child(int ordinal) {
    // Where none is missing, a child's place is its ordinal.
    if (ordinal < children.size() && children.get(ordinal).ordinal() == ordinal) {
      return Optional.of(children.get(ordinal).node());
    }
    return children.stream()
        .filter(child -> child.ordinal() == ordinal)
        .map(Child::node)
        .findFirst();
  }

  /**
   * The hash of the template that nodes are brought to: the template's, unless that was rolled
   * back; then the last one that was completed, with the restart that was asked for since.
   */
  public String target() {
    if (!isRolledBack()) {
      return templateHash;
    }
    return restarted()
        .map(given -> ChildRenderer.hash(deployment, given))
        .orElseGet(stored::completedTemplateHash);
  }

  /** The template with a hash, if it is known. */
  public Optional<NodeTemplate> template(String hash) {
    return templateHash.equals(hash)
        ? Optional.of(template)
        : revisions.template(hash).or(() -> restarted().filter(any -> hash.equals(target())));
  }

  /** The template with a hash, as messages name it: by its image. */
  public String describe(String hash) {
    return image(hash).map(image -> "image " + image).orElse("an earlier template");
  }

  /** The image of seid in the template with a hash, if that is known. */
  public Optional<String> image(String hash) {
    return template(hash).map(given -> given.spec().image());
  }

  private boolean isRolledBack() {
    return stored.completedTemplateHash() != null && isInForce(stored.failedTemplateHash());
  }

  /**
   * Returns whether the template in force is the one with this hash, or differs in the restart it
   * asks for alone: that does not try a template again that has failed.
   */
  public boolean isInForce(String hash) {
    return hash != null
        && (hash.equals(templateHash)
            || revisions.template(hash).filter(this::isInForceButForARestart).isPresent());
  }

  private boolean isInForceButForARestart(NodeTemplate other) {
    return ChildRenderer.hash(deployment, ChildRenderer.restarted(other, null))
        .equals(ChildRenderer.hash(deployment, ChildRenderer.restarted(template, null)));
  }

  /** The completed template with the restart that was asked for after the one in force failed. */
  private Optional<NodeTemplate> restarted() {
    return templateHash.equals(stored.failedTemplateHash())
        ? Optional.empty()
        : ChildRenderer.restart(template)
            .flatMap(
                restart ->
                    revisions
                        .template(stored.completedTemplateHash())
                        .map(given -> ChildRenderer.restarted(given, restart)));
  }

  /** The status of a deployment as this version would have stored it, empty rather than null. */
  public static SeiNodeDeploymentStatus statusOf(SeiNodeDeployment deployment) {
    return deployment.getStatus() == null
        ? SeiNodeDeploymentStatus.empty()
        : deployment.getStatus().seeded();
  }
}
