package io.sei.operator.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeidStart;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.LocalHttps;
import io.sei.operator.testkit.PodFault;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A seid that takes its time to start is neither stalled nor disturbed. */
class StartingOnClusterTest extends RolloutTestCase {

  private static final byte[] LOG =
      "time=1 level=INFO msg=\"Applying block\" logger=tm/consensus height=833\n".getBytes(UTF_8);

  @Test
  void isToldWithItsWorkUntilItListens() {
    createRunning(1);
    kubelet.injectForImage(B, PodFault.SLOW_SEID);

    try (var logs = new LocalHttps(StartingOnClusterTest::answer)) {
      kubelet.serveLogs(logs.port());
      setImage(B);

      awaitStarting();
      final SeidStart start = node().getStatus().start();
      awaitPast(1, NodeConditionType.READY);
      assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
      assertThat(node().getStatus().reason()).isEqualTo("Starting");

      operator.clock().jumpTo(Duration.ofMinutes(1));
      awaitAnotherLook();
      eventually(
          () ->
              assertThat(condition(NodeConditionType.READY).message())
                  .contains(
                      "has been starting since " + start.since(),
                      "it replays blocks, at height 833"));
      operator.restart();
      awaitAnotherLook();
      awaitStarting();
      assertThat(node().getStatus().start().since()).isEqualTo(start.since());

      operator.clock().jumpTo(Duration.ofHours(7));
      awaitAnotherLook();
      awaitStalled(StallReason.START_DEADLINE_EXCEEDED);
      patch("{'spec':{'startDeadlineSeconds':86400}}");
      awaitStarting();
      awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.RECOVERING);
    }

    kubelet.clearImage(B);
    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
    assertThat(node().getStatus().start()).isNull();
  }

  private void awaitStarting() {
    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, NodeReason.STARTING);
  }

  private static void answer(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, LOG.length);
    exchange.getResponseBody().write(LOG);
    exchange.close();
  }
}
