package io.sei.operator.testkit;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go reads them. Days are no unit: {@code 14d} is the usual mistake. */
final class GoDuration {

  private static final Pattern VALID =
      Pattern.compile("[-+]?(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)");
  private static final Pattern NUMBER_AND_UNIT =
      Pattern.compile("[-+]?([0-9.]+(ns|us|µs|ms|s|m|h))*[0-9.]+([^0-9.]*).*");

  private GoDuration() {}

  /** A duration of whole seconds as Go writes it. */
  static String of(Duration duration) {
    String hours = duration.toHours() > 0 ? duration.toHours() + "h" : "";
    String minutes = duration.toMinutes() > 0 ? duration.toMinutesPart() + "m" : "";
    return hours + minutes + duration.toSecondsPart() + "s";
  }

  /** Returns Go's error for a text that is no duration; empty if it is one. */
  static Optional<String> error(String text) {
    if (VALID.matcher(text).matches()) {
      return Optional.empty();
    }
    Matcher known = NUMBER_AND_UNIT.matcher(text);
    String reason = "invalid ";
    if (known.matches()) {
      String unit = known.group(3);
      reason = unit.isEmpty() ? "missing unit in " : "unknown unit \"" + unit + "\" in ";
    }
    return Optional.of("time: %sduration \"%s\"".formatted(reason, text));
  }
}
