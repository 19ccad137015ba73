package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.disruption.RolloutPlan;
import io.sei.operator.testkit.RandomRecords;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever somebody writes to a fleet's status that the schema lets through, its limits hold. */
class HostileFleetTest extends FleetTestCase {

  private static final long SEED = 20260602;
  private static final int ROUNDS = 10;
  private static final String GIANT = "x".repeat(20_000);
  private static final String EXPLAIN = "{'metadata':{'annotations':{'sei.io/explain':'%s'}}}";

  private final Random random = new Random(SEED);

  /**
   * A template hash in no format of ours is another operator's, which is adopted only where listed.
   */
  @Override
  protected void startOperator() throws Exception {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR))
        .with("SEI_TAKEOVER_NAMESPACES", namespace)
        .start();
  }

  @Test
  @Tag("long")
  void everyStatusIsGotRightAndNoPodIsTouched() {
    createReady(2);
    final List<List<String>> pods = podUids(2);
    for (int round = 0; round < ROUNDS; round++) {
      String written = spoil();
      String asked = String.valueOf(round);
      patch(EXPLAIN.formatted(asked));
      try {
        // Answered by a reconcile that has read what was written.
        eventually(() -> assertThat(status().explain().request()).isEqualTo(asked));
        awaitUpToDate(2, A);
        eventually(this::assertNothingLeft);
      } catch (Throwable e) {
        throw new AssertionError("seed %d, round %d: %s".formatted(SEED, round, written), e);
      }
    }
    assertThat(podUids(2)).isEqualTo(pods);
  }

  private void assertNothingLeft() {
    assertThat(status().rollout()).isNull();
    assertThat(status().pausedRollout()).isNull();
    assertThat(status().plan()).isNull();
    assertThat(status().failedTemplateHash()).isNull();
    assertThat(status().completedTemplateHash()).isEqualTo(revision());
    assertThat(status().incumbentNodes()).containsExactly("fleet-0", "fleet-1");
    assertThat(status().nodes()).allMatch(node -> node.ready() && node.reason() == null);
  }

  private String revision() {
    return node(0).getMetadata().getLabels().get("sei.io/revision");
  }

  private void writeStatus(ObjectNode status) {
    client
        .resource(fleet())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            JsonNodeFactory.instance.objectNode().set("status", status).toString());
  }

  /** Writes until the API server takes it; says what. */
  private String spoil() {
    while (true) {
      ObjectNode status = spoiled();
      try {
        writeStatus(status);
        return status.toString();
      } catch (KubernetesClientException e) {
        assertThat(e.getCode()).as(e.getMessage()).isIn(400, 422);
      }
    }
  }

  private ObjectNode spoiled() {
    var texts =
        new ArrayList<>(List.of(revision(), revision(), A, FLEET + "-0", GIANT, "", "a\nb"));
    texts.addAll(List.of(RolloutPlan.UPDATE_NODE_SPECS, RolloutPlan.AWAIT_SPEC_UPDATE));
    SeiNodeDeploymentStatus made =
        new RandomRecords(random, texts, true)
            .make(SeiNodeDeploymentStatus.class)
            .withConditions(null)
            // Nothing but this record tells that a chain was made, and it is believed.
            .withGenesis(null);
    ObjectNode status = client.getKubernetesSerialization().convertValue(made, ObjectNode.class);
    var conditions =
        (ArrayNode)
            client
                .getKubernetesSerialization()
                .convertValue(fleet(), ObjectNode.class)
                .at("/status/conditions");
    for (var condition : conditions) {
      if (random.nextBoolean()) {
        ((ObjectNode) condition)
            .put("status", List.of("True", "False", "Unknown").get(random.nextInt(3)))
            .put("reason", List.of("Paused", "Wrong", "NotStarted").get(random.nextInt(3)))
            .put("lastTransitionTime", "9999-12-31T23:59:59Z");
      }
    }
    status.set("conditions", conditions);
    for (String field : List.of("phase", "nodes", "incumbentNodes", "templateHash")) {
      if (random.nextInt(6) == 0) {
        status.set(field, NullNode.getInstance());
      }
    }
    status.set("updated", TextNode.valueOf(texts.get(random.nextInt(texts.size()))));
    return status;
  }
}
