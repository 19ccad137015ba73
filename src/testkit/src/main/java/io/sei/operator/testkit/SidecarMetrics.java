package io.sei.operator.testkit;

import java.util.Map;
import java.util.TreeMap;

/** Counts of a sidecar's process: a family is there once it was used. */
final class SidecarMetrics {

  private static final String SUBMISSIONS = "seictl_task_submissions_total";
  private static final String FAILURES = "seictl_task_failures_total";
  private static final String DURATION = "seictl_task_execution_duration_seconds";

  private final Map<String, Integer> submissions = new TreeMap<>();
  private final Map<String, Integer> failures = new TreeMap<>();
  private final Map<String, Integer> ends = new TreeMap<>();

  void submitted(String type) {
    submissions.merge("{type=\"" + type + "\"}", 1, Integer::sum);
  }

  void ended(SidecarTask task) {
    if (SidecarTask.FAILED.equals(task.status())) {
      failures.merge("{type=\"" + task.type() + "\"}", 1, Integer::sum);
    }
    ends.merge(
        "{status=\"%s\",type=\"%s\"}".formatted(task.status(), task.type()), 1, Integer::sum);
  }

  String text() {
    var text = new StringBuilder();
    append(text, SUBMISSIONS, "counter", "", submissions);
    append(text, FAILURES, "counter", "", failures);
    append(text, DURATION, "histogram", "_count", ends);
    return text.toString();
  }

  private static void append(
      StringBuilder text, String family, String kind, String suffix, Map<String, Integer> values) {
    if (!values.isEmpty()) {
      text.append("# TYPE ").append(family).append(' ').append(kind).append('\n');
    }
    values.forEach(
        (labels, value) ->
            text.append(family)
                .append(suffix)
                .append(labels)
                .append(' ')
                .append(value)
                .append('\n'));
  }
}
