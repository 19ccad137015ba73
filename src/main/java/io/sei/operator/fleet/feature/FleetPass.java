package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.OwnedObjects.Outcome.Foreign;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Pass;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * One pass of a fleet: its view, the outcome of acting on it, and the record of the rollout.
 * Package {@code fleet} derives from it what a user reads.
 */
public final class FleetPass extends Pass<SeiNodeDeploymentStatus> {

  private final FleetView view;
  private final UnaryOperator<FleetView> reader;
  private Optional<FleetView> live = Optional.empty();
  private final Map<String, Disruption> taken = new HashMap<>();
  private Optional<RolloutVerdict> verdict = Optional.empty();
  private Optional<TaskPlan> plan = Optional.empty();
  private final List<Foreign> conflicts = new ArrayList<>();
  private final Map<Class<?>, Object> notes = new HashMap<>();
  private final Map<FleetConditionType, ConditionProposal> proposals =
      new EnumMap<>(FleetConditionType.class);
  private Optional<String> configuring = Optional.empty();
  private Optional<String> rolledBackConfiguration = Optional.empty();
  private Assigned assigned = Assigned.NOT_LOOKED_AT;

  /**
   * A pass that begins with a view.
   *
   * @param reader reads the pods of nodes that are Ready as far as is known
   */
  public FleetPass(FleetView view, UnaryOperator<FleetView> reader) {
    super(view.stored(), view.stored().stalledSince());
    this.view = view;
    this.reader = reader;
  }

  public FleetView view() {
    return view;
  }

  /**
   * Decides by the stored status and by what this pass has taken down. A decision that takes a node
   * down is made once more with the pods read live, since a node that the watches do not report as
   * down yet counts.
   */
  public <T> T decide(Function<FleetView, T> decision, Predicate<T> takesDown) {
    T decided = decision.apply(withTaken(live.orElse(view)));
    if (live.isPresent() || !takesDown.test(decided)) {
      return decided;
    }
    live = Optional.of(reader.apply(view));
    if (!live.get().leaving().isEmpty()) {
      // No watch reports the end of a cordon or of maintenance.
      recheckAfter(Recheck.CONFLICT);
    }
    return decision.apply(withTaken(live.get()));
  }

  /** Counts nodes as taken down in this pass, of which the view has no record yet. */
  public void countAsTakenDown(Disruption disruption, List<FleetNode> nodes) {
    nodes.forEach(node -> taken.put(node.name(), disruption));
  }

  private FleetView withTaken(FleetView observed) {
    return taken.isEmpty() ? observed : observed.withTaken(Map.copyOf(taken));
  }

  public SeiNodeDeployment deployment() {
    return view.deployment();
  }

  @Override
  public Instant now() {
    return view.now();
  }

  /** Reports what the rollout may do, and its plan, also one that ends with this reconcile. */
  public void judged(RolloutVerdict judgement, TaskPlan advanced) {
    verdict = Optional.of(judgement);
    plan = Optional.of(advanced);
    judgement.recheck().ifPresent(this::recheckAfter);
  }

  /** Verdict on the rollout; empty without one. */
  public Optional<RolloutVerdict> verdict() {
    return verdict;
  }

  @Override
  public TaskPlan plan() {
    return plan.orElse(draft().plan());
  }

  /** Records how far the nodes' specs are as their template. */
  public void assigned(Assigned found) {
    assigned = found;
  }

  /** Returns how far the nodes' specs match their template. */
  public Assigned assigned() {
    return assigned;
  }

  /** Records an object of another owner that has a name of this fleet. */
  public void conflict(Foreign object) {
    conflicts.add(object);
  }

  /** Objects in the way, in the order they were found. */
  public List<Foreign> conflicts() {
    return List.copyOf(conflicts);
  }

  /** Keeps an observation of a feature for its report; one of each type. */
  public void note(Object found) {
    notes.put(found.getClass(), found);
  }

  /** The observation of a type; empty if there is none. */
  public <T> Optional<T> noted(Class<T> type) {
    return Optional.ofNullable(type.cast(notes.get(type)));
  }

  /** Offers a condition, which has one owner. One that is not offered stays as it is. */
  public void offer(FleetConditionType type, ConditionProposal proposal) {
    ConditionProposal other = proposals.put(type, proposal);
    assert other == null : type;
  }

  /** The conditions that were offered, in the order of their types. */
  public Map<FleetConditionType, ConditionProposal> proposals() {
    return proposals;
  }

  /** Reports how far a changed configuration is that the nodes are being given. */
  public void configuring(String progress) {
    configuring = Optional.of(progress);
  }

  /** Returns the progress of a changed configuration; empty if none is spread. */
  public Optional<String> configuring() {
    return configuring;
  }

  /** Reports which configuration of the template in force was rolled back, and why. */
  public void rolledBackConfiguration(String why) {
    rolledBackConfiguration = Optional.of(why);
  }

  /** The configuration of the template in force that was rolled back; empty if none was. */
  public Optional<String> rolledBackConfiguration() {
    return rolledBackConfiguration;
  }
}
