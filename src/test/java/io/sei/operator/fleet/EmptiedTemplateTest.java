package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.kube.SubsetDiff;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An object of a template that loses its last field reaches the nodes of its fleet. Server-side
 * apply makes null of it, which no custom resource may have there.
 */
class EmptiedTemplateTest extends FleetTestCase {

  private static final String GENERATION =
      "snapshotGeneration: {tendermint: {keepRecent: 5, publish: {}}}";

  /** The fields of a template before and after an edit. */
  private record Edit(String before, String after) {}

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

  private static Edit full(String before, String after) {
    return new Edit("fullNode: {}, " + before, "fullNode: {}, " + after);
  }

  @Test
  void everyEditOfATemplateReachesTheNodes() {
    // What a pod makes of it is of no interest.
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
