package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.kube.SubsetDiff;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A GitOps tool applies the same manifest again and again, each in its own way, and each edit of it
 * reaches the nodes.
 */
class GitOpsTest extends FleetTestCase {

  private static final String SERVER_SIDE = "apply --server-side --field-manager=gitops";

  private static final String ALONE = "alone";
  private static final int TIMES = 5;

  private static final String GENERATION =
      "snapshotGeneration: {tendermint: {keepRecent: 5, publish: {}}}";

  private static final List<Edit> EDITS =
      List.of(
          new Edit("fullNode: {" + GENERATION + "}", "fullNode: {}"),
          new Edit("archive: {" + GENERATION + "}", "archive: {}"),
          new Edit("fullNode: {snapshot: {stateSync: {}, backfillBlocks: 7}}", "fullNode: {}"),
          full("overrides: {mempool.size: '10'}", "overrides: {}"),
          full("resources: {requests: {cpu: '1'}}", "resources: {}"),
          full("resources: {requests: {cpu: '1'}}", "resources: {requests: {}}"),
          full("scheduling: {nodeSelector: {disk: fast}}", "scheduling: {}"),
          full("updatePolicy: {config: OnNextStart}", "updatePolicy: {}"),
          full("podLabels: {team: rpc}", "podLabels: {}"),
          full(
              "peers: [{static: {addresses:"
                  + " ['0123456789012345678901234567890123456789@a.example:26656']}}]",
              "peers: []"),
          full(
              "configValues: [{fileName: app.toml, key: a, value: {b: 1}}]",
              "configValues: [{fileName: app.toml, key: a, value: {}}]"),
          new Edit(
              "fullNode: {snapshot: {s3: {targetHeight: 9}, trustPeriod: 168h}}",
              "fullNode: {snapshot: {stateSync: {}}}"),
          new Edit(
              "fullNode: {" + GENERATION + "}",
              "fullNode: {snapshotGeneration: {tendermint: {keepRecent: 5}}}"));

  @TempDir private Path directory;

  static Stream<Arguments> tools() {
    return Cases.of(
        1,
        Arguments.of(SERVER_SIDE, SERVER_SIDE + " --force-conflicts"),
        Arguments.of("apply", "apply"),
        Arguments.of("create", "replace"));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("tools")
  void manifestThatIsAppliedAgainCausesNoWriteAndNoRestart(String first, String again) {
    kubectl(first, 0);
    eventually(() -> assertThat(readAll(SeiNode.class)).hasSize(2).allMatch(GitOpsTest::isAtRest));
    kubectl(again, 1);
    awaitAnswer(1);
    awaitAnotherLookAtNodes();
    kubectl(again, 2);
    awaitAnswer(2);
    operator.requests().clear();

    for (int time = 0; time < TIMES; time++) {
      kubectl(again, 2);
    }

    kubectl(again, 3);
    awaitAnswer(3);
    assertThat(operator.requests().matching(Request::isWrite))
        .as("the answers to what the last manifest asks for")
        .hasSize(2)
        .allMatch(request -> request.path().endsWith("/status"));
    assertThat(pods(0)).hasSize(1);
    assertThat(kubelet.history(namespace, ALONE + "-0")).hasSize(1);
  }

  private static boolean isAtRest(SeiNode node) {
    return List.of(
            NodeConditionType.READY, NodeConditionType.UP_TO_DATE, NodeConditionType.SIDECAR_READY)
        .stream()
        .allMatch(type -> Conditions.isTrue(node.getStatus().conditions(), type));
  }

  /** Waits until fleet and node report what the manifest with this number asks for. */
  private void awaitAnswer(int number) {
    String request = String.valueOf(number);
    eventually(
        () -> {
          assertThat(status().explain().request()).isEqualTo(request);
          assertThat(read(SeiNode.class, ALONE).getStatus().explain().request()).isEqualTo(request);
        });
  }

  private void kubectl(String how, int number) {
    var command = new ArrayList<>(List.of("-n", namespace));
    command.addAll(List.of(how.split(" ")));
    command.addAll(List.of("-f", manifest(number).toString()));
    KubectlResult result = controlPlane.kubectl(command.toArray(String[]::new));
    assertThat(result.exitCode()).as("%s", result).isZero();
  }

  private Path manifest(int number) {
    try {
      return Files.writeString(
          directory.resolve("manifest.yaml"),
          """
          apiVersion: sei.io/v1alpha1
          kind: SeiNodeDeployment
          metadata:
            name: %s
            annotations: {sei.io/explain: "%d"}
          spec:
            replicas: 1
            template:
              spec: {chainId: atlantic-2, image: "%s", fullNode: {}}
          ---
          apiVersion: sei.io/v1alpha1
          kind: SeiNode
          metadata:
            name: %s
            annotations: {sei.io/explain: "%d"}
          spec: {chainId: atlantic-2, image: "%s", fullNode: {}}
          """
              .formatted(FLEET, number, A, ALONE, number, A));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Checks the columns of {@code kubectl get snd} at every moment, and that they agree. */
  @Test
  @Tag("long")
  void aFleetIsNeverDegradedOnItsWayUp() {
    kubelet.injectForImage(A, PodFault.NEVER_READY);
    try (var watch = new FleetWatch(client, namespace)) {
      create(fleetSpec(2, A));
      eventually(
          () -> {
            assertThat(status().nodes()).hasSize(2);
            assertThat(status().nodes()).allMatch(node -> node.phase() == NodePhase.RUNNING);
          });
      kubelet.clearAll();
      awaitUpToDate(2, A);

      patch("{'spec':{'replicas':3}}");
      awaitUpToDate(3, A);
      setImage(B);
      awaitUpToDate(3, B);

      assertThat(phases(watch.statuses()))
          .containsSequence(FleetPhase.INITIALIZING, FleetPhase.READY)
          .containsSequence(FleetPhase.UPGRADING, FleetPhase.READY)
          .doesNotContain(FleetPhase.DEGRADED, FleetPhase.FAILED);
      assertThat(watch.statuses()).allSatisfy(GitOpsTest::assertColumnsAgree);
      assertThat(watch.statuses())
          .filteredOn(status -> status.rollout() != null)
          .allSatisfy(status -> assertThat(status.plan().target().image()).isEqualTo(B));
    }
  }

  private static List<FleetPhase> phases(List<SeiNodeDeploymentStatus> statuses) {
    return statuses.stream().map(SeiNodeDeploymentStatus::phase).filter(Objects::nonNull).toList();
  }

  /** Asserts that the columns of a fleet agree. */
  static void assertColumnsAgree(SeiNodeDeploymentStatus status) {
    FleetPhase phase = status.phase();
    boolean allReady = isTrue(status, FleetConditionType.READY);
    boolean upToDate = isTrue(status, FleetConditionType.UP_TO_DATE);
    assertThat(phase == FleetPhase.UPGRADING).as("%s", status).isEqualTo(status.rollout() != null);
    if (allReady) {
      assertThat(status.readyReplicas()).as("%s", status).isEqualTo(status.replicas());
    }
    if (phase == FleetPhase.READY) {
      assertThat(allReady).as("%s", status).isTrue();
    }
    if (upToDate) {
      assertThat(status.updated()).isEqualTo("%1$d/%1$d".formatted(status.replicas()));
    }
    assertThat(status.reason().equals(FleetReason.ALL_NODES_READY.toString()))
        .as("%s", status)
        .isEqualTo(allReady && upToDate);
    assertThat(status.reason()).isIn(status.conditions().stream().map(Condition::reason).toList());
  }

  private static boolean isTrue(SeiNodeDeploymentStatus status, FleetConditionType type) {
    return Conditions.isTrue(status.conditions(), type);
  }

  /** The fields of a template before and after an edit. */
  private record Edit(String before, String after) {}

  private static Edit full(String before, String after) {
    return new Edit("fullNode: {}, " + before, "fullNode: {}, " + after);
  }

  /**
   * An object of a template that loses its last field reaches the nodes of its fleet. Server-side
   * apply makes null of it, which no custom resource may have there.
   */
  @Test
  void everyEditOfATemplateReachesTheNodes() {
    // The pod itself does not matter here.
    kubelet.close();
    for (int i = 0; i < EDITS.size(); i++) {
      client.resource(fleet(i)).create();
    }
    eventually(() -> assertThat(readAll(SeiNode.class)).hasSize(EDITS.size()));

    for (int i = 0; i < EDITS.size(); i++) {
      String after = EDITS.get(i).after();
      client.resource(fleet(i)).edit(fleet -> withTemplate(fleet, after));
    }

    for (int i = 0; i < EDITS.size(); i++) {
      int edit = i;
      eventually(() -> assertThat(differences(edit)).as("%s", EDITS.get(edit)).isEmpty());
    }
    assertThat(readAll(SeiNodeDeployment.class))
        .noneMatch(
            fleet ->
                Conditions.find(fleet.getStatus().conditions(), FleetConditionType.STALLED)
                    .filter(condition -> condition.isFor(StallReason.APPLY_REFUSED))
                    .isPresent());
  }

  @Tag("long")
  @Test
  void rollbackRestoresATemplateWithAnEmptyObject() {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    createReady(1, FleetRollbackTest.ROLLBACK);
    patch(
        "{'spec':{'template':{'spec':{'image':'%s',%s}}}}"
            .formatted(B, "'fullNode':{'snapshotGeneration':{'tendermint':{'keepRecent':5}}}"));

    eventually(() -> assertThat(status().reason()).isEqualTo(FleetReason.ROLLED_BACK.toString()));
    eventually(() -> assertThat(node(0).getSpec().fullNode()).isEqualTo(new FullNode(null, null)));
    eventually(() -> assertThat(currentImages()).containsOnly(A));
  }

  /** The way out that docs/gitops.md gives to those who apply server-side themselves. */
  @Tag("long")
  @Test
  void personWhoAppliesServerSideTakesTheFieldOffFirst() {
    GenericKubernetesResource fleet = fleet(0);
    applyServerSide(fleet);
    GenericKubernetesResource emptied = withTemplate(fleet, EDITS.get(0).after());
    assertThatThrownBy(() -> applyServerSide(emptied)).hasMessageContaining("null");

    patch(
        read(SeiNodeDeployment.class, name(0)),
        "{'spec':{'template':{'spec':{'fullNode':{'snapshotGeneration':null}}}}}");

    applyServerSide(emptied);
    assertThat(read(SeiNodeDeployment.class, name(0)).getSpec().template().spec().fullNode())
        .isEqualTo(new FullNode(null, null));
    applyServerSide(withTemplate(fleet, "fullNode: {}, overrides: {mempool.size: '10'}"));
    applyServerSide(withTemplate(fleet, "fullNode: {}"));
    assertThat(read(SeiNodeDeployment.class, name(0)).getSpec().template().spec().overrides())
        .isNull();
  }

  private void applyServerSide(GenericKubernetesResource fleet) {
    client.resource(fleet).fieldManager("gitops").forceConflicts().serverSideApply();
  }

  private static String name(int edit) {
    return "edit-" + edit;
  }

  /** Returns the fleet as a user writes it: the types of the operator leave out empty fields. */
  private GenericKubernetesResource fleet(int edit) {
    String fleet =
        """
        apiVersion: sei.io/v1alpha1
        kind: SeiNodeDeployment
        metadata: {name: %s, namespace: %s}
        spec: {replicas: 1}
        """;
    return withTemplate(
        Samples.yaml(GenericKubernetesResource.class, fleet, name(edit), namespace),
        EDITS.get(edit).before());
  }

  private static GenericKubernetesResource withTemplate(
      GenericKubernetesResource fleet, String fields) {
    Map<String, Object> spec = fleet.get("spec");
    spec.put("template", Map.of("spec", fields(fields)));
    return fleet;
  }

  private static Map<?, ?> fields(String fields) {
    return Samples.yaml(Map.class, "{chainId: atlantic-2, image: 'sei:v1', " + fields + "}");
  }

  /**
   * Returns the fields in which a node differs from its template, both ways; an empty field counts
   * as absent.
   */
  private List<String> differences(int edit) {
    JsonNode wanted = json(fields(EDITS.get(edit).after()));
    JsonNode live = json(read(SeiNode.class, name(edit) + "-0").getSpec().withPodLabels(null));
    return Stream.of(SubsetDiff.of(wanted, live), SubsetDiff.of(live, wanted))
        .flatMap(List::stream)
        .toList();
  }

  private JsonNode json(Object value) {
    return client.getKubernetesSerialization().convertValue(value, JsonNode.class);
  }
}
