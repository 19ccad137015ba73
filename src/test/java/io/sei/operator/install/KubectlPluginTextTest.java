package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.config.ConfigKey;
import io.sei.operator.render.SpecFields;
import io.sei.operator.render.SpecFields.Effect;
import io.sei.operator.testkit.Executable;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What kubectl-sei says by itself, without a cluster. */
class KubectlPluginTextTest {

  private static final Path PLUGIN = Path.of("deploy", "kubectl-sei");
  private static final Path PAGE = Path.of("docs", "kubectl-plugin.md");

  /** What a run came to. */
  private record Run(int exitCode, String output) {}

  @Test
  void whyLinksToTheRunbookOfEveryReason() throws IOException {
    Matcher list = Pattern.compile("if eq \\. ((?:[^}]|\\n)+)}}").matcher(Files.readString(PLUGIN));
    assertThat(list.find()).isTrue();

    assertThat(Pattern.compile("\"(\\w+)\"").matcher(list.group(1)).results())
        .extracting(match -> match.group(1))
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Stream.of(StallReason.values()),
                    Stream.of(NodeReason.TAKEOVER_NOT_ENABLED, NodeReason.RESTART_BACK_OFF))
                .map(Object::toString)
                .toList());
  }

  @Test
  void helpAndPageNameEveryCommand() throws IOException, InterruptedException {
    Run help = run("--help");

    assertThat(help.exitCode()).isZero();
    assertThat(run("help")).isEqualTo(help);
    assertThat(
            List.of(
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
                "rollback",
                "restart",
                "vote",
                "unjail",
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
    Matcher ofPlugin = Pattern.compile("(?m)^version=(.+)$").matcher(Files.readString(PLUGIN));
    Matcher ofRelease =
        Pattern.compile("<artifactId>sei-operator</artifactId>\\s*<version>([^<]+)")
            .matcher(Files.readString(Path.of("pom.xml")));

    assertThat(ofPlugin.find() && ofRelease.find()).isTrue();
    assertThat(ofPlugin.group(1)).isEqualTo(ofRelease.group(1));
  }

  @Test
  void preflightKnowsEverySetting() throws IOException {
    Matcher list = Pattern.compile("settings='([^']+)'").matcher(Files.readString(PLUGIN));
    assertThat(list.find()).isTrue();

    assertThat(list.group(1).strip().split("\\s+"))
        .containsExactlyInAnyOrderElementsOf(
            ConfigKey.all().stream().map(ConfigKey::name).toList());
  }

  /** The mode is immutable: the API server refuses another one. */
  @Test
  void diffSaysOfEveryFieldWhatTheOperatorDoes() throws IOException {
    Map<String, Effect> kinds =
        Map.of(
            "pod", Effect.RESTARTS,
            "place", Effect.RESTARTS,
            "wipe", Effect.RESTARTS,
            "config", Effect.CONFIGURES,
            "none", Effect.NONE,
            "upgrade", Effect.NONE,
            "stop", Effect.NONE);

    assertThat(effects("effects"))
        .extractingFromEntries(it -> Map.entry(it.getKey(), kinds.get(it.getValue())))
        .containsExactlyInAnyOrderElementsOf(
            SpecFields.ALL.stream()
                .filter(it -> it.effect() != Effect.MODE)
                .map(it -> Map.entry(it.path(), it.effect()))
                .toList());
    assertThat(effects("fleet_effects").keySet())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(SeiNodeDeploymentSpec.class.getRecordComponents())
                .map(RecordComponent::getName)
                .filter(name -> !name.equals("template"))
                .toList());
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
        "pause a b | only one name is allowed",
        "status x -n | -n needs a value",
        "resume x --stop | --stop is a flag of pause",
        "why -o yaml | -o takes json, not 'yaml'",
        "plan x --output=json | --output is a flag of status, why and upgrades",
        "status --bogus | there is no flag '--bogus'",
        "plan x -w | there is no flag '-w'",
        "restart x --dry-run | --dry-run=server has the API server check",
        "restart x --dry-run=none | --dry-run=none is not known",
        "status --dry-run=server | --dry-run is a flag of pause, resume, rollback, restart, vote"
            + " and unjail",
        "restart x -A | --all-namespaces is a flag of status, why, orphans, upgrades and snapshots",
        "support -l a=b | --selector is a flag of status, why and upgrades",
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
  void misuseIsExplained(String arguments, String told) throws IOException, InterruptedException {
    Run run = run(arguments.isEmpty() ? new String[0] : arguments.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.output()).contains(told);
  }

  /** Linux hands a program an argument of at most 128 KiB; the nodes' names are more than that. */
  @ParameterizedTest
  @ValueSource(strings = {"orphans", "orphans -n=prod", "orphans -nprod"})
  void volumesOfOtherProgramsAreNoOrphansAlsoAmongThousandsOfNodes(
      String arguments, @TempDir Path directory) throws IOException, InterruptedException {
    Path kubectl = directory.resolve("kubectl");
    Files.writeString(
        kubectl,
        """
        #!/bin/sh
        case "$*" in
          *persistentvolumeclaims*) ;;
          *persistentvolumes*)
            echo "PersistentVolume db data-postgresql-0 8Gi 2026-01-01T00:00:00Z pv1 Released"
            echo "PersistentVolume prod data-val 2Ti 2026-01-01T00:00:00Z pv2 Released"
            ;;
          *) seq 1 4000 | sed 's/^/prod a-node-whose-name-has-forty-characters-/' ;;
        esac
        """);
    Executable.make(kubectl);

    Run run = runBehind(directory, arguments.split(" "));

    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output())
        .contains("data-val", "pv2 (the claim is gone; a guess by its name)")
        .doesNotContain("postgresql");
  }

  @Test
  void volumesThatCannotBeListedAreNotSaidToHaveTheirNodes(@TempDir Path directory)
      throws IOException, InterruptedException {
    Path kubectl =
        Files.writeString(
            directory.resolve("kubectl"),
            "#!/bin/sh\ncase \"$*\" in *persistentvolumes*) exit 1 ;; esac\n");
    Executable.make(kubectl);

    Run run = runBehind(directory, "orphans");

    assertThat(run.output())
        .contains("No claim is without its node.", "volumes that were released are not listed")
        .doesNotContain("no volume is without");
  }

  private static Map<String, String> effects(String list) throws IOException {
    Matcher lines =
        Pattern.compile("(?m)^" + list + "='([^']+)'").matcher(Files.readString(PLUGIN));
    assertThat(lines.find()).isTrue();
    return lines
        .group(1)
        .strip()
        .lines()
        .map(line -> line.split(" "))
        .collect(Collectors.toMap(words -> words[0], words -> words[1]));
  }

  private static Run run(String... arguments) throws IOException, InterruptedException {
    return run(builder(arguments));
  }

  /** With a directory before the others of the search path. */
  private static Run runBehind(Path directory, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder = builder(arguments);
    builder.environment().merge("PATH", directory.toString(), (path, own) -> own + ":" + path);
    return run(builder);
  }

  private static ProcessBuilder builder(String... arguments) {
    return new ProcessBuilder(
        Stream.concat(Stream.of(PLUGIN.toString()), Stream.of(arguments)).toList());
  }

  private static Run run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes());
    return new Run(process.waitFor(), output);
  }
}
