package io.sei.operator.observability;

import java.util.List;

/**
 * The answer to a probe.
 *
 * @param problems what is wrong, one line each; none means healthy
 * @param notes what else is worth saying, one line each
 */
public record HealthReport(List<String> problems, List<String> notes) {
  /** Keeps copies. */
  public HealthReport {
    problems = List.copyOf(problems);
    notes = List.copyOf(notes);
  }

  /** Returns the report of a healthy operator. */
  public static HealthReport ok() {
    return new HealthReport(List.of(), List.of());
  }

  /** Returns whether nothing is wrong. */
  public boolean healthy() {
    return problems.isEmpty();
  }

  /** Returns the report as text: verdict, problems, notes. */
  public String text() {
    var text = new StringBuilder(healthy() ? "ok\n" : "not ok\n");
    problems.forEach(problem -> text.append("- ").append(problem).append('\n'));
    notes.forEach(note -> text.append(note).append('\n'));
    return text.toString();
  }
}
