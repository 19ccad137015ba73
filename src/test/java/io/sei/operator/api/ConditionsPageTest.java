package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeTaskConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.GoldenLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionsPageTest {

  private static final String TEXT = ConditionsPage.text();
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| \\S.* \\|$");
  private static final Pattern DECIDED =
      Pattern.compile("(?m)(?<=^ {4})[A-Z]\\w+=(?:True|False|Unknown)/\\w+(?= since )");
  private static final Pattern REFERENCE =
      Pattern.compile("reason of (\\w+(?:(?:, | or |, or a reason of )\\w+)*)");
  private static final Pattern WORD = Pattern.compile("\\w+");

  private static final Set<String> NODE_TYPES =
      Stream.of(NodeConditionType.values()).map(Object::toString).collect(Collectors.toSet());

  /** Reasons with which a condition is simply True, of tasks of a plan, and of a printed column. */
  private static final Set<String> UNLISTED =
      Set.of(
          "AllNodesReady",
          "Complete",
          "ExporterStarted",
          "GenesisInstalled",
          "LocalDisk",
          "MinimumNodesAvailable",
          "Modified",
          "NoExporter",
          "NodeKeyValidated",
          "OperatorKeyringValidated",
          "PVCValidated",
          "PlanStarted",
          "PodReady",
          "PodStarting",
          "Resized",
          "Restored",
          "SetByHand",
          "SigningKeyValidated",
          "Tracked",
          "UpdateStarted");

  @Test
  void committedPageIsUpToDate() {
    GoldenLines.compare(ConditionsPage.FILE, TEXT, "run 'make docs' and commit the result");
  }

  @Test
  void everyConditionIsDescribed() {
    List<String> all =
        Stream.of(
                NodeConditionType.values(),
                FleetConditionType.values(),
                NodeTaskConditionType.values())
            .flatMap(Arrays::stream)
            .map(Object::toString)
            .toList();

    assertThat(ROW.matcher(TEXT).results().map(row -> row.group(1))).containsExactlyElementsOf(all);
  }

  @ParameterizedTest
  @CsvSource({"nodes-decisions.txt, SeiNode", "fleets-decisions.txt, SeiNodeDeployment"})
  void everyDecidedReasonIsListedUnderItsStatus(String corpus, String kind) throws IOException {
    String decisions = Files.readString(Path.of("src", "test", "resources", "corpus", corpus));

    assertThat(DECIDED.matcher(decisions).results().map(MatchResult::group).distinct())
        .isNotEmpty()
        .filteredOn(decided -> !isListed(kind, decided))
        .isEmpty();
  }

  @Test
  void everyReasonIsListed() {
    assertThat(
            Stream.of(NodeReason.values(), FleetReason.values())
                .flatMap(Arrays::stream)
                .map(Object::toString))
        .filteredOn(reason -> !hasWord(TEXT, reason))
        .containsExactlyInAnyOrderElementsOf(UNLISTED);
  }

  private static boolean isListed(String kind, String decided) {
    String[] parts = decided.split("[=/]");
    String row = row(kind, parts[0]);
    String reason = parts[2];
    return switch (parts[1]) {
      // That a condition is True for no other reason than its own meaning need not be listed.
      case "True" -> hasWord(meaning(row), reason) || !hasWord(reasons(row), reason);
      case "False" -> isFalseWith(row, reason);
      default -> hasWord(unknown(row), reason);
    };
  }

  /** Returns whether a row lists a reason, or names the conditions whose reasons it also has. */
  private static boolean isFalseWith(String row, String reason) {
    return hasWord(reasons(row), reason)
        || REFERENCE
            .matcher(row)
            .results()
            .flatMap(reference -> WORD.matcher(reference.group(1)).results())
            .map(MatchResult::group)
            .anyMatch(type -> isReasonOf(type, reason));
  }

  private static boolean isReasonOf(String type, String reason) {
    if (type.equals("Stalled")) {
      return Stream.of(StallReason.values()).anyMatch(stall -> stall.toString().equals(reason));
    }
    return NODE_TYPES.contains(type) && isFalseWith(row("SeiNode", type), reason);
  }

  private static String row(String kind, String type) {
    String section = TEXT.split("\n## " + kind + "\n")[1].split("\n## ")[0];
    return section.split("\n\\| `" + type + "` \\| ")[1].split("\n")[0].replace("`", "");
  }

  private static String meaning(String row) {
    return row.split("Else |Unknown with ")[0];
  }

  private static String reasons(String row) {
    String[] parts = row.split("Else ");
    return parts.length == 1 ? "" : parts[1].split("Unknown with |; set ")[0];
  }

  private static String unknown(String row) {
    String[] parts = row.split("Unknown with ");
    return parts.length == 1 ? "" : parts[1].split("; set ")[0];
  }

  private static boolean hasWord(String text, String word) {
    return WORD.matcher(text).results().anyMatch(found -> found.group().equals(word));
  }
}
