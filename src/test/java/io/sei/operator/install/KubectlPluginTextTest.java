package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.ReadOnlyApiServer;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Output of kubectl sei without a cluster, or for a cluster made up by the test. */
class KubectlPluginTextTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path PAGE = Path.of("docs", "kubectl-plugin.md");

  /** Output and exit code of a run. */
  private record Run(int exitCode, String output) {}

  @Test
  void helpAndPageNameEveryCommand() {
    Run help = run("--help");

    assertThat(help.exitCode()).isZero();
    assertThat(run("help")).isEqualTo(help);
    assertThat(
            List.of(
                "top",
                "status",
                "plan",
                "why",
                "orphans",
                "explain",
                "diff",
                "watch",
                "wait",
                "revisions",
                "upgrades",
                "snapshots",
                "pause",
                "resume",
                "hold",
                "release",
                "set-image",
                "rollback",
                "restart",
                "retry",
                "grow",
                "reset-data",
                "vote",
                "unjail",
                "runbook",
                "preflight",
                "support",
                "version"))
        .allSatisfy(
            command -> {
              assertThat(help.output()).contains("  " + command + " ");
              Run itsOwn = run(command, "--help");
              assertThat(itsOwn.exitCode()).isZero();
              assertThat(itsOwn.output()).startsWith("Usage: kubectl sei " + command);
              assertThat(run("help", command)).isEqualTo(itsOwn);
              assertThat(PAGE).content().contains("kubectl sei " + command);
            });
  }

  @Test
  void itsVersionIsTheOneOfTheRelease() throws IOException {
    Matcher ofRelease =
        Pattern.compile("<artifactId>sei-operator</artifactId>\\s*<version>([^<]+)")
            .matcher(Files.readString(Path.of("pom.xml")));

    assertThat(ofRelease.find()).isTrue();
    assertThat(run("version").output()).startsWith("kubectl-sei   " + ofRelease.group(1) + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | Usage: kubectl sei",
        "explode | there is no command 'explode'",
        "plan | plan needs a name",
        "why pod/x | 'pod' is neither snd nor snode",
        "plan a b | only one name is allowed",
        "status x -n | -n needs a value",
        "resume x --stop | --stop is a flag of pause",
        "why -o xml | -o takes json or yaml, not 'xml'",
        "why x -A | a name goes with neither -A nor -l",
        "plan x --output=json | --output is a flag of status, why, upgrades, upgrades add, pause,"
            + " resume, hold, release, set-image, rollback, restart, retry, grow and reset-data",
        "status --bogus | there is no flag '--bogus'",
        "plan x -w | --watch is a flag of top, status and why",
        "top x | top takes no name",
        "status --color=red | --color takes auto, always or never, not 'red'",
        "why -w -o json | -w goes with no -o json",
        "restart x --dry-run | --dry-run=server has the API server check",
        "restart x --dry-run=none | --dry-run=none is not known",
        "status --dry-run=server | --dry-run is a flag of upgrades add, pause, resume, hold,"
            + " release, set-image, rollback, restart, retry, grow, reset-data, vote and unjail",
        "restart x -A | --all-namespaces is a flag of top, status, why, orphans, upgrades and"
            + " snapshots",
        "support -l a=b | --selector is a flag of top, status, why and upgrades",
        "pause snt/x | 'snt' is neither snd nor snode",
        "status x --allow-held | --allow-held is a flag of watch and wait",
        "wait snt/x --allow-held | --allow flags are for a fleet or a node",
        "explain x -f y | explain takes no name",
        "preflight x | preflight checks all objects and takes no name",
        "version x | version takes no name",
        "why x --timeout=1m | --timeout is a flag of watch, wait, vote and unjail",
        "wait x --timeout=soon | --timeout must be a duration with a unit, such as 90s, 15m or"
            + " 1h30m, not 'soon'",
        "wait x --timeout 5 | not '5'",
        "wait x --timeout 5m2 | not '5m2'",
        "wait x --timeout | --timeout needs a value",
        "wait x --timeout= | --timeout needs a value",
        "wait --timeout 5m | wait needs a name",
        "why x --timeout 1m | --timeout is a flag of watch, wait, vote and unjail",
        "help explode | there is no command 'explode'",
        "help why wait | only one name is allowed",
        "explode --help | there is no command 'explode'",
        "orphans x | orphans takes no name",
        "status x --orphans | orphans takes no name",
        "status --orphans -o json | --output is a flag of",
        "why --orphans | --orphans is a flag of status",
        "diff | diff needs -f FILE",
        "diff x -f y | diff takes no name",
        "diff -f | -f needs a value",
        "why x -f y | --filename is a flag of explain and diff",
        "status --crds=crds | --crds is a flag of preflight",
        "why x --to-revision=1 | --to-revision is a flag of rollback",
        "vote v --option=yes --fees=1usei --gas=1 | vote needs --proposal",
        "vote v --proposal=x --option=yes --fees=1usei --gas=1 | --proposal must be a number, not"
            + " 'x'",
        "unjail v --gas=1 | unjail needs --fees",
        "unjail v --proposal=1 | --proposal is a flag of vote",
        "unjail v --fees=a\"b --gas=1 | is no option, amount or name",
        "unjail snd/v --fees=1usei --gas=1 | unjail is for a node, not for a fleet",
        "why v --gas=1 | --gas is a flag of vote and unjail",
      })
  void misuseIsExplained(String arguments, String told) {
    Run run = run(arguments.isEmpty() ? new String[0] : arguments.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.output()).contains(told);
  }

  @Test
  void volumesOfOtherProgramsAreNoOrphansAlsoAmongThousandsOfNodes() {
    try (var server = new ReadOnlyApiServer()) {
      for (int ordinal = 0; ordinal < 4000; ordinal++) {
        server.put("seinodes", object("prod", "node-" + ordinal));
      }
      server.put("persistentvolumeclaims", object("prod", "data-val"));
      server.put("persistentvolumes", released("pv1", "db", "data-postgresql-0"));
      server.put("persistentvolumes", released("pv2", "prod", "data-val"));

      Run run = run("orphans", "-n", "prod", server.flag());

      assertThat(run.exitCode()).as(run.output()).isZero();
      assertThat(run.output())
          .contains("data-val", "pv2 (the claim is gone; a guess by its name)")
          .doesNotContain("postgresql");
    }
  }

  private static ObjectNode object(String namespace, String name) {
    ObjectNode object = JSON.createObjectNode();
    object
        .putObject("metadata")
        .put("namespace", namespace)
        .put("name", name)
        .putObject("labels")
        .put("sei.io/node", "node-1");
    return object;
  }

  private static ObjectNode released(String name, String namespace, String claim) {
    ObjectNode volume = JSON.createObjectNode();
    volume.putObject("metadata").put("name", name);
    volume.putObject("spec").putObject("claimRef").put("namespace", namespace).put("name", claim);
    volume.putObject("status").put("phase", "Released");
    return volume;
  }

  @Test
  void volumesThatCannotBeListedAreNotSaidToHaveTheirNodes() {
    try (var server = new ReadOnlyApiServer()) {
      server.put("seinodes", object("prod", "node-1"));
      server.put("persistentvolumeclaims", object("prod", "data-node-1"));

      Run run = run("orphans", server.flag());

      assertThat(run.output())
          .contains("No claim is without its node.", "volumes that were released are not listed")
          .doesNotContain("no volume is without");
    }
  }

  private static Run run(String... arguments) {
    KubectlResult result = KubectlSei.alone(arguments);
    return new Run(result.exitCode(), result.stdout() + result.stderr());
  }
}
