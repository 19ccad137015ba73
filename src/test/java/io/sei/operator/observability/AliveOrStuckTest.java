package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A rollout that does not get on looks different from an operator that does not work. */
class AliveOrStuckTest extends OperatorTestCase {

  private static final String FLEET = "rpc";
  private static final String NODE = "rpc-0";
  private static final String LAST_LOOKED = "sei_plan_last_looked_seconds";
  private static final Map<String, String> PLAN_OF_NODE = Map.of("name", NODE, "kind", "SeiNode");
  private static final Map<String, String> PLAN_OF_FLEET =
      Map.of("name", FLEET, "kind", "SeiNodeDeployment");
  private static final Map<String, String> NODES = Map.of("controller", "seinode-controller");

  @Tag("long")
  @Test
  void aPlanThatIsStuckIsLookedAtAgainAndAgain() {
    createReady();
    assertThat(see().of(LAST_LOOKED)).isEmpty();
    stick();
    double looked = value(LAST_LOOKED, PLAN_OF_NODE);
    final double reconciled = value("sei_last_reconcile_seconds", NODES);

    eventuallySeldom(
        () -> {
          assertThat(value(LAST_LOOKED, PLAN_OF_NODE)).isGreaterThan(looked);
          assertThat(value("sei_last_reconcile_seconds", NODES)).isGreaterThan(reconciled);
        });

    assertThat(value(LAST_LOOKED, PLAN_OF_FLEET)).isPositive();
    assertThat(value("sei_snd_rollout_started_seconds", Map.of("name", FLEET))).isPositive();
    assertThat(value("sei_snd_replicas", Map.of("name", FLEET, "state", "updated"))).isZero();
    kubelet.clearAll();
    eventuallySeldom(() -> assertThat(see().of(LAST_LOOKED)).isEmpty());
  }

  @Test
  void anOperatorThatHangsLooksAtNothing() throws Exception {
    createReady();
    stick();
    var asked = new CountDownLatch(1);
    var released = new CountDownLatch(1);
    operator
        .requests()
        .beforeEach(
            request -> {
              if (request.path().endsWith("/seinodes/" + NODE + "/status")) {
                asked.countDown();
                await(released);
              }
            });
    try {
      ask("1");
      assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
      double looked = value(LAST_LOOKED, PLAN_OF_NODE);
      ask("2");
      awaitAnotherLookAtFleets();
      assertThat(value(LAST_LOOKED, PLAN_OF_NODE)).isEqualTo(looked);
      released.countDown();
      eventuallySeldom(() -> assertThat(value(LAST_LOOKED, PLAN_OF_NODE)).isGreaterThan(looked));
    } finally {
      released.countDown();
      operator.requests().beforeEach(request -> {});
    }
  }

  private void createReady() {
    client.resource(Samples.fleet(namespace, FLEET, Samples.fullNodes(1, A))).create();
    eventuallySeldom(
        () -> {
          assertThat(value("sei_snd_phase", Map.of("name", FLEET, "phase", "Ready"))).isOne();
          assertThat(see().of(LAST_LOOKED)).isEmpty();
        });
  }

  /** A rollout of which the first pod does not go away. */
  private void stick() {
    kubelet.inject(namespace, NODE + "-0", PodFault.HANGING_TERMINATION);
    SeiNodeDeployment fleet =
        client.resources(SeiNodeDeployment.class).inNamespace(namespace).withName(FLEET).get();
    patch(fleet, "{'spec':{'template':{'spec':{'image':'" + B + "'}}}}");
    eventuallySeldom(
        () -> {
          assertThat(node().getStatus().plan().currentTask().orElseThrow().type())
              .isEqualTo("replace-pod");
          value(LAST_LOOKED, PLAN_OF_NODE);
          value(LAST_LOOKED, PLAN_OF_FLEET);
        });
  }

  /** Wakes the node's reconciler, and makes it write. */
  private void ask(String value) {
    patch(node(), "{'metadata':{'annotations':{'sei.io/explain':'" + value + "'}}}");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private SeiNode node() {
    return client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get();
  }

  private Scrape see() {
    return Scrape.parse(operator.scrape());
  }

  private double value(String metric, Map<String, String> labels) {
    List<Scrape.Series> found =
        see()
            .of(metric)
            .filter(series -> series.labels().entrySet().containsAll(labels.entrySet()))
            .toList();
    assertThat(found).as("%s %s", metric, labels).hasSize(1);
    return found.get(0).value();
  }
}
