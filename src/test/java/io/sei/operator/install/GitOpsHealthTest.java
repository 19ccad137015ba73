package io.sei.operator.install;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeTaskConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.diagnosis.UpgradePanic;
import io.sei.operator.fleet.FleetStatus;
import io.sei.operator.fleet.FleetStatusCorpusTest;
import io.sei.operator.fleet.OfflineFleet;
import io.sei.operator.fleet.feature.Assigned;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.kube.OwnedObjects.Outcome.Foreign;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.StatusCorpusTest;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.testkit.GitOpsTools;
import io.sei.operator.testkit.GitOpsTools.Health;
import io.sei.operator.testkit.StatusCorpus;
import io.sei.operator.testkit.StatusCorpus.Staged;
import io.sei.operator.testkit.StatusCorpus.Stored;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The health of nodes, fleets, tasks and keys as docs/gitops.md has it, computed by the library
 * kstatus, by Flux's expressions and by the Lua that is shipped.
 */
class GitOpsHealthTest {

  private static final Path PAGE = Path.of("docs", "gitops.md");
  private static final Instant NOW = NodeSample.NOW;
  private static final Instant LONG_AGO = NOW.minus(Duration.ofHours(1));
  private static final Optional<Finding> NONE = Optional.empty();
  private static final NodeSample READY = aNode(A).running().withReadyPod();
  private static final NodeSample UNREADY = aNode(A).running().withPod();

  @Test
  void everyRowOfThePageIsTrue() throws IOException {
    Map<String, Health> rows = rows();
    Map<String, List<HasMetadata>> situations = situations();
    assertThat(situations.keySet()).containsExactlyInAnyOrderElementsOf(rows.keySet());

    var objects = new ArrayList<HasMetadata>();
    var expected = new ArrayList<String>();
    var situated = new ArrayList<String>();
    situations.forEach(
        (situation, examples) -> {
          for (HasMetadata example : examples) {
            objects.add(example);
            situated.add("%s: %s".formatted(situation, example.getKind()));
            expected.add(situated.getLast() + " " + rows.get(situation));
          }
        });
    List<Health> computed = GitOpsTools.health(objects, expressions());

    var actual = new ArrayList<String>();
    for (int i = 0; i < objects.size(); i++) {
      actual.add(situated.get(i) + " " + computed.get(i));
    }
    assertThat(actual).containsExactlyElementsOf(expected);
  }

  @Test
  void keysAreAlwaysCurrent() throws IOException {
    List<HasMetadata> keys =
        Stream.concat(
                StatusCorpus.keys().stream().map(Stored::resource),
                StatusCorpus.demo().stream().map(Staged::resource))
            .filter(SeiSigningKey.class::isInstance)
            .<HasMetadata>map(key -> key)
            .toList();

    assertThat(keys).hasSizeGreaterThan(10);
    assertThat(GitOpsTools.health(keys, expressions()))
        .allSatisfy(health -> assertThat(health.kstatus()).isEqualTo("Current"));
  }

  /** The statuses are those that tests recorded, as the operator writes them next. */
  @Test
  void noRecordedObjectIsFalselyGreenOrRed() throws IOException {
    List<HasMetadata> objects =
        Stream.<HasMetadata>concat(StatusCorpusTest.written(), FleetStatusCorpusTest.written())
            .toList();
    assertHealth(objects, objects.stream().map(object -> "").toList());
    assertThat(objects.stream().map(Situation::of).collect(Collectors.toSet()))
        .contains(
            Situation.READY,
            Situation.ROLLING_OUT,
            Situation.RESTARTING,
            Situation.PAUSED,
            Situation.HALTED,
            Situation.STALLED,
            Situation.ROLLED_BACK,
            Situation.BEHIND_UPGRADE);
  }

  /** The statuses are those that the API server stored while the demo was played. */
  @Test
  void everyStatusOfTheDemoIsWhatThePageSays() throws IOException {
    List<Staged> demo =
        StatusCorpus.demo().stream()
            .filter(staged -> !staged.resource().isMarkedForDeletion())
            .filter(staged -> !(staged.resource() instanceof SeiSigningKey))
            .toList();

    assertHealth(
        demo.stream().map(Staged::resource).toList(),
        demo.stream().map(staged -> staged.scene() + ": ").toList());
  }

  @Test
  void everyRecordedStatusOfATaskIsWhatThePageSays() throws IOException {
    List<HasMetadata> tasks =
        StatusCorpus.tasks().stream().<HasMetadata>map(Stored::resource).toList();

    assertHealth(tasks, tasks.stream().map(task -> "recorded: ").toList());
  }

  private static void assertHealth(List<HasMetadata> objects, List<String> about)
      throws IOException {
    Map<String, Health> rows = rows();
    List<Health> computed = GitOpsTools.health(objects, expressions());
    var wrong = new ArrayList<String>();
    for (int i = 0; i < objects.size(); i++) {
      String situation = Situation.of(objects.get(i));
      Health expected = rows.get(situation);
      if (!computed.get(i).equals(expected)) {
        wrong.add(
            "%s%s %s, %s: %s, and the page has %s"
                .formatted(
                    about.get(i),
                    objects.get(i).getKind(),
                    objects.get(i).getMetadata().getName(),
                    situation,
                    computed.get(i),
                    expected));
      }
    }
    assertThat(wrong).isEmpty();
  }

  private static Map<String, Health> rows() throws IOException {
    Map<String, List<String>> argo = table("| Situation | Argo CD shows |");
    Map<String, List<String>> flux =
        table("| Situation | Flux with the expressions | kstatus alone |");
    assertThat(argo.keySet()).containsExactlyInAnyOrderElementsOf(flux.keySet());
    var rows = new LinkedHashMap<String, Health>();
    flux.forEach(
        (situation, cells) ->
            rows.put(
                situation,
                new Health(cells.get(1), cells.getFirst(), argo.get(situation).getFirst())));
    return rows;
  }

  /** Returns the cells of a table after the first one, by the first one. */
  private static Map<String, List<String>> table(String heading) throws IOException {
    List<String> lines = Files.readAllLines(PAGE);
    assertThat(lines).contains(heading);
    return lines.stream()
        .skip(lines.indexOf(heading) + 2L)
        .takeWhile(line -> line.startsWith("|"))
        .map(line -> List.of(line.substring(2, line.length() - 2).split(" [|] ")))
        .collect(Collectors.toMap(List::getFirst, cells -> cells.subList(1, cells.size())));
  }

  private static List<String> expressions() throws IOException {
    String page = Files.readString(PAGE);
    String yaml = page.split("```yaml\n")[1].split("```")[0];
    JsonNode exprs =
        new ObjectMapper(new YAMLFactory()).readTree(yaml).at("/spec/healthCheckExprs/0");
    return Stream.of("failed", "current")
        .map(name -> name + "=" + exprs.path(name).asText())
        .toList();
  }

  private static Map<String, List<HasMetadata>> situations() {
    var all = new LinkedHashMap<String, List<HasMetadata>>();
    all.put(Situation.READY, List.of(fleet(two()), node(READY)));
    all.put(Situation.ROLLING_OUT, rollingOut());
    all.put(
        "The nodes get another configuration",
        List.of(fleet(aFleet(2, A).child(0, A).child(1, A, NodeSample::outdated))));
    all.put(
        Situation.RESTARTING,
        List.of(
            fleet(aFleet(2, A).child(0, A)),
            fleet(aFleet(1, A).child(0, A, node -> node.unready("CatchingUp"))),
            node(UNREADY),
            node(READY.withoutPod())));
    all.put(
        Situation.PARTITION_REACHED,
        List.of(
            fleet(
                aFleet(2, B)
                    .child(0, A)
                    .child(1, B)
                    .spec(spec -> spec.withUpdateStrategy(strategy(1, null))))));
    all.put(Situation.ROLLOUTS_PAUSED, List.of(fleet(pausedRollouts())));
    all.put(
        Situation.ROLLOUT_PAUSED,
        List.of(
            fleet(
                pausedRollouts()
                    .status(
                        status ->
                            status.withPausedRollout(
                                new Rollout(
                                    hash(B),
                                    LONG_AGO,
                                    List.of(new RolloutNode("fleet-1", LONG_AGO, true))))))));
    all.put(
        Situation.PAUSED,
        List.of(
            fleet(aFleet(1, A).child(0, A, stopped()).spec(spec -> spec.withPaused(true))),
            node(READY.paused())));
    all.put(Situation.HELD, List.of(node(aNode(A).running().held().withPod())));
    all.put(
        Situation.PARTLY_PAUSED,
        List.of(
            fleet(aFleet(2, A).child(0, A, NodeSample::paused).child(1, A)),
            fleet(aFleet(2, A).child(0, A, node -> node.stalled("DiskFull").held()).child(1, A))));
    all.putAll(troubles());
    all.put(Situation.NOT_SEEN, unseen());
    return all;
  }

  private static Map<String, List<HasMetadata>> troubles() {
    var all = new LinkedHashMap<String, List<HasMetadata>>();
    all.put(Situation.HALTED, List.of(halted("v2")));
    all.put(
        Situation.HALTED_UNLISTED,
        List.of(
            halted("v3"),
            fleet(aFleet(1, A).child(0, A, node -> node.stalled("HaltedAtUpgrade")))));
    all.put(
        Situation.STALLED,
        List.of(
            fleet(aFleet(2, A).child(0, A).child(1, A, node -> node.stalled("ImagePull"))),
            node(
                UNREADY,
                Optional.of(new Finding(StallReason.IMAGE_PULL, "no image", "act", true)))));
    all.put(Situation.INVALID, invalid());
    all.put(
        Situation.ROLLED_BACK,
        List.of(
            fleet(
                aFleet(1, A)
                    .ready()
                    .image(B)
                    .kept(A)
                    .status(status -> status.withFailedTemplateHash(hash(B))))));
    all.put(Situation.BEHIND_UPGRADE, List.of(behindUpgrade()));
    all.put(
        Situation.SERVICE_CONFLICT,
        List.of(
            fleet(
                two(),
                pass ->
                    pass.conflict(
                        new Foreign(new ServiceRenderer().internal(pass.deployment()), "X")))));
    all.put(
        Situation.TASK_GOES_ON,
        List.of(
            task(status -> status),
            task(
                status ->
                    status
                        .in(NodeTaskPhase.RUNNING, NOW)
                        .with(
                            NodeTaskConditionType.TARGET_READY,
                            ConditionStatus.TRUE,
                            NodeTaskReason.PHASE_MET,
                            "the sidecar can be asked",
                            NOW))));
    all.put(
        Situation.TASK_COMPLETE,
        List.of(ended(NodeTaskConditionType.READY, NodeTaskReason.TASK_COMPLETE)));
    all.put(
        Situation.TASK_FAILED,
        List.of(ended(NodeTaskConditionType.FAILED, NodeTaskReason.TIMEOUT)));
    return all;
  }

  private static List<HasMetadata> rollingOut() {
    var rollout = new Rollout(hash(B), LONG_AGO, null);
    return List.of(
        fleet(aFleet(2, A).ready().image(B)),
        fleet(aFleet(2, A).ready().image(B).status(status -> status.withRollout(rollout))),
        fleet(
            aFleet(2, B)
                .child(0, A)
                .child(1, B, node -> node.unready("PodReplacing"))
                .status(status -> status.withRollout(rollout))),
        node(READY.plan(aPlan(PlanKind.UPDATE, B, "a", "b").complete(1).build()).image(B)));
  }

  private static List<HasMetadata> invalid() {
    FieldError error = new FieldError("spec.replicas", "must be set");
    Finding finding = Diagnosis.invalid("spec.replicas");
    FleetView view = two().view();
    SeiNodeDeployment fleet = view.deployment();
    fleet.setStatus(
        FleetStatus.concluded(
            view.stored(),
            FleetStatus.stalled(
                FleetStatus.invalid(view.deployment(), any -> view, List.of(error), view.now()),
                finding,
                7L,
                view.now()),
            7L,
            view.now()));
    SeiNode node = aNode(A).build();
    Long generation = node.getMetadata().getGeneration();
    node.setStatus(aNode(A).running().status());
    SeiNodeStatus invalid = NodeStatus.invalid(node, List.of(error), NOW);
    node.setStatus(
        NodeStatus.concluded(
            aNode(A).running().status(),
            invalid.withConditions(finding.stalls(invalid.conditions(), generation, NOW)),
            generation,
            NOW));
    return List.of(fleet, node);
  }

  private static List<HasMetadata> unseen() {
    SeiNodeDeployment fleet = two().view().deployment();
    fleet.setStatus(null);
    SeiNode node = aNode(A).build();
    node.setStatus(null);
    SeiNodeTask task = task(status -> status);
    task.setStatus(null);
    return List.of(fleet, node, task);
  }

  private static FleetSample two() {
    return aFleet(2, A).ready();
  }

  private static FleetSample pausedRollouts() {
    return aFleet(2, A)
        .ready()
        .image(B)
        .spec(spec -> spec.withUpdateStrategy(strategy(null, true)));
  }

  private static UpdateStrategy strategy(Integer partition, Boolean paused) {
    return new UpdateStrategy(
        UpdateStrategy.Type.IN_PLACE,
        new UpdateStrategy.InPlace(null, partition, null, null, null),
        paused);
  }

  /** Paused, and its pod is gone. */
  private static UnaryOperator<NodeSample> stopped() {
    return node ->
        node.paused()
            .status(
                status ->
                    status.withConditions(
                        Conditions.with(
                            status.conditions(),
                            NodeConditionType.PAUSED,
                            ConditionStatus.TRUE,
                            NodeReason.PAUSED,
                            "the pod is gone",
                            1L,
                            LONG_AGO)));
  }

  private static SeiNodeDeployment fleet(FleetSample fleet) {
    return fleet(fleet, pass -> {});
  }

  private static SeiNodeDeployment fleet(FleetSample fleet, Consumer<FleetPass> what) {
    FleetView view = fleet.view();
    var pass = new FleetPass(view, live -> live);
    pass.assigned(Assigned.EVERY_NODE);
    what.accept(pass);
    SeiNodeDeployment seen = view.deployment();
    seen.setStatus(
        FleetStatus.concluded(
            view.stored(),
            FleetStatus.of(pass, OfflineFleet.CONDITIONS),
            seen.getMetadata().getGeneration(),
            view.now()));
    return seen;
  }

  /** Halted for v2 an hour ago. */
  private static SeiNode halted(String listed) {
    var halt =
        new UpgradeHalt("run", new UpgradePanic(UpgradePanic.Kind.NEEDED, "v2", 200L), "line");
    NodeSample node =
        UNREADY
            .upgrades(new Upgrade(listed, 200L, B, null))
            .condition(NodeConditionType.READY, false, "Before", LONG_AGO)
            .condition(NodeConditionType.UP_TO_DATE, true, "Before", LONG_AGO)
            .condition(NodeConditionType.PAUSED, false, "Before", LONG_AGO)
            .with(view -> view.withHalt(Optional.of(halt)));
    return node(node, Optional.of(new Finding(StallReason.HALTED_AT_UPGRADE, "v2", "act", false)));
  }

  private static SeiNode behindUpgrade() {
    List<UpgradeStatus> applied =
        List.of(applied("v1", 100L, "sei:x", A), applied("v2", 200L, B, "sei:x"));
    return node(READY.status(status -> status.withUpgrades(applied)));
  }

  private static UpgradeStatus applied(String name, long height, String image, String superseded) {
    return UpgradeStatus.scheduled(new Upgrade(name, height, image, null))
        .with(builder -> builder.state(UpgradeState.APPLIED).supersededImage(superseded));
  }

  private static SeiNode node(NodeSample node) {
    return node(node, NONE);
  }

  private static SeiNode node(NodeSample sample, Optional<Finding> finding) {
    NodePass pass = sample.pass();
    NodeStatus.record(pass, OfflineNode.CONDITIONS);
    NodeStatus.derive(
        pass, finding, new ProgressDeadline(Duration.ofMinutes(10)), OfflineNode.CONDITIONS);
    SeiNode node = sample.build();
    node.setStatus(
        NodeStatus.concluded(
            sample.status(), pass.draft(), node.getMetadata().getGeneration(), NOW));
    return node;
  }

  private static SeiNodeTask task(UnaryOperator<SeiNodeTaskStatus> change) {
    var task = new SeiNodeTask();
    task.setMetadata(new ObjectMetaBuilder().withName("task").withGeneration(1L).build());
    task.setStatus(
        change.apply(SeiNodeTaskStatus.empty().withObservedGeneration(1L)).concluded(NOW));
    return task;
  }

  private static SeiNodeTask ended(NodeTaskConditionType type, NodeTaskReason reason) {
    return task(
        status ->
            status
                .in(
                    type == NodeTaskConditionType.READY
                        ? NodeTaskPhase.COMPLETE
                        : NodeTaskPhase.FAILED,
                    NOW)
                .with(type, ConditionStatus.TRUE, reason, "it has ended", NOW));
  }
}
