package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The public build trusts no name that somebody else can move, and may write nothing by default.
 */
class WorkflowsTest {

  private static final Path DIRECTORY = Path.of(".github", "workflows");

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

  /** What whoever pushes a tag or opens a pull request named would run. */
  @ParameterizedTest
  @MethodSource("workflows")
  void scriptsTakeNothingFromTheEventButByTheirEnvironment(Path workflow) throws IOException {
    assertThat(new YAMLMapper().readTree(workflow.toFile()).findValuesAsText("run"))
        .isNotEmpty()
        .noneMatch(script -> script.contains("${{"));
  }

  /** A vulnerability becomes known on a day on which nothing is changed. */
  @Test
  void dependenciesAreAuditedEveryDay() throws IOException {
    JsonNode audit = new YAMLMapper().readTree(DIRECTORY.resolve("audit.yml").toFile());

    assertThat(audit.at("/on/schedule/0/cron").asText()).matches("\\d+ \\d+ \\* \\* \\*");
    assertThat(audit.findValuesAsText("run")).anyMatch(script -> script.contains("sbom.json"));
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
    assertThat(Files.readString(Path.of("pom.xml")))
        .contains("<maven.compiler.release>25</maven.compiler.release>");
    assertThat(new YAMLMapper().readTree(workflow.toFile()).findValuesAsText("java-version"))
        .isNotEmpty()
        .containsOnly("25");
    assertThat(Files.readString(Path.of("Dockerfile")))
        .contains("FROM maven:3.9-eclipse-temurin-25");
  }
}
