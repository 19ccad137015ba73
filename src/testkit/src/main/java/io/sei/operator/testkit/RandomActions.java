package io.sei.operator.testkit;

import java.util.List;
import java.util.Random;

/**
 * Decides what happens next: chooses among weighted actions and carries out the one chosen. The
 * same seed chooses the same actions in the same order.
 */
public final class RandomActions {

  /**
   * Something that happens.
   *
   * @param weight how often it happens, beside the others; never if it is 0
   */
  public record Action(String name, int weight, Effect effect) {}

  /** Carries an action out, and returns what was chosen for it. */
  @FunctionalInterface
  public interface Effect {
    String on(Random random);
  }

  private final Random random;
  private final List<Action> actions;

  /** Chooses by these random numbers, which actions may use as well. */
  public RandomActions(Random random, List<Action> actions) {
    this.random = random;
    this.actions = List.copyOf(actions);
  }

  /** Carries out one action, and returns what happened. */
  public String next() {
    Action action = any();
    return action.name() + ": " + action.effect().on(random);
  }

  private Action any() {
    int left = random.nextInt(actions.stream().mapToInt(Action::weight).sum());
    for (Action action : actions) {
      left -= action.weight();
      if (left < 0) {
        return action;
      }
    }
    throw new IllegalStateException("the weights do not add up");
  }
}
