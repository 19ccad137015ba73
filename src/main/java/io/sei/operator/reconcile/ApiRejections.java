package io.sei.operator.reconcile;

import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.RefusedException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Collects what the API server rejected in one reconcile. A rejection ends the step that caused it
 * and no other step; any other failure is thrown.
 */
public final class ApiRejections {

  private final Set<String> messages = new LinkedHashSet<>();

  /**
   * Runs a step that may be refused.
   *
   * @return whether it was not
   */
  public boolean run(Runnable step) {
    return get(() -> {
          step.run();
          return true;
        })
        .isPresent();
  }

  /** Returns the result of a step; empty if it was refused. */
  public <T> Optional<T> get(Supplier<T> step) {
    try {
      return Optional.of(step.get());
    } catch (RefusedException e) {
      add(e);
      return Optional.empty();
    }
  }

  /** Notes a refusal, which is a finding by itself. */
  public Finding add(RefusedException refusal) {
    messages.add(refusal.getMessage());
    return Diagnosis.refused(refusal.getMessage());
  }

  /** All that was refused, in the order it was asked for; empty if nothing was. */
  public Optional<String> message() {
    return messages.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", messages));
  }

  /** Returns the refusal as the finding that keeps the resource from making progress. */
  public Optional<Finding> finding() {
    return message().map(Diagnosis::refused);
  }
}
