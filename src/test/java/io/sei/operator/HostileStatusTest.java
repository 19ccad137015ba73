package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.fleet.FleetTestCase;
import io.sei.operator.fleet.disruption.RolloutPlan;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.render.SpecHash;
import io.sei.operator.testkit.HostileInput;
import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.RandomActions;
import io.sei.operator.testkit.RandomActions.Action;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Users and backups write any status that the schema lets through, to a node and to a fleet. Both
 * are repaired, and no pod is touched.
 */
class HostileStatusTest extends FleetTestCase {

  private static final long SEED = 20260601;
  private static final int ROUNDS = 24;
  private static final int REPLICAS = 2;
  private static final String NODE = "alone";

  /** A StatefulSet of another uid is to be replaced: that is what these fields are for. */
  private static final List<String> IDENTITY = List.of("statefulSet", "replacing");

  private final Random random = new Random(SEED);

  /** A template hash in no format of ours is another operator's, adopted only where listed. */
  @Override
  protected void startOperator() throws Exception {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR))
        .with("SEI_TAKEOVER_NAMESPACES", namespace)
        .start();
  }

  @Test
  @Tag("long")
  void everyStatusIsRepairedAndNoPodIsTouched() {
    create(fleetSpec(REPLICAS, A));
    client.resource(Samples.node(namespace, NODE, spec(A))).create();
    eventually(this::assertAllAsDeclared);
    List<List<String>> pods = pods();
    var actions =
        new RandomActions(
            random,
            List.of(
                new Action("status of the node", 1, _ -> overwriteNode()),
                new Action("status of the fleet", 1, _ -> overwriteFleet())));
    for (int round = 0; round < ROUNDS; round++) {
      String written = actions.next();
      String request = String.valueOf(round);
      try {
        // Answered by a reconcile that has read what was written.
        awaitAnswers(request);
        eventually(this::assertAllAsDeclared);
      } catch (Throwable e) {
        throw new AssertionError("seed %d, round %d: %s".formatted(SEED, round, written), e);
      }
    }
    assertThat(pods()).isEqualTo(pods);
    assertThat(operator.requests().deleted()).noneMatch(path -> path.contains("/pods/"));
  }

  private void awaitAnswers(String request) {
    String asking =
        "{'metadata':{'annotations':{'sei.io/retry':'%1$s','sei.io/explain':'%1$s'}}}"
            .formatted(request);
    patch(alone(), asking);
    patch(fleet(), asking);
    eventually(
        () -> {
          assertThat(alone().getStatus().explain().request()).isEqualTo(request);
          assertThat(status().explain().request()).isEqualTo(request);
        });
  }

  private void assertAllAsDeclared() {
    assertThat(nodes())
        .hasSize(REPLICAS + 1)
        .allSatisfy(node -> Invariants.nodeIsAsDeclared(node, A));
    Invariants.fleetIsAsDeclared(fleet());
    assertThat(status().pausedRollout()).isNull();
    assertThat(status().failedTemplateHash()).isNull();
    assertThat(status().completedTemplateHash()).isEqualTo(revision());
    assertThat(status().incumbentNodes()).containsExactly("fleet-0", "fleet-1");
    assertThat(status().nodes()).allMatch(node -> node.ready() && node.reason() == null);
  }

  private SeiNode alone() {
    return read(SeiNode.class, NODE);
  }

  private String revision() {
    return node(0).getMetadata().getLabels().get("sei.io/revision");
  }

  private List<List<String>> pods() {
    return List.of(
        podUids(REPLICAS).get(0),
        podUids(REPLICAS).get(1),
        kubelet.history(namespace, NODE + "-0").stream().map(pod -> pod.uid()).toList());
  }

  /** Most have a wrong plan, since nothing else is resumed. */
  private String overwriteNode() {
    // A set has another order in every run, and a seed would say nothing.
    List<String> tasks = OfflineNode.ENGINE.names().stream().sorted().toList();
    var input = input(List.of(SpecHash.of(alone()), A, "sei.io/sidecar"), tasks);
    return overwrite(
        SeiNode.class,
        NODE,
        input,
        status -> {
          status.remove(IDENTITY);
          if (!input.oneIn(3)) {
            status.set("plan", json(unfinished(input.make(TaskPlan.class))));
          }
        });
  }

  /** A complete plan is history: it stays until there is another one. */
  private static TaskPlan unfinished(TaskPlan plan) {
    return plan.phase() == PlanPhase.COMPLETE
        ? plan.with(builder -> builder.phase(PlanPhase.ACTIVE))
        : plan;
  }

  private String overwriteFleet() {
    var input =
        input(
            List.of(revision(), revision(), A, FLEET + "-0"),
            List.of(RolloutPlan.UPDATE_NODE_SPECS, RolloutPlan.AWAIT_SPEC_UPDATE));
    return overwrite(
        SeiNodeDeployment.class,
        FLEET,
        input,
        status ->
            status.setAll(
                // Nothing but this record tells that a chain was made, and it is believed.
                json(
                    input
                        .make(SeiNodeDeploymentStatus.class)
                        .withConditions(null)
                        .withGenesis(null))));
  }

  private HostileInput input(List<String> known, List<String> tasks) {
    return new HostileInput(
        random, HostileInput.withOddTexts(known, tasks.toArray(String[]::new)), true);
  }

  private ObjectNode json(Object value) {
    return client.getKubernetesSerialization().convertValue(value, ObjectNode.class);
  }

  private static void forge(ObjectNode condition, HostileInput input) {
    if (input.oneIn(2)) {
      condition
          .put("status", input.any(List.of("True", "False", "Unknown")))
          .put("reason", input.any(List.of("Paused", "Wrong", "NotStarted")))
          .put("lastTransitionTime", "9999-12-31T23:59:59Z");
    }
  }

  /** Writes until the API server accepts a status. */
  private <T extends HasMetadata> String overwrite(
      Class<T> type, String name, HostileInput input, Consumer<ObjectNode> change) {
    while (true) {
      T live = read(type, name);
      var status = (ObjectNode) json(live).get("status");
      change.accept(status);
      status.withArray("conditions").forEach(condition -> forge((ObjectNode) condition, input));
      for (int i = 0; i < 3; i++) {
        input.spoil(status, Set.of("genesis", "statefulSet", "replacing"), input::wrong);
      }
      String patch = JsonNodeFactory.instance.objectNode().set("status", status).toString();
      try {
        client
            .resource(live)
            .subresource("status")
            .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
        return patch;
      } catch (KubernetesClientException e) {
        assertThat(e.getCode()).as(e.getMessage()).isIn(400, 422);
      }
    }
  }
}
