package io.sei.operator.demo;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.ConditionType;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.time.Duration;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * One thing that happens to a node or a fleet, and how it is to end.
 *
 * @param name for the summary
 * @param story what happens, in one sentence
 * @param action makes it happen
 * @param end whether it has ended well
 * @param limit how long that may take
 * @param encore shows what came of it
 */
record Scene(
    String name,
    String story,
    Consumer<Stage> action,
    BiPredicate<Stage, LiveView> end,
    Duration limit,
    Consumer<Stage> encore) {

  /** A scene after which nothing more is shown. */
  Scene(
      String name,
      String story,
      Consumer<Stage> action,
      BiPredicate<Stage, LiveView> end,
      Duration limit) {
    this(name, story, action, end, limit, stage -> {});
  }

  /** Holds once the node of a name has been seen to be so. */
  static BiPredicate<Stage, LiveView> node(String name, Predicate<SeiNode> is) {
    return (stage, view) -> view.node(name).filter(is).isPresent();
  }

  /** Holds once the fleet of a name has been seen to be so. */
  static BiPredicate<Stage, LiveView> fleet(String name, Predicate<SeiNodeDeployment> is) {
    return (stage, view) -> view.fleet(name).filter(is).isPresent();
  }

  /** Returns whether a condition that was computed from the object's present spec is so. */
  static boolean says(
      HasMetadata object,
      List<Condition> conditions,
      ConditionType type,
      boolean isTrue,
      String reason) {
    return Conditions.find(conditions, type)
        .filter(condition -> condition.status() == ConditionStatus.of(isTrue))
        .filter(condition -> condition.reason().equals(reason))
        .map(Condition::observedGeneration)
        .filter(object.getMetadata().getGeneration()::equals)
        .isPresent();
  }
}
