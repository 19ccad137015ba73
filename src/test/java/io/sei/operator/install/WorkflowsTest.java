package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The public build trusts no moving name, and may write nothing by default. */
class WorkflowsTest {

  private static final Path DIRECTORY = Path.of(".github", "workflows");

  private static final Pattern PROGRAMS_THAT_BUILD =
      Pattern.compile("\\b(make|mvn|go|pip|npm)\\b|hack/|\\.ci/|docker (buildx )?build");

  static List<Path> workflows() throws IOException {
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void actionsArePinnedByDigest(Path workflow) throws IOException {
    assertThat(Files.readAllLines(workflow))
        .filteredOn(line -> line.contains("uses:"))
        .isNotEmpty()
        .allMatch(line -> line.matches(".*uses: [\\w-]+(/[\\w-]+)+@[0-9a-f]{40} # v[0-9.]+"));
  }

  @ParameterizedTest
  @MethodSource("workflows")
  void tokenReadsUnlessAJobSaysOtherwise(Path workflow) throws IOException {
    JsonNode permissions = new YAMLMapper().readTree(workflow.toFile()).get("permissions");

    assertThat(permissions).hasToString("{\"contents\":\"read\"}");
  }

  /**
   * A person who pushes a tag or opens a pull request chooses the names in an event, so no script
   * may run them.
   */
  @ParameterizedTest
  @MethodSource("workflows")
  void scriptsTakeNothingFromTheEventButByTheirEnvironment(Path workflow) throws IOException {
    assertThat(new YAMLMapper().readTree(workflow.toFile()).findValuesAsText("run"))
        .isNotEmpty()
        .noneMatch(script -> script.contains("${{"));
  }

  /** Jobs with rights could sign as this repository whatever they run. */
  @ParameterizedTest
  @MethodSource("workflows")
  void jobWithRightsRunsNothingOfTheRepositoryAndIsApproved(Path workflow) throws IOException {
    for (JsonNode job : new YAMLMapper().readTree(workflow.toFile()).get("jobs")) {
      if (!job.path("permissions").toString().contains("write")) {
        continue;
      }
      assertThat(job.path("environment").asText()).isNotEmpty();
      assertThat(job.findValuesAsText("uses"))
          .noneMatch(action -> action.startsWith("actions/checkout"))
          .noneMatch(action -> action.startsWith("actions/setup-"))
          .noneMatch(action -> action.startsWith("./"));
      assertThat(job.findValuesAsText("run"))
          .allSatisfy(script -> assertThat(PROGRAMS_THAT_BUILD.matcher(script).find()).isFalse());
    }
  }

  /** The shell's -e does not end a step at a negated command, whatever it finds. */
  @ParameterizedTest
  @MethodSource("workflows")
  void noStepReliesOnANegatedCommandToEnd(Path workflow) throws IOException {
    assertThat(new YAMLMapper().readTree(workflow.toFile()).findValuesAsText("run"))
        .flatMap(script -> script.lines().map(String::strip).toList())
        .noneMatch(line -> line.startsWith("! "));
  }

  @Test
  void releaseIsPublishedAsItWasBuiltWithBothSboms() throws IOException {
    JsonNode release = new YAMLMapper().readTree(DIRECTORY.resolve("release.yml").toFile());
    String publish = String.join("\n", release.at("/jobs/publish").findValuesAsText("run"));

    assertThat(release.at("/jobs/build").has("permissions")).isFalse();
    assertThat(release.at("/jobs/publish/needs").asText()).isEqualTo("build");
    assertThat(publish)
        .contains("sha256sum --check --strict <<<\"$SUMS\"")
        .contains("for sbom in sbom.json image-sbom.json")
        .contains("cosign attest --yes --type cyclonedx --predicate \"dist/$sbom\"")
        .contains("cosign sign --yes \"$IMAGE@$DIGEST\"");
  }

  @Test
  void baseImagesArePinnedByDigest() throws IOException {
    assertThat(Files.readAllLines(Path.of("Dockerfile")))
        .noneMatch(line -> line.startsWith("# syntax="))
        .filteredOn(line -> line.startsWith("FROM "))
        .hasSize(3)
        .allMatch(line -> line.matches("FROM [^ ]+:[^ ]+@sha256:[0-9a-f]{64}( AS [a-z-]+)?"));
  }

  /** Pinned versions get no fixes until they are changed. */
  @Test
  void newerVersionsOfWhatIsPinnedAreProposed() throws IOException {
    JsonNode updates =
        new YAMLMapper().readTree(Path.of(".github", "dependabot.yml").toFile()).get("updates");

    assertThat(updates.findValuesAsText("package-ecosystem"))
        .containsExactlyInAnyOrder("docker", "github-actions", "gomod", "pip");
  }

  @Test
  void downloadsThatAreNotWhatWasPublishedFailTheBuild() throws IOException {
    assertThat(Files.readAllLines(Path.of(".mvn", "maven.config"))).contains("-C");
    assertThat(Files.readString(Path.of("Makefile")))
        .contains("--require-hashes -r hack/site/requirements.txt");
    assertThat(Files.readAllLines(Path.of("hack", "site", "requirements.in")))
        .allSatisfy(
            requirement ->
                assertThat(Path.of("hack", "site", "requirements.txt"))
                    .content()
                    .contains("\n" + requirement + " \\\n    --hash=sha256:"));
  }

  /** A vulnerability becomes known on a day on which nothing is changed. */
  @Test
  void dependenciesAreAuditedEveryDay() throws IOException {
    JsonNode audit = new YAMLMapper().readTree(DIRECTORY.resolve("audit.yml").toFile());

    assertThat(audit.at("/on/schedule/0/cron").asText()).matches("\\d+ \\d+ \\* \\* \\*");
    assertThat(audit.findValuesAsText("run")).anyMatch(script -> script.contains("sbom.json"));
    assertThat(audit.at("/jobs/base-image").findValuesAsText("image")).isNotEmpty();
  }

  @Test
  void everyTestIsRun() throws IOException {
    JsonNode targets =
        new YAMLMapper()
            .readTree(DIRECTORY.resolve("build.yml").toFile())
            .at("/jobs/test/strategy/matrix/target");

    assertThat(targets).extracting(JsonNode::asText).contains("lint", "test", "test-long");
  }

  /** The oldest that the code is compiled for, which is also the one in the image. */
  @ParameterizedTest
  @MethodSource("workflows")
  void javaIsTheOneThatIsPromised(Path workflow) throws IOException {
    assertThat(Files.readString(Path.of("src", "pom.xml")))
        .contains("<maven.compiler.release>25</maven.compiler.release>");
    assertThat(new YAMLMapper().readTree(workflow.toFile()).findValuesAsText("java-version"))
        .isNotEmpty()
        .containsOnly("25");
    assertThat(Files.readString(Path.of("Dockerfile")))
        .contains("FROM maven:3.9-eclipse-temurin-25");
  }
}
