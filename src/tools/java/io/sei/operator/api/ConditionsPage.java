package io.sei.operator.api;

import static io.sei.operator.docs.Markdown.cell;
import static io.sei.operator.docs.Markdown.code;
import static io.sei.operator.docs.Markdown.read;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.CauseOfDeath;
import io.sei.operator.docs.Markdown;
import io.sei.operator.testkit.samples.SeidDeaths;
import io.sei.operator.testkit.samples.SeidDeaths.Death;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes {@code docs/conditions.md}: every condition with the comment on its type. */
public final class ConditionsPage {

  static final Path FILE = Path.of("docs", "conditions.md");

  private static final Path TYPES =
      Path.of("src", "main", "java", "io", "sei", "operator", "api", "v1alpha1");

  /** A constant with its comment and the name that it has in Kubernetes. */
  private static final String CONSTANT = "/\\*\\*((?:(?!\\*/).)*)\\*/\\s+[A-Z_]+\\(\"(\\w+)\"";

  private static final Pattern TYPE = Pattern.compile(CONSTANT + "\\)", Pattern.DOTALL);
  private static final Pattern CAUSE = Pattern.compile(CONSTANT + ", Origin", Pattern.DOTALL);
  private static final Pattern STARS = Pattern.compile("\\s*\n\\s*\\*?\\s*");

  /** Reasons, kinds and the like: words of which each begins a capital. */
  private static final Pattern NAME =
      Pattern.compile("\\b[A-Z]+[a-z]+(?:[A-Z][A-Za-z0-9]*)+\\b|\\bspec(?:\\.[a-zA-Z]+)+");

  private static final String HEAD =
      """
      <!-- Generated from the types of conditions by 'make docs'; do not edit. -->
      # Conditions

      What `True` means for each condition, and its reasons. "Else" begins the reasons with which the condition is
      `False`. How to read them: [What a node says](concepts.md#what-a-node-says).
      """;

  private static final String STALLS =
      """

      ## Reasons of Stalled

      What can be responsible, and whether a fleet with `onStall: Rollback` that is in a rollout goes back to the
      previous template for it. `unknown` is rolled back only once the pod's volumes are mounted, its images pulled
      and its containers started; until then the reason is `PodNotStarted`, or `NodeLost` where the machine is
      NotReady. A [configuration](fleets.md#a-new-configuration) without another template is rolled back if the sidecar
      refuses it, and otherwise only for %s.

      | Reason | Meaning | Responsible | Rolled back |
      |---|---|---|---|
      """;

  private static final String LINES =
      """

      ## Lines that tell what seid died of

      An example of each kind, as the last line of a run. *Seen*: v6.4.4, v6.5.2 or v6.6.2, or the start script of
      the pod, printed it in a test. *Reported*: users of this chain, or of its libraries, have published it. *Never
      seen*: it is known only from the source. For any other line the reason is `CrashLoop`, and the message quotes
      the line.

      | Reason | Line | Known |
      |---|---|---|
      """;

  private static final int MAX_LINE = 110;

  private ConditionsPage() {}

  /** Writes the page. */
  public static void main(String[] arguments) throws IOException {
    Files.writeString(FILE, text());
  }

  /** Returns the text of the page. */
  static String text() {
    return HEAD
        + section("SeiNode", "NodeConditionType")
        + section("SeiNodeDeployment", "FleetConditionType")
        + section("SeiNodeTask", "NodeTaskConditionType")
        + stallReasons()
        + LINES
        + SeidDeaths.causes().map(ConditionsPage::line).collect(Collectors.joining());
  }

  private static String line(Death death) {
    String line = death.line();
    String shown = line.length() > MAX_LINE ? line.substring(0, MAX_LINE) + " ..." : line;
    String known =
        switch (CauseOfDeath.proofOf(line).orElseThrow()) {
          case SEEN -> "seen";
          case REPORTED -> "reported";
          case IN_SOURCE -> "never seen";
        };
    return Markdown.row(runbook(death.reason()), code(cell(shown)), known);
  }

  private static String stallReasons() {
    var rows = new StringBuilder();
    CAUSE
        .matcher(read(TYPES.resolve("StallReason.java")))
        .results()
        .forEach(cause -> rows.append(stallReason(cause)));
    return STALLS.formatted(ofConfiguration()) + rows;
  }

  private static String ofConfiguration() {
    return Stream.of(StallReason.values())
        .filter(StallReason::mayBeOfConfiguration)
        .map(reason -> code(reason.toString()))
        .collect(Collectors.joining(", "));
  }

  private static String stallReason(MatchResult cause) {
    var reason = StallReason.named(cause.group(2));
    return Markdown.row(
        runbook(reason),
        comment(cause),
        reason.origin().name().toLowerCase(Locale.ROOT),
        reason.mayRollbackHelp() ? "yes" : "no");
  }

  private static String runbook(StallReason reason) {
    return "[%1$s](runbooks/%1$s.md)".formatted(reason);
  }

  private static String section(String kind, String types) {
    List<String> rows =
        TYPE.matcher(read(TYPES.resolve(types + ".java")))
            .results()
            .map(ConditionsPage::row)
            .toList();
    return "\n## %s\n\n| Condition | What True means |\n|---|---|\n".formatted(kind)
        + String.join("", rows);
  }

  private static String row(MatchResult type) {
    String marked = NAME.matcher(comment(type)).replaceAll(name -> code(name.group()));
    return Markdown.row(code(type.group(2)), marked);
  }

  /** The text of the comment on a constant. */
  private static String comment(MatchResult constant) {
    return STARS.matcher(constant.group(1)).replaceAll(" ").strip();
  }
}
