package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.ConditionType;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.ReadOnlyApiServer;
import io.sei.operator.testkit.StatusCorpus;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code kubectl sei} never says that all is well when it is not: {@code wait}, {@code watch} and
 * {@code why} on every status that the operator is known to write.
 */
class KubectlVerdictsTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String[] EVERY_FLAG = {
    "--allow-paused", "--allow-held", "--allow-halted", "--allow-partition"
  };

  /** Subjects of one kind, each of which is waited for by a process of its own. */
  private static final int MOST_OF_A_KIND = Cases.count(1, Integer.MAX_VALUE);

  private final ReadOnlyApiServer server = new ReadOnlyApiServer();
  private final Set<String> removed = new HashSet<>();

  /** Exit code and output of a run. */
  private record Run(int exitCode, String output) {}

  /** An object of the corpus, as the test understands it. */
  private record Subject(
      String name,
      boolean isFleet,
      JsonNode object,
      boolean isReady,
      boolean isUpToDate,
      String stalled) {

    /** Returns whether every node serves what the spec asks for, and nothing says otherwise. */
    boolean isWell() {
      return isReady && isUpToDate && stalled == null;
    }

    /** Returns what decides the verdict, with the reason that the object shows. */
    List<Object> kind() {
      return List.of(
          isFleet,
          isReady,
          isUpToDate,
          isStopped(),
          isAtRisk(),
          String.valueOf(stalled),
          object.at("/status/reason").asText());
    }

    /** Returns whether chain data may be lost, or another node may sign with the key. */
    boolean isAtRisk() {
      return object.at("/status/conditions").valueStream().anyMatch(Subject::isRisk);
    }

    private static boolean isRisk(JsonNode condition) {
      boolean isTrue = condition.path("status").asText().equals("True");
      return condition.path("type").asText().equals("DataVolumeAtRisk")
          ? isTrue
          : !isTrue
              && condition.path("reason").asText().matches("SigningKeyShared|SignerHasAnotherKey");
    }

    /** Returns whether a person has asked for something else than that all nodes run. */
    boolean isStopped() {
      JsonNode spec = object.path("spec");
      for (JsonNode node : object.at("/status/nodes")) {
        if (node.path("reason").asText().matches("Node(Paused|Held).*")) {
          return true;
        }
      }
      boolean isPartial =
          object.at("/status/updatedReplicas").asInt() < spec.path("replicas").asInt();
      JsonNode ofNodes = isFleet ? spec.at("/template/spec") : spec;
      return Stream.of(
                  spec.path("paused"), ofNodes.path("paused"), spec.at("/updateStrategy/paused"))
              .anyMatch(JsonNode::asBoolean)
          || ofNodes.path("maintenance").has("hold")
          || isPartial && spec.at("/updateStrategy/inPlace/partition").asInt() > 0
          || object.path("metadata").has("deletionTimestamp");
    }
  }

  @AfterEach
  void closeServer() {
    server.close();
  }

  /** Covers nodes that are stalled, failed, or halted, where waiting does not help. */
  @Test
  void waitEndsWellOnlyWhereEveryNodeServesWhatTheSpecAsksFor() throws Exception {
    List<Subject> subjects = kinds(corpus());
    Map<String, String> words = words(subjects);
    var told = EnumSet.noneOf(StallReason.class);

    for (Subject subject : subjects) {
      String word = words.get(subject.name());
      if (subject.stalled() != null) {
        assertThat(word).as(subject.name()).isEqualTo("over");
        told.add(StallReason.named(subject.stalled()));
      } else if (!subject.isReady() || !subject.isUpToDate()) {
        assertThat(word).as(subject.name()).isIn("over", "waiting");
      } else {
        assertThat(word)
            .as(subject.name())
            .isEqualTo(subject.isStopped() || subject.isAtRisk() ? "over" : "converged");
      }
    }
    assertThat(told)
        .containsAll(
            EnumSet.complementOf(
                EnumSet.of(
                    StallReason.INVALID_SPEC,
                    StallReason.CEREMONY_FAILED,
                    StallReason.WAITING_OUT_OWN_SIGNATURES)));
  }

  /** A flag allows what a person has asked for, and never what has gone wrong. */
  @Tag("long")
  @Test
  void noFlagMakesATroubledNodeConverge() throws Exception {
    List<Subject> subjects = kinds(corpus().stream().filter(subject -> !subject.isWell()).toList());
    Map<String, String> words = words(subjects, EVERY_FLAG);
    var allowed = Set.of("Paused", "Held", "HaltedAtUpgrade", "NodePaused", "NodeHeld");

    for (Subject subject : subjects) {
      String word = words.get(subject.name());
      if (subject.stalled() != null && !subject.stalled().equals("HaltedAtUpgrade")) {
        assertThat(word).as(subject.name()).isEqualTo("over");
      } else if (word.equals("converged")) {
        assertThat(subject.object().at("/status/reason").asText()).as(subject.name()).isIn(allowed);
      }
    }
  }

  /** Each line is a fleet of two nodes, or a node; what its nodes and the spec say decides. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UpToDate=True Ready=True           |          | ready ready | 0 | ready 2/2",
        "UpToDate=True Ready=False/NodeLost |          | ready NodeLost | 3 | NodeLost; fleet-1"
            + " NodeLost",
        "UpToDate=True Ready=True Stalled=True/HeightStandsStill | | ready HeightStandsStill | 1 |"
            + " HeightStandsStill: words",
        "UpToDate=True Ready=True           |          | ready NodePaused | 1 | NodePaused: fleet-1"
            + " is paused; kubectl sei resume",
        "UpToDate=True Ready=True           | --allow-paused | ready NodePaused | 0 | ready",
        "UpToDate=True Ready=True           | --allow-held | ready NodePaused | 1 | fleet-1 is"
            + " paused",
        "UpToDate=True Ready=True           | --allow-held | ready NodeHeld | 0 | ready",
        "UpToDate=False/Outdated Ready=True | --allow-held | ready NodeHeld | 3 | Outdated; fleet-1"
            + " NodeHeld",
        "UpToDate=True Ready=False/HaltedAtUpgrade | | HaltedAtUpgrade ready | 1 | fleet-0 stopped"
            + " for an upgrade; see kubectl sei why",
        "UpToDate=True Ready=False/HaltedAtUpgrade | --allow-halted | HaltedAtUpgrade ready | 0 |"
            + " HaltedAtUpgrade",
        "UpToDate=True Ready=False/HaltedAtUpgrade | --allow-halted | HaltedAtUpgrade CrashLoop | 3"
            + " | fleet-1 CrashLoop",
        "UpToDate=True Ready=False/HaltedAtUpgrade Stalled=True/HaltedAtUpgrade | --allow-halted |"
            + " HaltedAtUpgrade ready | 0 | HaltedAtUpgrade",
        "UpToDate=True Ready=False/HaltedAtUpgrade Stalled=True/CrashLoop | --allow-halted |"
            + " HaltedAtUpgrade CrashLoop | 1 | CrashLoop: words",
        "UpToDate=True Ready=Unknown/TakeoverNotEnabled | --allow-paused | ready ready | 1 |"
            + " TakeoverNotEnabled: words",
      })
  void aFleetIsJudgedByItsNodes(String said, String flag, String nodes, int exitCode, String told)
      throws Exception {
    ObjectNode fleet = object("SeiNodeDeployment", "fleet", said);
    ((ObjectNode) fleet.path("spec")).put("replicas", 2).putObject("template").putObject("spec");
    ObjectNode status = (ObjectNode) fleet.path("status");
    status.put("readyReplicas", 2).put("updatedReplicas", 0);
    int ordinal = 0;
    for (String node : nodes.split(" ")) {
      ObjectNode summary = status.withArray("nodes").addObject().put("name", "fleet-" + ordinal++);
      boolean isReady = Set.of("ready", "HeightStandsStill").contains(node);
      summary.put("ready", isReady);
      if (!node.equals("ready")) {
        summary.put("reason", node);
      }
    }
    write(fleet);

    assertEnds("snd/fleet", flag, exitCode, told);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UpToDate=True Ready=True | | | 0 | snode/node: Running",
        "UpToDate=True Ready=False/CrashLoop | | | 3 | CrashLoop; see kubectl sei why snode/node",
        "UpToDate=True Ready=True Stalled=True/PodResizePending | | | 1 | PodResizePending: words",
        "UpToDate=True Ready=True DataVolumeAtRisk=True/ClaimTerminating | | | 1 | ClaimTerminating:"
            + " words; see kubectl sei why snode/node",
        "UpToDate=True Ready=True SigningKeyReady=False/SigningKeyShared | | | 1 | SigningKeyShared:"
            + " words",
        "UpToDate=False/PlanFailed Ready=True | | failed | 1 | PlanFailed: words",
        "UpToDate=True Ready=False/Paused Paused=True | | paused | 1 | kubectl sei resume"
            + " snode/node",
        "UpToDate=True Ready=False/Paused Paused=True | --allow-paused | paused | 0 | Paused",
        "UpToDate=True Ready=True Paused=False | --allow-paused | paused | 3 | timed out",
        "UpToDate=True Ready=False/Held Held=True | --allow-held | held | 0 | Held",
        "UpToDate=True Ready=False/Held Held=False | --allow-held | held | 3 | timed out",
        "UpToDate=True Ready=False/Held Held=True | --allow-paused | held | 1 | kubectl sei release"
            + " snode/",
        "UpToDate=True Ready=False/HaltedAtUpgrade | | | 1 | HaltedAtUpgrade: words",
        "UpToDate=True Ready=False/HaltedAtUpgrade | --allow-halted | | 0 | HaltedAtUpgrade",
        "UpToDate=True Ready=False/HaltedAtUpgrade | | listed | 3 | HaltedAtUpgrade",
        "UpToDate=True Ready=False/HaltedAtUpgrade UpgradesReady=False/NotListed | | listed | 1 |"
            + " HaltedAtUpgrade: words",
        "UpToDate=True Ready=True | | deleted | 1 | it is being deleted",
        "UpToDate=True Ready=True | | edited | 3 | not reconciled yet",
        "Stalled=True/CrashLoop | | edited | 3 | timed out",
        "Stalled=True/CrashLoop | | | 1 | CrashLoop: words; see kubectl sei why snode/node",
        "UpToDate=False/InvalidSpec | | | 1 | InvalidSpec: words; correct the spec",
        "UpToDate=False/RolledBack Ready=True | | | 1 | RolledBack: words",
        "UpToDate=False/ImageBehindUpgrade Ready=True | | | 1 | ImageBehindUpgrade: words",
        "UpToDate=False/ServiceConflict Ready=True | | | 1 | ServiceConflict: words; see kubectl"
            + " sei why",
        "UpToDate=False/PlanActive Ready=True | | | 3 | PlanActive",
        "UpToDate=True Ready=False/StoppedForSnapshot Paused=True/StoppedForSnapshot | | | 3 |"
            + " StoppedForSnapshot: words",
        "'' | | | 3 | not reconciled yet",
      })
  void aNodeIsJudgedByItsConditions(
      String said, String flag, String more, int exitCode, String told) throws Exception {
    ObjectNode node = object("SeiNode", "node", said);
    ObjectNode spec = (ObjectNode) node.path("spec");
    switch (String.valueOf(more)) {
      case "paused" -> spec.put("paused", true);
      case "held" -> spec.putObject("maintenance").put("hold", "Immediate");
      case "edited" -> ((ObjectNode) node.path("metadata")).put("generation", 2);
      case "failed" -> ((ObjectNode) node.path("status")).put("phase", "Failed");
      case "deleted" ->
          ((ObjectNode) node.path("metadata")).put("deletionTimestamp", "2026-11-01T00:00:00Z");
      case "listed" ->
          ((ObjectNode) node.path("status"))
              .putArray("upgrades")
              .addObject()
              .put("name", "v9")
              .put("state", "Ready");
      default -> {}
    }
    write(node);

    assertEnds("snode/node", flag, exitCode, told);
  }

  /** A halt at a listed upgrade ends by itself, until each node has been through it. */
  @ParameterizedTest
  @CsvSource({"1/2, 3, timed out", "2/2, 1, fleet-0 stopped for an upgrade"})
  void aFleetThatHaltsForAListedUpgradeIsWaitedFor(String reached, int exitCode, String told)
      throws Exception {
    ObjectNode fleet =
        object("SeiNodeDeployment", "fleet", "UpToDate=True Ready=False/HaltedAtUpgrade");
    ((ObjectNode) fleet.path("spec")).put("replicas", 2).putObject("template").putObject("spec");
    ObjectNode status = (ObjectNode) fleet.path("status");
    status.withArray("upgrades").addObject().put("name", "v9").put("reached", reached);
    status.withArray("nodes").addObject().put("name", "fleet-0").put("reason", "HaltedAtUpgrade");
    status.withArray("nodes").addObject().put("name", "fleet-1").put("ready", true);
    write(fleet);

    assertEnds("snd/fleet", null, exitCode, told);
  }

  @Test
  void nodesBelowAPartitionAreToldUnlessAFlagAllowsThem() throws Exception {
    ObjectNode fleet = object("SeiNodeDeployment", "fleet", "UpToDate=True Ready=True");
    ObjectNode spec = (ObjectNode) fleet.path("spec");
    spec.put("replicas", 1).putObject("template").putObject("spec");
    spec.putObject("updateStrategy").putObject("inPlace").put("partition", 1);
    ObjectNode status = (ObjectNode) fleet.path("status");
    status.put("readyReplicas", 1).withArray("nodes").addObject().put("ready", true);
    write(fleet);

    assertEnds("snd/fleet", null, 1, "Partition: spec.updateStrategy.inPlace.partition is 1");
    assertEnds("snd/fleet", "--allow-partition", 0, "ready 1/1");
  }

  @ParameterizedTest
  @CsvSource({
    "Complete, Ready=True/Confirmed, 0, 'snt/vote: Complete, Confirmed: words'",
    "Failed, Failed=True/TxFailed, 1, 'snt/vote: Failed, TxFailed: words'",
    "Running, TargetReady=False/PhaseNotMet Ready=False/TaskRunning Stalled=False, 3, 'PhaseNotMet:"
        + " words; the task goes on'",
    "Running, TargetReady=True/PhaseMet Reconciling=True/TaskRunning, 3, 'snt/vote: Running; the"
        + " task goes on'"
  })
  void aTaskIsWaitedFor(String phase, String said, int exitCode, String told) throws Exception {
    ObjectNode task = object("SeiNodeTask", "vote", said);
    ((ObjectNode) task.path("status")).put("phase", phase);
    write(task);

    assertEnds("snt/vote", null, exitCode, told);
  }

  @Test
  void watchNamesTheTimeInEachLine() throws Exception {
    write(object("SeiNode", "node", "UpToDate=True Ready=True"));

    Run watched = sei("watch", "snode/node");

    assertThat(watched.output())
        .matches("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ snode/node: Running.*\n");
    assertThat(watched.exitCode()).isZero();
  }

  @Test
  void whatIsNotThereIsNeitherWellNorUnwell() throws Exception {
    assertThat(sei("wait", "snode/gone").exitCode()).isEqualTo(2);
    assertThat(sei("wait", "gone").exitCode()).isEqualTo(2);
    assertThat(sei("why").exitCode()).isEqualTo(2);
    assertThat(sei("why").output()).contains("there is no fleet and no node to look at");
  }

  /** Problems first; without any, what is not Ready or not up to date is named. */
  @Test
  void whyNamesEveryObjectThatIsNotWell() throws Exception {
    List<Subject> subjects = corpus();
    Run all = sei("why", "-o", "json");
    assertThat(all.exitCode()).isEqualTo(1);
    var problems = new TreeSet<String>();
    JSON.readTree(all.output())
        .path("items")
        .forEach(json -> problems.add(json.path("name").asText()));

    subjects.stream()
        .filter(subject -> subject.stalled() != null && !subject.isFleet())
        .forEach(subject -> assertThat(problems).contains(subject.name()));

    // Those that are well, and those that nothing is known of but that they are not.
    for (Subject subject : subjects) {
      boolean isOfItsNodes = subject.isFleet() && subject.stalled() != null;
      if (problems.contains(subject.name()) || isOfItsNodes) {
        remove(subject);
      }
    }
    Run rest = sei("why");
    assertThat(rest.exitCode()).isZero();
    assertThat(rest.output()).startsWith("No problem is known, but these are not Ready or not up");
    Set<String> named =
        Pattern.compile("/(?:snode|snd)/([a-z]+-\\d+)")
            .matcher(rest.output())
            .results()
            .map(match -> match.group(1))
            .collect(Collectors.toSet());
    for (Subject subject : subjects) {
      if (!removed.contains(subject.name())) {
        boolean isReconciled =
            subject.object().at("/status/observedGeneration").asLong()
                == subject.object().at("/metadata/generation").asLong();
        assertThat(named.contains(subject.name()))
            .as(subject.name())
            .isEqualTo(!subject.isWell() || !isReconciled);
        if (named.contains(subject.name())) {
          remove(subject);
        }
      }
    }
    assertThat(sei("why")).isEqualTo(new Run(0, "Nothing is wrong.\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UpToDate=True Ready=True Stalled=False | 0 | Nothing is wrong with it.",
        "UpToDate=True Ready=False/HaltedAtUpgrade | 1 | runbook: docs/runbooks/HaltedAtUpgrade.md",
        "UpToDate=True Ready=False/CrashLoop | 1 | runbook: docs/runbooks/CrashLoop.md",
        "UpToDate=True Ready=False/PodNotReady | 0 | snode/node  Running, not Ready  sei:a",
        "UpToDate=True Ready=True Stalled=True/HeightStandsStill | 1 | HeightStandsStill",
        "UpToDate=True Ready=True SidecarReady=Unknown/Unreachable | 1 | Unreachable",
        "UpToDate=True Ready=True UpdatesInPlace=False/Recreate | 0 | Nothing is wrong with it.",
        "UpToDate=True | 0 | snode/node  Running",
      })
  void whyOfANodeEndsAsWhyOfAll(String said, int exitCode, String told) throws Exception {
    write(object("SeiNode", "node", said));

    Run why = sei("why", "snode/node");

    assertThat(why.exitCode()).as(why.output()).isEqualTo(exitCode);
    assertThat(why.output()).contains(told);
    if (!told.startsWith("Nothing")) {
      assertThat(why.output()).doesNotContain("Nothing is wrong");
    }
  }

  /** Five nodes of one machine were ten problems, of 330 characters each. */
  @Test
  void whySaysOnceThatAMachineIsLost() throws Exception {
    for (int ordinal = 0; ordinal < 5; ordinal++) {
      ObjectNode node =
          object(
              "SeiNode",
              "rpc-" + ordinal,
              "Ready=False/NodeLost Stalled=True/NodeLost SidecarReady=Unknown/Unreachable");
      ((ObjectNode) node.path("metadata")).putObject("labels").put(Labels.NODE_DEPLOYMENT, "rpc");
      write(node);
      ObjectNode pod = object("Pod", "rpc-" + ordinal + "-0", "");
      ((ObjectNode) pod.path("spec")).put("nodeName", "m-2");
      write(pod);
    }
    ObjectNode machine = object("Node", "m-2", "Ready=Unknown");
    ((ObjectNode) machine.at("/status/conditions/0"))
        .put("lastTransitionTime", "2026-11-28T10:00:39Z");
    write(machine);

    assertThat(sei("why", "-A"))
        .isEqualTo(
            new Run(
                1,
                "ns/snode/rpc-0, ns/snode/rpc-1, ns/snode/rpc-2, ns/snode/rpc-3, ns/snode/rpc-4 "
                    + " NodeLost: machine m-2 is lost since 2026-11-28T10:00:39Z: 5 nodes of 1"
                    + " fleet; seid may still run there; bring it back or, once it is certainly"
                    + " off: kubectl taint node m-2"
                    + " node.kubernetes.io/out-of-service=nodeshutdown:NoExecute "
                    + " (docs/runbooks/NodeLost.md)\n"));
  }

  private void remove(Subject subject) {
    server.remove(subject.isFleet() ? "seinodedeployments" : "seinodes", subject.name());
    removed.add(subject.name());
  }

  private void assertEnds(String name, String flag, int exitCode, String told) throws Exception {
    var arguments = new ArrayList<>(List.of("wait", name, "--timeout=0s"));
    if (flag != null) {
      arguments.add(flag);
    }
    Run waited = sei(arguments.toArray(String[]::new));
    assertThat(waited.exitCode()).as(waited.output()).isEqualTo(exitCode);
    assertThat(waited.output()).contains(told).hasLineCount(1);
  }

  /** An object of generation 1 with conditions such as {@code Ready=False/NodeLost}. */
  private static ObjectNode object(String kind, String name, String conditions) {
    ObjectNode object = JSON.createObjectNode().put("apiVersion", "sei.io/v1alpha1");
    object.put("kind", kind);
    object.putObject("metadata").put("name", name).put("namespace", "ns").put("generation", 1);
    object.putObject("spec").put("image", "sei:a");
    ObjectNode status = object.putObject("status").put("phase", "Running");
    status.put("currentImage", "sei:a").put("observedGeneration", 1);
    for (String condition : conditions.split(" ")) {
      if (!condition.isEmpty()) {
        String[] parts = condition.split("[=/]");
        status
            .withArray("conditions")
            .addObject()
            .put("type", parts[0])
            .put("status", parts[1])
            .put("reason", parts.length > 2 ? parts[2] : parts[0])
            .put("message", "words")
            .put("observedGeneration", 1);
      }
    }
    return object;
  }

  private void write(ObjectNode object) {
    server.put(plural(object.path("kind").asText()), object);
  }

  private static String plural(String kind) {
    return kind.toLowerCase(Locale.ROOT) + "s";
  }

  /** Has the server serve the corpus; each object is named after its line. */
  private static List<Subject> kinds(List<Subject> subjects) {
    var counts = new HashMap<List<Object>, Integer>();
    return subjects.stream()
        .filter(subject -> counts.merge(subject.kind(), 1, Integer::sum) <= MOST_OF_A_KIND)
        .toList();
  }

  private List<Subject> corpus() throws IOException {
    var subjects = new ArrayList<Subject>();
    for (var node : StatusCorpus.nodes()) {
      subjects.add(
          subject("node-" + node.line(), node.resource(), node.status(), NodeConditionType.READY));
    }
    for (var fleet : StatusCorpus.fleets()) {
      subjects.add(
          subject(
              "fleet-" + fleet.line(), fleet.resource(), fleet.status(), FleetConditionType.READY));
    }
    return subjects;
  }

  private Subject subject(String name, Object resource, JsonNode status, ConditionType ready)
      throws IOException {
    ObjectNode object =
        (ObjectNode) JSON.readTree(KubernetesClients.serialization().asJson(resource));
    object.set("status", status);
    ((ObjectNode) object.path("metadata")).put("name", name);
    write(object);
    long generation = object.at("/metadata/generation").asLong();
    var current = new HashMap<String, JsonNode>();
    for (JsonNode condition : status.path("conditions")) {
      if (condition.path("observedGeneration").asLong(generation) == generation) {
        current.put(condition.path("type").asText(), condition);
      }
    }
    JsonNode stalled = current.get("Stalled");
    return new Subject(
        name,
        ready == FleetConditionType.READY,
        object,
        isTrue(current.get("Ready")),
        isTrue(current.get("UpToDate")),
        isTrue(stalled) ? stalled.path("reason").asText() : null);
  }

  private static boolean isTrue(JsonNode condition) {
    return condition != null && condition.path("status").asText().equals("True");
  }

  /** The word by which {@code wait} ends, by the name of the object. */
  private Map<String, String> words(List<Subject> subjects, String... flags) {
    return subjects.parallelStream()
        .collect(
            Collectors.toConcurrentMap(Subject::name, subject -> wordOf(subject.name(), flags)));
  }

  private String wordOf(String name, String... flags) {
    String type = name.startsWith("fleet-") ? "snd/" : "snode/";
    var arguments = new ArrayList<>(List.of("wait", type + name, "--timeout=0s"));
    arguments.addAll(List.of(flags));
    Run waited = sei(arguments.toArray(String[]::new));
    assertThat(waited.output()).contains(type + name + ": ");
    return switch (waited.exitCode()) {
      case 0 -> "converged";
      case 1 -> "over";
      case 3 -> "waiting";
      default -> throw new AssertionError(waited);
    };
  }

  private Run sei(String... arguments) {
    var command = new ArrayList<>(List.of(arguments));
    command.add(server.flag());
    KubectlResult result = KubectlSei.alone(command.toArray(String[]::new));
    return new Run(result.exitCode(), result.stdout() + result.stderr());
  }
}
