package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** A node is deleted and created again while the operator still works on the earlier one. */
class RecreatedInAMomentTest extends RolloutTestCase {

  @Test
  void newNodeIsNotTakenForTheOneThatWasDeleted() {
    operator.close();
    var answered = new CountDownLatch(1);
    try (var door = new FaultyApiServer(controlPlane.config(ControlPlane.OPERATOR))) {
      operator = new OperatorHarness(door.config(), namespace, sidecar.urlTemplate());
      operator.start();
      createRunning();
      String earlier = node().getMetadata().getUid();
      Predicate<Request> isStatus =
          request -> request.isWrite() && request.path().endsWith("/seinodes/node/status");
      long before = door.received().stream().filter(isStatus).count();
      door.inject(isStatus, ApiFault.hangUntil(answered));
      annotate("sei.io/explain", "1");
      eventually(
          () -> assertThat(door.received()).filteredOn(isStatus).hasSizeGreaterThan((int) before));

      client.resource(node()).delete();
      eventually(() -> assertThat(node()).isNull());
      create(spec(B));
      awaitSeen();
      answered.countDown();

      awaitUpToDate(B);
      assertThat(node().getMetadata().getUid()).isNotEqualTo(earlier);
      assertThat(events(NODE, "DeletingData")).isEmpty();
      operator.close();
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
