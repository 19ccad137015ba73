package io.sei.operator.api.v1alpha1;

import java.util.List;
import java.util.Optional;

/** Status of a resource that has conditions. */
public interface HasConditions {

  /** All conditions; null if none was set yet. */
  List<Condition> conditions();

  /** The condition of a type. */
  default Optional<Condition> condition(ConditionType type) {
    return Conditions.find(conditions(), type);
  }

  /** Returns whether the condition of a type is there and True. */
  default boolean isTrue(ConditionType type) {
    return Conditions.isTrue(conditions(), type);
  }
}
