package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.Labels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Statuses of nodes, fleets and tasks as the operator has stored them, each with the spec it is
 * about: one at least of every plan at every task, of every condition with every reason, with every
 * field. A status that is in it is understood by every later version, so nothing is ever taken out.
 * {@code make corpus} adds what tests have come to reach since, and records anew what the scenes of
 * the demo pass through.
 */
public final class StatusCorpus {

  /** Directory in which tests record statuses, where they are asked to. */
  public static final Path RECORDED = Path.of("target", "corpus");

  /** Time at which each status was stored. */
  public static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");

  private static final Path FILES = Path.of("src", "test", "resources", "corpus");
  private static final Path DEMO = FILES.resolve("demo.jsonl");
  private static final String SCENE = "scene";
  private static final String OF_FAULTS = "fault/";
  private static final Map<String, Class<? extends HasMetadata>> KINDS =
      Map.of(
          SeiNode.KIND,
          SeiNode.class,
          SeiNodeDeployment.KIND,
          SeiNodeDeployment.class,
          SeiNodeTask.KIND,
          SeiNodeTask.class,
          SeiSigningKey.KIND,
          SeiSigningKey.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern UUID =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
  private static final Pattern TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z");

  /** Conditions of a running node that no recorded test reaches. */
  private static final List<String> MADE_OF_NODES =
      List.of(
          "SidecarReady=Unknown/Forbidden",
          "SidecarReady=Unknown/Unreachable",
          "CaughtUp=True/CaughtUp",
          "CaughtUp=False/CatchingUp",
          "CaughtUp=False/NoPeers",
          "CaughtUp=Unknown/NotAsked",
          "NodeUpdateInProgress=False/UpdateFailed",
          "StatefulSetReady=False/GoOperatorRuns",
          "Ready=Unknown/TakeoverNotEnabled",
          "Ready=False/RestartBackOff",
          "GenesisReady=True/GenesisInstalled",
          "GenesisReady=False/GenesisMissing",
          "Stalled=True/GenesisMissing",
          "Stalled=True/HeightStandsStill",
          "Stalled=True/KeySecretMissing",
          "Stalled=True/NodeLost",
          "Stalled=True/SidecarForbidden",
          "Stalled=True/SidecarNotAsked",
          "Reconciling=True/PlanActive",
          "RestartPending=True/RolloutRestartIgnored",
          "UpdatesInPlace=False/PodPatchChanged",
          "UpgradesReady=False/LogsForbidden",
          "UpgradesReady=False/NotListed",
          "UpgradesReady=False/NotMinor",
          "UpgradesReady=True/UpgradeProposed",
          "UpgradesReady=False/ImageUnusable",
          "UpgradesReady=False/ImageForbidden",
          "UpgradesReady=False/ImageMismatch",
          "UpgradesReady=False/ConfigFileMissing",
          "UpgradesReady=False/ConfigurationRefused",
          "DataVolumeResized=False/ClaimImported",
          "DataVolumeResized=False/FileSystemResizePending",
          "DataVolumeResized=False/ResizeFailed",
          "DataVolumeResized=False/StorageClassDiffers",
          "DataVolumeModified=True/Modified",
          "DataVolumeModified=False/Modifying",
          "DataVolumeModified=False/ModifyPending",
          "DataVolumeModified=False/ModifyFailed",
          "DataVolumeModified=False/ModifyRefused",
          "DataVolumeRestored=False/ClaimExists",
          "ExporterReady=True/ExporterStarted",
          "ExporterReady=True/NoExporter",
          "ExporterReady=False/ExporterWithoutGrpc",
          "DataVolumePinned=True/LocalDisk",
          "DataVolumePinned=False/NotPinned",
          "DataVolumeAtRisk=True/ClaimLost",
          "DataVolumeAtRisk=True/VolumeFailed",
          "DataVolumeAtRisk=True/VolumeReleased",
          "ImportPVCReady=False/PVCInvalid",
          "ImportPVCReady=False/PVCNotReady",
          "NodeKeyReady=False/NodeKeyInvalid",
          "NodeKeyReady=False/NodeKeyNotReady",
          "OperatorKeyringReady=False/OperatorKeyringNotReady");

  /** Conditions of a fleet with Ready nodes that no recorded test reaches. */
  private static final List<String> MADE_OF_FLEETS =
      List.of(
          "Ready=Unknown/TakeoverNotEnabled",
          "UpToDate=False/InvalidSpec",
          "UpToDate=False/RollingOut",
          "UpToDate=False/ServiceConflict",
          "NodesReady=False/NodesFailed",
          "Stalled=True/RolledBack",
          "Reconciling=False/PartitionReached",
          "DataVolumeAtRisk=True/DataVolumeAtRisk",
          "DataVolumeAtRisk=False/NotAtRisk",
          "NetworkingReady=False/NotManaged",
          "GenesisCeremonyComplete=False/InProgress",
          "GenesisCeremonyComplete=False/CeremonyFailed",
          "SnapshotsHealthy=False/SnapshotWaiting",
          "SnapshotsHealthy=False/SnapshotApiMissing",
          "SnapshotsHealthy=False/SnapshotRefused");

  /** A test of giant objects shows no more than others. */
  private static final int LONGEST = 12_500;

  private StatusCorpus() {}

  /**
   * A resource as it was stored.
   *
   * @param line its place in the file
   * @param nodes of a fleet, its nodes
   * @param revisions of a fleet, the templates that are kept of it
   */
  public record Stored<T>(
      int line,
      T resource,
      JsonNode status,
      List<SeiNode> nodes,
      List<ControllerRevision> revisions) {}

  /**
   * An object as it was stored in a scene of the demo.
   *
   * @param scene its MODE or FAULT and its name
   */
  public record Staged(String scene, HasMetadata resource) {}

  /** The nodes. */
  public static List<Stored<SeiNode>> nodes() {
    return read("nodes", SeiNode.class);
  }

  /** The fleets. */
  public static List<Stored<SeiNodeDeployment>> fleets() {
    return read("fleets", SeiNodeDeployment.class);
  }

  /** The tasks. */
  public static List<Stored<SeiNodeTask>> tasks() {
    return read("tasks", SeiNodeTask.class);
  }

  /** The records of signing keys, which have no status. */
  public static List<Stored<SeiSigningKey>> keys() {
    return read("keys", SeiSigningKey.class);
  }

  /** Everything that the scenes of the demo pass through, in their order. */
  public static List<Staged> demo() {
    return lines(DEMO).stream()
        .map(
            entry ->
                new Staged(
                    entry.path(SCENE).asText(),
                    KubernetesClients.serialization()
                        .convertValue(
                            entry.get("object"), KINDS.get(entry.at("/object/kind").asText()))))
        .toList();
  }

  /** Returns the file with the last decisions. */
  public static Path decisions(String name) {
    return FILES.resolve(name + "-decisions.txt");
  }

  /** A status as it would be stored. */
  public static JsonNode json(Object status) {
    try {
      return JSON.readTree(KubernetesClients.serialization().asJson(status));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the differences between two statuses, except plans and conditions. */
  public static List<String> changes(Object before, Object after) {
    JsonNode earlier = json(before);
    JsonNode later = json(after);
    var fields = new TreeSet<String>();
    earlier.fieldNames().forEachRemaining(fields::add);
    later.fieldNames().forEachRemaining(fields::add);
    fields.removeAll(List.of("plan", "conditions"));
    return fields.stream()
        .filter(field -> !earlier.path(field).equals(later.path(field)))
        .map(field -> field + ": " + (later.has(field) ? later.get(field) : "gone"))
        .toList();
  }

  private static <T> List<Stored<T>> read(String name, Class<T> type) {
    var all = new ArrayList<Stored<T>>();
    for (ObjectNode entry : lines(FILES.resolve(name + ".jsonl"))) {
      all.add(
          new Stored<>(
              all.size() + 1,
              KubernetesClients.serialization().convertValue(entry.get("object"), type),
              entry.path("object").path("status"),
              list(entry.path("nodes"), SeiNode.class),
              list(entry.path("revisions"), ControllerRevision.class)));
    }
    return List.copyOf(all);
  }

  private static <T> List<T> list(JsonNode array, Class<T> type) {
    return StreamSupport.stream(array.spliterator(), false)
        .map(json -> KubernetesClients.serialization().convertValue(json, type))
        .toList();
  }

  private static List<ObjectNode> lines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      var all = new ArrayList<ObjectNode>();
      for (String line : lines.toList()) {
        all.add((ObjectNode) JSON.readTree(line));
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds to the corpus what tests have recorded and it lacks, and replaces that of the demo. */
  public static void main(String[] arguments) throws IOException {
    List<ObjectNode> recorded;
    try (Stream<Path> files = Files.list(RECORDED)) {
      recorded = files.sorted().flatMap(file -> lines(file).stream()).toList();
    }
    Files.createDirectories(FILES);
    List<ObjectNode> ofTests = recorded.stream().filter(entry -> !entry.has(SCENE)).toList();
    addWithMade("nodes", SeiNode.KIND, ofTests, "Running", MADE_OF_NODES);
    addWithMade("fleets", SeiNodeDeployment.KIND, ofTests, "Ready", MADE_OF_FLEETS);
    write("tasks", extended("tasks", SeiNodeTask.KIND, ofTests));
    write("keys", extended("keys", SeiSigningKey.KIND, ofTests));
    List<ObjectNode> ofDemo = recorded.stream().filter(entry -> entry.has(SCENE)).toList();
    if (!ofDemo.isEmpty()) {
      write("demo", staged(ofDemo));
    }
  }

  private static void write(String name, List<ObjectNode> entries) throws IOException {
    Path file = FILES.resolve(name + ".jsonl");
    Files.write(file, entries.stream().map(ObjectNode::toString).toList());
    System.out.printf("%s: %d, %d bytes%n", file, entries.size(), Files.size(file));
  }

  /**
   * Entries of a scene that differ in what GitOps tools read, without long fields that they do not
   * read; of faults, which begin and end like other scenes, those that are stalled.
   */
  private static List<ObjectNode> staged(List<ObjectNode> recorded) throws IOException {
    var staged = new LinkedHashMap<String, ObjectNode>();
    for (ObjectNode entry : recorded) {
      ObjectNode kept = entry.deepCopy();
      kept.remove(List.of("nodes", "revisions"));
      if (kept.at("/object/status") instanceof ObjectNode status) {
        status.remove(List.of("planHistory", "endpoint", "endpoints", "perPodServices"));
        if (status.path("plan") instanceof ObjectNode plan) {
          plan.putArray("tasks");
        }
      }
      if (!kept.path(SCENE).asText().startsWith(OF_FAULTS)) {
        staged.putIfAbsent(kept.path(SCENE).asText() + shownToTools(kept), kept);
      } else if (traits(kept).stream().anyMatch(trait -> trait.startsWith("Stalled=True"))) {
        staged.putIfAbsent(name(kept) + shownToTools(kept), kept);
      }
    }
    var all = new ArrayList<ObjectNode>();
    for (ObjectNode entry : staged.values()) {
      all.add(neutral(entry).put(SCENE, entry.path(SCENE).asText()));
    }
    return all;
  }

  private static String name(ObjectNode entry) {
    return entry.at("/object/metadata/name").asText();
  }

  private static String shownToTools(ObjectNode entry) {
    JsonNode object = entry.path("object");
    var shown = new ArrayList<String>();
    shown.add(object.path("kind").asText());
    boolean isObserved =
        object.at("/status/observedGeneration").equals(object.at("/metadata/generation"));
    shown.add("observed=" + isObserved);
    object.at("/status/conditions").forEach(condition -> shown.add(condition(condition)));
    return String.join("\n", shown);
  }

  /** The corpus with those of the recorded that show what it lacks. */
  private static List<ObjectNode> extended(String name, String kind, List<ObjectNode> recorded)
      throws IOException {
    Path file = FILES.resolve(name + ".jsonl");
    List<ObjectNode> kept = Files.exists(file) ? lines(file) : new ArrayList<>();
    var shown = new HashSet<String>();
    kept.forEach(entry -> shown.addAll(traits(entry)));
    Map<ObjectNode, Set<String>> rest = new HashMap<>();
    recorded.stream()
        .filter(entry -> entry.path("object").path("kind").asText().equals(kind))
        .map(StatusCorpus::reduced)
        .filter(entry -> entry.toString().length() < LONGEST)
        .forEach(entry -> rest.put(entry, traits(entry)));
    while (true) {
      rest.values().forEach(traits -> traits.removeAll(shown));
      rest.values().removeIf(Set::isEmpty);
      Optional<ObjectNode> best =
          rest.keySet().stream()
              .max(
                  Comparator.comparing(
                      entry -> (double) rest.get(entry).size() / entry.toString().length()));
      if (best.isEmpty()) {
        return kept;
      }
      shown.addAll(rest.get(best.get()));
      kept.add(neutral(best.get()));
    }
  }

  private static void addWithMade(
      String name, String kind, List<ObjectNode> recorded, String healthy, List<String> made)
      throws IOException {
    List<ObjectNode> kept = extended(name, kind, recorded);
    var shown = new HashSet<String>();
    kept.forEach(entry -> shown.addAll(traits(entry)));
    ObjectNode plain =
        kept.stream()
            .filter(entry -> entry.at("/object/status/phase").asText().equals(healthy))
            .filter(entry -> entry.at("/object/status/plan").isMissingNode())
            .filter(
                entry -> entry.at("/object/status/reason").asText().matches("(Pod|AllNodes)Ready"))
            .min(Comparator.comparing(entry -> entry.toString().length()))
            .orElseThrow();
    made.stream()
        .filter(condition -> !shown.contains(condition))
        .map(condition -> with(plain, condition.split("[=/]")))
        .forEach(kept::add);
    write(name, kept);
  }

  /** Returns the entry with another condition: its type, status and reason. */
  private static ObjectNode with(ObjectNode entry, String... condition) {
    ObjectNode with = entry.deepCopy();
    var conditions = (ArrayNode) with.at("/object/status/conditions");
    Iterator<JsonNode> each = conditions.elements();
    while (each.hasNext()) {
      if (each.next().path("type").asText().equals(condition[0])) {
        each.remove();
      }
    }
    conditions
        .addObject()
        .put("lastTransitionTime", NOW.minusSeconds(30).toString())
        .put("message", "made for a test")
        .put("observedGeneration", with.at("/object/metadata/generation").asLong())
        .put("reason", condition[2])
        .put("status", condition[1])
        .put("type", condition[0]);
    return with;
  }

  /**
   * Returns the entry with the parts by which a fleet is decided: of its nodes no parameters, of
   * its revisions those that it names.
   */
  private static ObjectNode reduced(ObjectNode entry) {
    ObjectNode reduced = entry.deepCopy();
    for (JsonNode node : reduced.path("nodes")) {
      if (node.path("status") instanceof ObjectNode status) {
        status.remove(List.of("planHistory", "endpoint"));
        status.path("plan").path("tasks").forEach(json -> ((ObjectNode) json).remove("params"));
      }
    }
    String fleet = reduced.path("object").toString() + reduced.path("nodes");
    Iterator<JsonNode> revisions = reduced.path("revisions").elements();
    while (revisions.hasNext()) {
      JsonNode revision = revisions.next();
      JsonNode labels = revision.path("metadata").path("labels");
      // Those of StatefulSets carry the fleet's label as well.
      if (!revision.path("data").has("template")
          || !fleet.contains(labels.path(Labels.REVISION).asText())) {
        revisions.remove();
      }
    }
    return reduced;
  }

  /** Returns the entry without parts that differ from run to run: uids, times, the namespace. */
  private static ObjectNode neutral(ObjectNode entry) throws IOException {
    String text = entry.toString();
    JsonNode object = entry.path("object");
    String namespace =
        object
            .at("/metadata/namespace")
            .asText(object.at("/spec/holder/namespace").asText("default"));
    text = text.replace(namespace, "default");
    Map<String, String> uids = new HashMap<>();
    text =
        replaced(
            text,
            UUID,
            uid ->
                uids.computeIfAbsent(
                    uid, value -> "00000000-0000-0000-0000-%012d".formatted(uids.size() + 1)));
    Instant stored = Instant.parse(entry.path("now").asText()).truncatedTo(ChronoUnit.SECONDS);
    Duration shift = Duration.between(stored, NOW);
    text = replaced(text, TIME, time -> Instant.parse(time).plus(shift).toString());
    ObjectNode neutral = (ObjectNode) JSON.readTree(text);
    neutral.remove(List.of("now", SCENE));
    return neutral;
  }

  private static String replaced(String text, Pattern pattern, Function<String, String> by) {
    return pattern.matcher(text).replaceAll(match -> by.apply(match.group()));
  }

  /** Returns the features by which an entry is worth keeping beside another. */
  public static String signature(ObjectNode entry) {
    return String.join("\n", traits(entry));
  }

  private static SortedSet<String> traits(ObjectNode entry) {
    var traits = new TreeSet<String>();
    JsonNode object = entry.path("object");
    JsonNode status = object.path("status");
    if (status.isMissingNode()) {
      JsonNode spec = object.path("spec");
      traits.add(spec.path("possession").asText() + "/" + spec.path("state").asText());
      addFields(spec, "has=", traits);
      return traits;
    }
    String phase = "phase=" + status.path("phase").asText();
    traits.add(phase);
    var conditions = new TreeMap<String, String>();
    for (JsonNode condition : status.path("conditions")) {
      String said = condition(condition);
      conditions.put(condition.path("type").asText(), said);
      traits.add(said);
    }
    traits.add(conditions.get("Ready") + " and " + conditions.get("Stalled"));
    JsonNode plan = status.path("plan");
    String kind = plan.path("kind").asText() + "/" + plan.path("phase").asText();
    traits.add("plan=" + kind + ", " + phase);
    for (JsonNode task : plan.path("tasks")) {
      if (!task.path("status").asText().equals("Complete")) {
        traits.add(
            "task=%s/%s/%s/%s"
                .formatted(
                    kind,
                    task.path("type").asText(),
                    task.path("status").asText(),
                    task.path("reason").asText()));
        break;
      }
    }
    addFields(status, "has=", traits);
    return traits;
  }

  private static String condition(JsonNode condition) {
    return "%s=%s/%s"
        .formatted(
            condition.path("type").asText(),
            condition.path("status").asText(),
            condition.path("reason").asText());
  }

  private static void addFields(JsonNode value, String path, SortedSet<String> traits) {
    if (value.isObject()) {
      value
          .properties()
          .forEach(
              field -> {
                traits.add(path + field.getKey());
                if (!path.endsWith("params.")) {
                  addFields(field.getValue(), path + field.getKey() + ".", traits);
                }
              });
    } else if (value.isArray()) {
      value.forEach(json -> addFields(json, path, traits));
    }
  }
}
