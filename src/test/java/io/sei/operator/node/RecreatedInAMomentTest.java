package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.RequestLog.Request;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A node is deleted, and perhaps created again, while the operator still works on it. */
class RecreatedInAMomentTest extends RolloutTestCase {

  @Test
  void newNodeIsNotTakenForTheOneThatWasDeleted() {
    duringAReconcile(
        letItEnd -> {
          String earlier = node().getMetadata().getUid();
          client.resource(node()).delete();
          eventually(() -> assertThat(node()).isNull());
          create(spec(B));
          awaitSeen();

          letItEnd.run();

          awaitUpToDate(B);
          assertThat(node().getMetadata().getUid()).isNotEqualTo(earlier);
          assertThat(events(NODE, "DeletingData")).isEmpty();
        });
  }

  /** Its pod goes as well, whose event comes after that of its deletion. */
  @Test
  void nodeThatIsGoneIsForgotten() {
    duringAReconcile(
        letItEnd -> {
          eventually(() -> assertThat(operator.scrape()).contains("sei_chain_height{"));
          client.resource(node()).delete();
          client.resource(pod()).delete();
          eventually(() -> assertThat(pod()).isNull());
          awaitSeen();

          letItEnd.run();

          eventually(() -> assertThat(operator.scrape()).doesNotContain("sei_chain_height{"));
          eventually(() -> assertThat(events(NODE, "DeletingData")).hasSize(1));
        });
  }

  @Test
  void nodeThatComesBackOnceTheDeletionWasLookedAtIsReconciled() {
    var isBack = new CountDownLatch(1);
    try {
      operatorBehindADoor().start();
      createRunning();
      Predicate<Request> isLook =
          request -> request.method().equals("GET") && request.path().endsWith("/seinodes/node");
      door.inject(isLook, ApiFault.notFoundAfter(isBack));
      client.resource(node()).delete();
      eventually(() -> assertThat(door.received()).anyMatch(isLook));
      create(spec(B));
      // The same watch tells of both, in this order.
      var next = node();
      next.setMetadata(new ObjectMetaBuilder().withName("next").withNamespace(namespace).build());
      client.resource(next).create();
      eventually(() -> assertThat(operator.scrape()).contains("name=\"next\""));

      isBack.countDown();

      awaitUpToDate(B);
    } finally {
      isBack.countDown();
    }
  }

  /** Runs a test while the node's reconcile waits for the answer to its status write. */
  private void duringAReconcile(Consumer<Runnable> test) {
    var answered = new CountDownLatch(1);
    try {
      operatorBehindADoor().start();
      createRunning();
      Predicate<Request> isStatus =
          request -> request.isWrite() && request.path().endsWith("/seinodes/node/status");
      long before = door.received().stream().filter(isStatus).count();
      door.inject(isStatus, ApiFault.hangUntil(answered));
      annotate("sei.io/explain", "1");
      eventually(
          () -> assertThat(door.received()).filteredOn(isStatus).hasSizeGreaterThan((int) before));
      test.accept(answered::countDown);
    } finally {
      answered.countDown();
    }
  }

  /** The watch tells of both: metrics come from the same cache, without a reconcile. */
  private void awaitSeen() {
    eventually(
        () ->
            assertThat(operator.scrape())
                .doesNotContain("sei_node_phase{name=\"" + NODE + "\",namespace=\"" + namespace));
  }
}
