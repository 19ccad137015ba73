package io.sei.operator.fleet.configuration;

import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdatePolicy.OfConfig;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.disruption.Disruption;
import io.sei.operator.fleet.disruption.Disruptions;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import io.sei.operator.fleet.model.FleetView.Child;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.NodeConfiguration;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: which nodes are given a configuration that changed while their template did not. One node
 * is given it after the other, and the next only once the one before has applied it: what is
 * refused stops at the first node. Where seid is restarted for it, a node that is Ready is given it
 * within what may be unavailable, not while a rollout goes on, and the next one waits until it has
 * been Ready again for as long as in a rollout: what seid does not start with stops at the first
 * node as well. A node that is down for a cause of its own is not waited for, and neither is one
 * that somebody keeps out of service. Together with a new template it is part of the rollout.
 */
public final class ConfigurationOrder {

  private static final Set<StallReason> REFUSALS =
      Set.of(StallReason.SIDECAR_TASK_FAILED, StallReason.SIDECAR_UNSUPPORTED);

  private final FleetView snapshot;
  private final Disruptions disruptions;
  private final boolean restarts;
  private final NodeConfiguration asked;
  private final NodeConfiguration wanted;
  private final String hash;
  private final FleetConfiguration record;
  private final List<Member> members;

  /** A node with what is known of it, its pod as it was seen live where that was looked at. */
  private record Member(Child child, FleetNode view) {

    String name() {
      return view.name();
    }

    SeiNode node() {
      return child.node();
    }
  }

  private ConfigurationOrder(FleetView snapshot, boolean waitsByDefault) {
    this.snapshot = snapshot;
    this.restarts =
        snapshot
                .template()
                .spec()
                .configUpdates()
                .orElse(waitsByDefault ? OfConfig.ON_NEXT_START : OfConfig.RESTART)
            == OfConfig.RESTART;
    this.asked = NodeConfiguration.of(snapshot.template().spec());
    this.hash = asked.digest();
    this.record = snapshot.stored().configuration();
    var views = snapshot.fleet().stream().collect(Collectors.toMap(FleetNode::name, view -> view));
    this.members =
        snapshot
            .wanted()
            .map(child -> new Member(child, views.get(child.node().getMetadata().getName())))
            .toList();
    this.wanted = isRolledBack() ? earlier().orElse(asked) : asked;
    this.disruptions = Disruptions.of(withoutDone(snapshot));
  }

  /**
   * Decides.
   *
   * @param waitsByDefault whether seid is not restarted at nodes that do not say
   */
  public static ConfigurationOrder of(FleetView snapshot, boolean waitsByDefault) {
    return new ConfigurationOrder(snapshot, waitsByDefault);
  }

  /** The template as the node with an ordinal is to have it: until its turn with what it has. */
  public NodeTemplate given(NodeTemplate template, int ordinal) {
    Optional<NodeConfiguration> given =
        template.equals(snapshot.template())
            ? waiting()
                .filter(it -> it.child().ordinal() == ordinal)
                .findFirst()
                .map(this::its)
                .or(() -> Optional.of(wanted).filter(it -> !it.equals(asked)))
            : ofOneThatStays(template, ordinal);
    return given.map(it -> it.in(template.spec())).map(template::withSpec).orElse(template);
  }

  /**
   * What a node has that stays on an earlier template. That template may have been left before
   * every node was given its last configuration, and nobody orders those turns any more.
   */
  private Optional<NodeConfiguration> ofOneThatStays(NodeTemplate template, int ordinal) {
    return members.stream()
        .filter(it -> record != null && it.child().ordinal() == ordinal)
        .filter(it -> it.view().isOn(ChildRenderer.hash(snapshot.deployment(), template)))
        .map(it -> its(it, NodeConfiguration.of(template.spec())))
        .findFirst();
  }

  /**
   * Whether a change is under way: a node waits for its turn, or has been restarted for it and has
   * yet to be Ready. A change that was rolled back is not.
   */
  public boolean isUnderWay() {
    return !isRolledBack() && (waiting().anyMatch(node -> !has(node)) || awaited().isPresent());
  }

  /** Which nodes wait for their turn, and for which one; empty if no change is under way. */
  public Optional<String> progress() {
    List<String> waiting = waiting().filter(it -> !has(it)).map(Member::name).toList();
    String order =
        "%s is given to one node after the other%s%s"
            .formatted(
                isRolledBack() ? "the earlier one" : "a changed configuration",
                waiting.isEmpty() ? "" : "; waiting: " + String.join(", ", waiting),
                inTheWay().map(it -> "; " + it).orElse(""));
    if (!isRolledBack()) {
      return isUnderWay() ? Optional.of(order) : Optional.empty();
    }
    return Optional.of(
        "the configuration that spec.template asks for was rolled back (%s): correct it, or take it out%s"
            .formatted(record.rolledBack(), waiting.isEmpty() ? "" : "; " + order));
  }

  private Optional<String> inTheWay() {
    return members.stream()
        .filter(it -> isGiven(it.name()) && isWaitedFor(it))
        .findFirst()
        .map(it -> inTheWay(it.view()))
        .or(
            () ->
                Optional.of(
                        snapshot.pausesRollouts()
                            ? "seid is restarted for it, and rollouts are paused"
                            : "seid is restarted for it once the rollout is complete")
                    .filter(it -> restarts && isKeptByRollout()))
        .or(() -> restarts ? disruptions.obstacle(Disruption.CONFIGURATION) : Optional.empty());
  }

  private static String inTheWay(FleetNode node) {
    if (node.stall() != null) {
      return "on hold: %s: %s".formatted(node.name(), node.stallMessage());
    }
    return node.upToDate()
        ? "%s has it and is to be Ready first".formatted(node.name())
        : "%s applies it".formatted(node.name());
  }

  /**
   * The record to be persisted before the next node is given the configuration. Of use only where
   * every node's spec is known to be as the record says. A fleet without a record is new, or the Go
   * operator made it, which gave every node everything at once.
   */
  public FleetConfiguration next() {
    if (record == null) {
      return recording(null, null, null);
    }
    Optional<Member> awaited = awaited();
    String last = awaited.map(Member::name).orElse(null);
    if (isCurrent() && record.nodes() == null && waiting().allMatch(this::has)) {
      return new FleetConfiguration(hash, record.templateHash(), null, last, record.rolledBack());
    }
    Optional<FleetNode> failed = failed().filter(it -> !deadline(it).isAfter(snapshot.now()));
    if (failed.isPresent()) {
      String why = "%s: %s".formatted(failed.get().name(), failed.get().stall());
      return recording(List.of(), last, why);
    }
    Set<String> given = new TreeSet<>(isOfTemplate() ? record.nodes() : List.of());
    waiting().filter(this::has).map(Member::name).forEach(given::add);
    List<Member> open = waiting().filter(it -> !given.contains(it.name())).sorted(turn()).toList();
    boolean isStopped =
        members.stream().filter(it -> given.contains(it.name())).anyMatch(this::isWaitedFor);
    Optional<Member> next = open.stream().findFirst().filter(it -> !isStopped && mayBeGiven(it));
    next.map(Member::name).ifPresent(given::add);
    if (!isStopped) {
      // Nothing runs that could refuse it.
      open.stream().filter(it -> it.view().paused()).map(Member::name).forEach(given::add);
    }
    boolean all = open.stream().map(Member::name).allMatch(given::contains);
    return recording(
        all ? null : List.copyOf(given),
        next.filter(it -> isMissed(it)).or(() -> awaited).map(Member::name).orElse(null),
        isCurrent() ? record.rolledBack() : null);
  }

  /** Whether nodes are given the earlier configuration again, as they stalled on this one. */
  public boolean isRolledBack() {
    return isCurrent() && record.rolledBack() != null;
  }

  /** What a node has that was not given what is asked for. */
  private Optional<NodeConfiguration> earlier() {
    return members.stream().map(it -> its(it, asked)).filter(it -> !it.equals(asked)).findFirst();
  }

  /** The node for which the configuration is rolled back once it has been stalled for too long. */
  private Optional<FleetNode> failed() {
    boolean mayRollBack =
        snapshot.limits().onStall() == OnStall.ROLLBACK
            && isOfTemplate()
            && record.nodes() != null
            && record.rolledBack() == null
            && earlier().isPresent();
    return members.stream()
        .filter(it -> mayRollBack && isGiven(it.name()) && has(it) && isWaitedFor(it))
        .map(Member::view)
        .filter(it -> isOfConfiguration(it))
        .findFirst();
  }

  /**
   * What a node is stalled on that had been down before says nothing, unless the sidecar says it.
   */
  private boolean isOfConfiguration(FleetNode node) {
    return REFUSALS.stream().anyMatch(it -> it.is(node.stall()))
        || (node.name().equals(record.awaited())
            && node.stall() != null
            && StallReason.named(node.stall()).mayBeOfConfiguration());
  }

  private Instant deadline(FleetNode node) {
    Instant since = node.stalledSince();
    boolean isKnown = since != null && !since.isAfter(snapshot.now());
    return (isKnown ? since : snapshot.now()).plus(snapshot.limits().progressDeadline());
  }

  /**
   * Whether the next record gives nodes another configuration than they have by the present one.
   */
  public boolean givesMore(FleetConfiguration next) {
    return record == null || !next.equals(record.withAwaited(next.awaited()));
  }

  /** Whether the next record takes down a node that is Ready as far as is known. */
  public boolean admits(FleetConfiguration next) {
    return next.awaited() != null && (record == null || !next.equals(record));
  }

  /**
   * How long until a node has been Ready, or stalled, for long enough; empty if that is not what is
   * awaited.
   */
  public Optional<Duration> recheck() {
    return awaited()
        .map(Member::view)
        .filter(it -> it.upToDate() && it.isReady())
        .map(node -> snapshot.limits().confirmedAt(node, snapshot.now()))
        .or(() -> failed().map(this::deadline))
        .map(it -> Duration.between(snapshot.now(), it))
        .filter(Duration::isPositive);
  }

  /** Nodes of the template in force that were not given the configuration. */
  private Stream<Member> waiting() {
    return members.stream()
        .filter(it -> !it.node().isMarkedForDeletion())
        .filter(node -> !node.view().unreadable())
        .filter(it -> it.view().isOn(snapshot.templateHash()))
        .filter(it -> !isGiven(it.name()));
  }

  private boolean isGiven(String node) {
    return record == null
        || (isOfTemplate() && (record.nodes() == null || record.nodes().contains(node)));
  }

  private boolean isCurrent() {
    return record != null && hash.equals(record.hash());
  }

  /**
   * A node that comes back to the template it had is not among those that were given everything.
   */
  private boolean isOfTemplate() {
    return isCurrent() && snapshot.templateHash().equals(record.templateHash());
  }

  private FleetConfiguration recording(List<String> nodes, String awaited, String rolledBack) {
    return new FleetConfiguration(hash, snapshot.templateHash(), nodes, awaited, rolledBack);
  }

  /** A node that is made meanwhile, or rolled, has it from the beginning. */
  private boolean has(Member member) {
    return its(member).equals(wanted);
  }

  /** A node keeps an address of its own where the template has none for all. */
  private NodeConfiguration its(Member member) {
    return its(member, wanted);
  }

  private static NodeConfiguration its(Member member, NodeConfiguration of) {
    NodeConfiguration its = NodeConfiguration.of(member.node().getSpec());
    return of.externalAddress() == null ? its.withoutAddress() : its;
  }

  /** Nodes that have trouble first, as it may be what helps them; then the highest ordinal. */
  private Comparator<Member> turn() {
    return Comparator.comparing((Member it) -> it.view().paused())
        .thenComparing(it -> !isAwaited(it))
        .thenComparing(it -> it.view().upToDate())
        .thenComparing(it -> restarts && it.view().isReady())
        .thenComparing(it -> it.view().ordinal(), Comparator.reverseOrder());
  }

  /** One that is not Ready cannot be missed more, and it may be what it needs. */
  private boolean mayBeGiven(Member member) {
    return !restarts
        || member.view().paused()
        || !member.view().isReady()
        || (!isKeptByRollout() && (isAwaited(member) || !isBudgetUsedUp()));
  }

  private boolean isKeptByRollout() {
    return snapshot.pausesRollouts() || disruptions.isMakingProgress(Disruption.ROLLOUT);
  }

  private boolean isBudgetUsedUp() {
    return disruptions.obstacle(Disruption.CONFIGURATION).isPresent();
  }

  /** The record still has the awaited node in the pass in which that is found to be done. */
  private FleetView withoutDone(FleetView view) {
    return record == null || record.awaited() == null || awaited().isPresent()
        ? view
        : view.withStored(view.stored().withConfiguration(record.withAwaited(null)));
  }

  /** Nodes that were given the configuration and have yet to show that seid runs with it. */
  List<FleetNode> inFlight() {
    if (!restarts || record == null) {
      return List.of();
    }
    Optional<Member> awaited = awaited();
    return members.stream()
        .filter(
            member ->
                awaited.filter(member::equals).isPresent()
                    || record.nodes() != null && isGiven(member.name()) && isWaitedFor(member))
        .map(Member::view)
        .toList();
  }

  /** Whether it is to be Ready again before the next one, once it was given the configuration. */
  private boolean isMissed(Member member) {
    return restarts && !member.view().paused() && (member.view().isReady() || isAwaited(member));
  }

  private boolean isAwaited(Member member) {
    return isAwaited(member.view());
  }

  private boolean isAwaited(FleetNode node) {
    return record != null && node.name().equals(record.awaited());
  }

  /** The node that was Ready when it was given a configuration, and has yet to be so again. */
  private Optional<Member> awaited() {
    return members.stream()
        .filter(this::isAwaited)
        .filter(it -> !it.view().paused() && !it.view().terminating() && !isBack(it))
        .findFirst();
  }

  private boolean isBack(Member member) {
    FleetNode node = member.view();
    // On an earlier template only the rollout gives a node its configuration, and the rollout
    // waits.
    boolean isSettled = has(member) || !node.isOn(snapshot.templateHash());
    return isSettled
        && node.upToDate()
        && isObserved(member.node())
        && snapshot.limits().isConfirmed(node, snapshot.now());
  }

  /** Whether a node has yet to show that its sidecar, and seid, take what it was given. */
  private boolean isWaitedFor(Member member) {
    FleetNode node = member.view();
    if (awaited().filter(member::equals).isPresent()) {
      return true;
    }
    if (node.upToDate()
        || node.unreadable()
        || node.paused()
        || node.terminating()
        || node.phase() != NodePhase.RUNNING) {
      return false;
    }
    boolean isBusy = node.isReady() || member.node().getStatus().plan() != null;
    return !isObserved(member.node())
        || REFUSALS.stream().anyMatch(it -> it.is(node.stall()))
        || (node.stall() == null && isBusy);
  }

  private static boolean isObserved(SeiNode node) {
    return Objects.equals(
        node.getStatus().observedGeneration(), node.getMetadata().getGeneration());
  }
}
