package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ContainerNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.render.SpecHash;
import io.sei.operator.testkit.RandomRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whatever somebody writes to a status that the schema lets through, the node gets right again. The
 * StatefulSet it names is left out: that one is to be replaced by another is what it is for.
 */
class HostileStatusTest extends RolloutTestCase {

  private static final long SEED = 20260601;
  private static final int ROUNDS = 12;
  private static final String GIANT = "x".repeat(20_000);

  private final Random random = new Random(SEED);

  @Test
  @Tag("long")
  void everyStatusIsGotRightAndNoPodIsTouched() {
    createRunning();
    String pod = podUid();
    for (int round = 0; round < ROUNDS; round++) {
      String written = spoil();
      String asked = String.valueOf(round);
      patch(
          "{'metadata':{'annotations':{'sei.io/retry':'%s','sei.io/explain':'%s'}}}"
              .formatted(asked, asked));
      try {
        // Answered by a reconcile that has read what was written.
        eventually(() -> assertThat(node().getStatus().explain().request()).isEqualTo(asked));
        awaitUpToDate(A);
        eventually(() -> assertThat(plan()).isNull());
      } catch (Throwable e) {
        throw new AssertionError("seed %d, round %d: %s".formatted(SEED, round, written), e);
      }
    }
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
  }

  /** Writes until the API server takes it; says what. */
  private String spoil() {
    while (true) {
      ObjectNode status = spoiled(node());
      String patch = new ObjectMapper().createObjectNode().set("status", status).toString();
      try {
        client
            .resource(node())
            .subresource("status")
            .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
        return patch;
      } catch (KubernetesClientException e) {
        assertThat(e.getCode()).as(e.getMessage()).isIn(400, 422);
      }
    }
  }

  private ObjectNode spoiled(SeiNode node) {
    var serialization = client.getKubernetesSerialization();
    ObjectNode status = serialization.convertValue(node.getStatus(), ObjectNode.class);
    status.remove(List.of("statefulSet", "replacing"));
    if (random.nextInt(3) != 0) {
      var texts =
          new ArrayList<>(List.of(SpecHash.of(node), A, "sei.io/sidecar", GIANT, "", "a\nb"));
      // A set has another order in every run, and a seed would say nothing.
      OfflineNode.ENGINE.names().stream().sorted().forEach(texts::add);
      TaskPlan plan = new RandomRecords(random, texts, true).make(TaskPlan.class);
      status.set("plan", serialization.convertValue(plan, ObjectNode.class));
    }
    for (int i = 0; i < 3; i++) {
      spoilOne(status);
    }
    return status;
  }

  /** Changes one field somewhere below. */
  private void spoilOne(ContainerNode<?> parent) {
    int index = random.nextInt(Math.max(1, parent.size()));
    if (parent instanceof ObjectNode object && !object.isEmpty()) {
      String name = object.properties().stream().skip(index).findFirst().orElseThrow().getKey();
      if (object.get(name) instanceof ContainerNode<?> inner && random.nextInt(4) != 0) {
        spoilOne(inner);
      } else {
        object.set(name, wrong(object.get(name)));
      }
    } else if (parent instanceof ArrayNode array && !array.isEmpty()) {
      if (array.get(index) instanceof ContainerNode<?> inner) {
        spoilOne(inner);
      } else {
        array.set(index, wrong(array.get(index)));
      }
    }
  }

  private JsonNode wrong(JsonNode right) {
    if (random.nextInt(3) == 0) {
      return NullNode.getInstance();
    }
    if (right.isTextual()) {
      return TextNode.valueOf(List.of("", GIANT, "a\nb", "wrong").get(random.nextInt(4)));
    }
    if (right.isNumber()) {
      return IntNode.valueOf(List.of(-1, 0, Integer.MAX_VALUE).get(random.nextInt(3)));
    }
    return right.isArray() ? new ObjectMapper().createArrayNode() : NullNode.getInstance();
  }
}
