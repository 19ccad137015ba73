package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** There is a page for whatever can go wrong, and it says what to do. */
class RunbooksTest {

  private static final Path DIRECTORY = Path.of("docs", "runbooks");
  private static final Path INDEX = DIRECTORY.resolve("README.md");
  private static final Pattern LINK = Pattern.compile("]\\(([^)]+)\\)");

  /**
   * Title, the problem, three answers, and the two parts, which may have parts of their own. The
   * first command is the same whatever the alert.
   */
  private static final Pattern SHAPE =
      Pattern.compile(
          """
          # [^\n]+

          (?!\\|)\\S.+?

          \\| \\| \\|
          \\|---\\|---\\|
          \\| Impact \\| [^|\n]+ \\|
          \\| Urgency \\| (?:Act now|Within the hour|Within the day|In working hours)\\b[^|\n]+ \\|
          \\| Data at risk \\| (?:No\\b|Yes: |Only if )[^|\n]* \\|

          ## Diagnosis

          ```
          kubectl sei why (?:(?!\n## ).)+

          ## Fix

          (?:(?!\n## ).)+\
          """,
          Pattern.DOTALL);

  static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      return files.filter(file -> !file.equals(INDEX)).sorted().toList();
    }
  }

  @Test
  void everyAlertAndEveryReasonHasAPageAndNoPageIsOrphaned() throws IOException {
    Set<String> needed = new TreeSet<>();
    Stream.of(StallReason.values()).map(StallReason::toString).forEach(needed::add);
    // Other reasons that a person has to act on.
    needed.add(NodeReason.RESTART_BACK_OFF.toString());
    needed.add(NodeReason.TAKEOVER_NOT_ENABLED.toString());
    needed.add(NodeReason.EXPORTER_WITHOUT_GRPC.toString());
    MonitoringFiles.alerts().stream()
        .map(alert -> alert.annotations().path("runbook_url").asText())
        .map(page -> Path.of(page).getFileName().toString().replace(".md", ""))
        .forEach(needed::add);

    assertThat(pages())
        .extracting(page -> page.getFileName().toString().replace(".md", ""))
        .containsExactlyInAnyOrderElementsOf(needed);
  }

  /** Alerts that are mended in the same way share a page, which names each, or that of a reason. */
  @Test
  void everyAlertLinksToAPageThatNamesIt() {
    assertThat(MonitoringFiles.alerts())
        .allSatisfy(
            alert -> {
              Path page = Path.of(alert.annotations().path("runbook_url").asText());
              assertThat(page).hasParent(DIRECTORY).exists();
              assertThat(page).content().contains(alert.name());
            });
  }

  @Test
  void indexListsEveryPage() throws IOException {
    assertThat(links(INDEX)).containsExactlyInAnyOrderElementsOf(pages());
  }

  @ParameterizedTest
  @MethodSource("pages")
  void pageSaysImpactUrgencyAndDataAtRiskBeforeDiagnosisAndFix(Path page) {
    assertThat(page).content().matches(SHAPE);
  }

  @ParameterizedTest
  @EnumSource(StallReason.class)
  void pageOfAReasonHasItsName(StallReason reason) {
    assertThat(DIRECTORY.resolve(reason + ".md")).content().startsWith("# " + reason + "\n");
  }

  private static Set<Path> links(Path page) throws IOException {
    return LINK.matcher(Files.readString(page))
        .results()
        .map((MatchResult link) -> page.getParent().resolve(link.group(1)).normalize())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
