package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdatePolicy.OfConfig;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetNode.Absence;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.NodeConfiguration;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * PURE: decides which nodes are given a configuration that changed while their template did not.
 * The next node is given it once the node before has applied it, so a configuration that the
 * sidecar refuses stops at the first node. Where seid is restarted for it, a node that is Ready is
 * given it as {@link Disruptions} admits it, and the next one waits until it is confirmed Ready: a
 * configuration with which seid does not start stops at the first node as well, also if that node
 * is paused or held afterwards. Another node that is paused or held, or down for a cause of its
 * own, is not waited for. Together with a new template a configuration is part of the rollout.
 */
public final class ConfigurationOrder {

  private static final Set<StallReason> REFUSALS =
      Set.of(StallReason.SIDECAR_TASK_FAILED, StallReason.SIDECAR_UNSUPPORTED);

  private final FleetView view;
  private final boolean restarts;
  private final NodeConfiguration asked;
  private final NodeConfiguration wanted;
  private final String hash;
  private final FleetConfiguration record;

  private ConfigurationOrder(FleetView view, boolean waitsByDefault) {
    this.view = view;
    this.restarts =
        view.template()
                .spec()
                .configUpdates()
                .orElse(waitsByDefault ? OfConfig.ON_NEXT_START : OfConfig.RESTART)
            == OfConfig.RESTART;
    this.asked = NodeConfiguration.of(view.template().spec());
    this.hash = asked.digest();
    this.record = view.stored().configuration();
    this.wanted = isRolledBack() ? earlier().orElse(asked) : asked;
  }

  /**
   * Decides.
   *
   * @param waitsByDefault whether seid is not restarted at nodes that do not say
   */
  public static ConfigurationOrder of(FleetView view, boolean waitsByDefault) {
    return new ConfigurationOrder(view, waitsByDefault);
  }

  /** The template for the node with an ordinal, which keeps its configuration until its turn. */
  public NodeTemplate given(NodeTemplate template, int ordinal) {
    NodeConfiguration given = configuration(template, ordinal);
    return given == null ? template : template.withSpec(given.in(template.spec()));
  }

  /** The configuration that differs from the template's; null if none does. */
  private NodeConfiguration configuration(NodeTemplate template, int ordinal) {
    Optional<FleetNode> node =
        view.fleet().stream().filter(other -> other.ordinal() == ordinal).findFirst();
    if (template.equals(view.template())) {
      return node.filter(this::isWaiting)
          .map(waiting -> configurationOf(waiting, wanted))
          .orElse(wanted.equals(asked) ? null : wanted);
    }
    // A node on an earlier template keeps what it has: the fleet may have moved on before every
    // node was given the last configuration of that template.
    return node.filter(other -> record != null)
        .filter(other -> other.isOn(ChildRenderer.hash(view.deployment(), template)))
        .map(other -> configurationOf(other, NodeConfiguration.of(template.spec())))
        .orElse(null);
  }

  /**
   * Returns whether a change is under way: a node waits for its turn, or has been restarted for it
   * and is not confirmed Ready. A change that was rolled back is not.
   */
  public boolean isUnderWay() {
    return !isRolledBack() && (waiting().anyMatch(node -> !has(node)) || awaited().isPresent());
  }

  /** Which nodes wait for their turn, and for which node; empty if no change is under way. */
  public Optional<String> progress() {
    List<String> waiting = waiting().filter(node -> !has(node)).map(FleetNode::name).toList();
    String order =
        "%s is given to one node after the other%s%s"
            .formatted(
                isRolledBack() ? "the earlier one" : "a changed configuration",
                waiting.isEmpty() ? "" : "; waiting: " + String.join(", ", waiting),
                obstacle().map(obstacle -> "; " + obstacle).orElse(""));
    if (!isRolledBack()) {
      return isUnderWay() ? Optional.of(order) : Optional.empty();
    }
    return Optional.of(
        "the configuration that spec.template asks for was rolled back (%s): correct it, or take it out%s"
            .formatted(record.rolledBack(), waiting.isEmpty() ? "" : "; " + order));
  }

  private Optional<String> obstacle() {
    Optional<FleetNode> applying =
        view.fleet().stream().filter(node -> isGiven(node) && isWaitedFor(node)).findFirst();
    if (applying.isPresent()) {
      return Optional.of(describe(applying.get()));
    }
    if (!restarts) {
      return Optional.empty();
    }
    if (view.pausesRollouts()) {
      return Optional.of("seid is restarted for it, and rollouts are paused");
    }
    return disruptions().isMakingProgress(Disruption.ROLLOUT)
        ? Optional.of("seid is restarted for it once the rollout is complete")
        : disruptions().obstacle(Disruption.CONFIGURATION);
  }

  private static String describe(FleetNode node) {
    if (node.stall() != null) {
      return "on hold: %s: %s".formatted(node.name(), node.stallMessage());
    }
    if (node.unreadable() || node.absence().isPresent()) {
      return "%s has not been Ready with it, and %s"
          .formatted(node.name(), node.absence().map(Absence::state).orElse("is unreadable"));
    }
    return node.upToDate()
        ? "%s has it and is to be Ready first".formatted(node.name())
        : "%s applies it".formatted(node.name());
  }

  /**
   * The record to be persisted before the next node is given the configuration. It is valid only
   * where every node's spec is known to be as the record says. A fleet without a record is new, or
   * the Go operator made it, which gave every node everything at once.
   */
  public FleetConfiguration next() {
    if (record == null) {
      return recording(view.templateHash(), null, null, null);
    }
    String awaited = awaited().map(FleetNode::name).orElse(null);
    if (isCurrent() && record.nodes() == null && waiting().allMatch(this::has)) {
      return recording(record.templateHash(), null, awaited, record.rolledBack());
    }
    Optional<FleetNode> failed =
        failed().filter(node -> !view.limits().deadline(node, view.now()).isAfter(view.now()));
    if (failed.isPresent()) {
      return recording(
          view.templateHash(),
          List.of(),
          awaited,
          "%s: %s".formatted(failed.get().name(), failed.get().stall()));
    }
    Set<String> given = new TreeSet<>(isOfTemplate() ? record.nodes() : List.of());
    waiting().filter(this::has).map(FleetNode::name).forEach(given::add);
    List<FleetNode> open =
        waiting().filter(node -> !given.contains(node.name())).sorted(order()).toList();
    boolean isStopped =
        view.fleet().stream().anyMatch(node -> given.contains(node.name()) && isWaitedFor(node));
    if (!isStopped && !open.isEmpty() && mayBeGiven(open.getFirst())) {
      FleetNode next = open.getFirst();
      given.add(next.name());
      if (restarts && !next.pausedOrHeld() && (next.isReady() || isAwaited(next))) {
        awaited = next.name();
      }
    }
    if (!isStopped) {
      // Nothing runs that could refuse it.
      open.stream().filter(FleetNode::pausedOrHeld).map(FleetNode::name).forEach(given::add);
    }
    boolean all = open.stream().allMatch(node -> given.contains(node.name()));
    return recording(
        view.templateHash(),
        all ? null : List.copyOf(given),
        awaited,
        isCurrent() ? record.rolledBack() : null);
  }

  /**
   * Returns whether nodes are given the earlier configuration again, as they stalled on this one.
   */
  public boolean isRolledBack() {
    return isCurrent() && record.rolledBack() != null;
  }

  /** The configuration of a node that was not given what is asked for. */
  private Optional<NodeConfiguration> earlier() {
    return view.fleet().stream()
        .map(node -> configurationOf(node, asked))
        .filter(configuration -> !configuration.equals(asked))
        .findFirst();
  }

  /** The node for which the configuration is rolled back once it has been stalled for too long. */
  private Optional<FleetNode> failed() {
    if (view.limits().onStall() != OnStall.ROLLBACK
        || !isOfTemplate()
        || record.nodes() == null
        || record.rolledBack() != null
        || earlier().isEmpty()) {
      return Optional.empty();
    }
    return view.fleet().stream()
        .filter(node -> isGiven(node) && has(node) && isWaitedFor(node))
        .filter(this::isOfConfiguration)
        .findFirst();
  }

  /** A node that had been down before is no evidence, unless its sidecar refuses. */
  private boolean isOfConfiguration(FleetNode node) {
    return isRefused(node)
        || isAwaited(node)
            && node.stall() != null
            && StallReason.named(node.stall()).mayBeOfConfiguration();
  }

  private static boolean isRefused(FleetNode node) {
    return REFUSALS.stream().anyMatch(reason -> reason.is(node.stall()));
  }

  /**
   * Returns whether the next record gives nodes another configuration than they have by this one.
   */
  public boolean givesMore(FleetConfiguration next) {
    return record == null || !next.equals(record.withAwaited(next.awaited()));
  }

  /** Returns whether the next record takes down a node that is Ready as far as is known. */
  public boolean admits(FleetConfiguration next) {
    return next.awaited() != null && !next.equals(record);
  }

  /** Returns the time until a node is confirmed or rolled back; empty if no time is awaited. */
  public Optional<Duration> recheck() {
    return awaited()
        .filter(node -> node.upToDate() && node.isReady())
        .map(node -> view.limits().confirmedAt(node, view.now()))
        .or(() -> failed().map(node -> view.limits().deadline(node, view.now())))
        .map(moment -> Duration.between(view.now(), moment))
        .filter(Duration::isPositive);
  }

  private Stream<FleetNode> waiting() {
    return view.fleet().stream().filter(this::isWaiting);
  }

  /** Returns whether a node of the template in force was not given the configuration. */
  private boolean isWaiting(FleetNode node) {
    return !node.terminating()
        && !node.unreadable()
        && node.isOn(view.templateHash())
        && !isGiven(node);
  }

  private boolean isGiven(FleetNode node) {
    return record == null
        || isOfTemplate() && (record.nodes() == null || record.nodes().contains(node.name()));
  }

  private boolean isCurrent() {
    return record != null && hash.equals(record.hash());
  }

  /** Nodes that return to a template they had before were not given everything. */
  private boolean isOfTemplate() {
    return isCurrent() && view.templateHash().equals(record.templateHash());
  }

  /** The address of the template stays on record until every node is without it. */
  private FleetConfiguration recording(
      String templateHash, List<String> nodes, String awaited, String rolledBack) {
    String address = asked.externalAddress();
    boolean isUnderWay = nodes != null || awaited != null || rolledBack != null;
    if (address == null && record != null && isUnderWay) {
      address = record.externalAddress();
    }
    return new FleetConfiguration(hash, templateHash, nodes, awaited, rolledBack, address);
  }

  /** A node that is created meanwhile, or rolled, has it from the beginning. */
  private boolean has(FleetNode node) {
    return configurationOf(node, wanted).equals(wanted);
  }

  /**
   * A node keeps an address of its own where {@code other} has none for all. The address that the
   * template has set is no such one: it is taken from a node in its turn.
   */
  private NodeConfiguration configurationOf(FleetNode node, NodeConfiguration other) {
    NodeConfiguration configuration = NodeConfiguration.of(view.child(node).getSpec());
    boolean isOwn =
        record == null
            || !Objects.equals(configuration.externalAddress(), record.externalAddress());
    return other.externalAddress() == null && isOwn
        ? configuration.withoutAddress()
        : configuration;
  }

  /** Nodes that have trouble first, as it may be what helps them; then the highest ordinal. */
  private Comparator<FleetNode> order() {
    return Comparator.comparing(FleetNode::pausedOrHeld)
        .thenComparing(node -> !isAwaited(node))
        .thenComparing(FleetNode::upToDate)
        .thenComparing(node -> restarts && node.isReady())
        .thenComparing(node -> restarts && node.isLeaving())
        .thenComparing(FleetNode::ordinal, Comparator.reverseOrder());
  }

  private boolean mayBeGiven(FleetNode node) {
    if (!restarts || node.pausedOrHeld() || !node.isReady()) {
      return true;
    }
    if (view.pausesRollouts() || node.isLeaving()) {
      return false;
    }
    // A node that is awaited is in flight already.
    return isAwaited(node)
        ? !disruptions().isMakingProgress(Disruption.ROLLOUT)
        : disruptions().obstacle(Disruption.CONFIGURATION).isEmpty();
  }

  /** The record still has the awaited node in the pass in which that is found to be done. */
  private Disruptions disruptions() {
    return Disruptions.of(
        record == null || record.awaited() == null || awaited().isPresent()
            ? view
            : view.withStored(view.stored().withConfiguration(record.withAwaited(null))));
  }

  /** Nodes that were given the configuration and have yet to show that seid runs with it. */
  List<FleetNode> inFlight() {
    boolean isComplete = record == null || record.nodes() == null;
    return view.fleet().stream()
        .filter(
            node ->
                restarts
                    && (isUnconfirmed(node) || !isComplete && isGiven(node) && isWaitedFor(node)))
        .toList();
  }

  private boolean isAwaited(FleetNode node) {
    return record != null && node.name().equals(record.awaited());
  }

  /** The node that was Ready when it was given a configuration, and is not confirmed since. */
  private Optional<FleetNode> awaited() {
    return view.fleet().stream().filter(this::isUnconfirmed).findFirst();
  }

  private boolean isUnconfirmed(FleetNode node) {
    return isAwaited(node)
        && (!node.pausedOrHeld() || isStillOnTrial(node))
        && !node.terminating()
        && !isDone(node);
  }

  /** A node that is paused or held before it was Ready with the configuration may have failed. */
  private boolean isStillOnTrial(FleetNode node) {
    return isOfTemplate() && record.rolledBack() == null && node.isOn(view.templateHash());
  }

  /** A node on an earlier template gets its configuration by the rollout, which waits. */
  private boolean isDone(FleetNode node) {
    return (has(node) || !node.isOn(view.templateHash()))
        && node.upToDate()
        && isObserved(view.child(node))
        && view.limits().isConfirmed(node, view.now());
  }

  /** Returns whether a node has yet to show that its sidecar, and seid, take what it was given. */
  private boolean isWaitedFor(FleetNode node) {
    if (isUnconfirmed(node)) {
      return true;
    }
    if (node.upToDate()
        || node.unreadable()
        || node.pausedOrHeld()
        || node.terminating()
        || node.phase() != NodePhase.RUNNING) {
      return false;
    }
    boolean isBusy = node.isReady() || view.child(node).getStatus().plan() != null;
    return !isObserved(view.child(node)) || isRefused(node) || node.stall() == null && isBusy;
  }

  private static boolean isObserved(SeiNode node) {
    return Objects.equals(
        node.getStatus().observedGeneration(), node.getMetadata().getGeneration());
  }
}
