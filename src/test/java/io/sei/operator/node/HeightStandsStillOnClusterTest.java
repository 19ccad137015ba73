package io.sei.operator.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.LocalHttps;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A node that gets no further though its peers do is stalled, Ready or not. */
class HeightStandsStillOnClusterTest extends RolloutTestCase {

  private static final byte[] LOG =
      "time=1 level=ERROR msg=\"no block from peer\" logger=tm/blocksync\n".getBytes(UTF_8);

  private final AtomicInteger reads = new AtomicInteger();

  /** The node lags by so much that it is polled every other second. */
  @Tag("long")
  @Test
  void isToldWithItsLogForAsLongAsItLasts() {
    chain.chain().at(99, Instant.now()).furthest(500);
    createRunning();
    chain.chain().at(100, Instant.now());
    eventuallySeldom(
        () -> assertThat(operator.scrape()).containsPattern("sei_node_height\\{.*} 100\\.0"));

    try (var logs = new LocalHttps(this::answer)) {
      kubelet.serveLogs(logs.port());
      chain.chain().furthest(530);
      operator.clock().jumpTo(Duration.ofMinutes(3));

      awaitStalled(StallReason.HEIGHT_STANDS_STILL);
      assertThat(condition(NodeConditionType.STALLED).message())
          .contains("height 100", "went on to 530", "no block from peer");
      assertCondition(NodeConditionType.READY, ConditionStatus.TRUE);
      assertThat(node().getStatus().reason()).isEqualTo("HeightStandsStill");
      chain.chain().furthest(540);
      awaitAnotherLook();
      assertThat(reads).hasValue(1);
      assertThat(condition(NodeConditionType.STALLED).message()).contains("went on to 530");
    }

    chain.chain().at(541, Instant.now());
    awaitCondition(NodeConditionType.STALLED, ConditionStatus.FALSE, NodeReason.NOT_STALLED);
    eventually(() -> assertThat(events("Recovered")).hasSize(1));
    assertThat(images()).containsExactly(A);
  }

  private void answer(HttpExchange exchange) throws IOException {
    if (exchange.getRequestURI().getPath().contains("/containerLogs/")) {
      reads.incrementAndGet();
    }
    exchange.sendResponseHeaders(200, LOG.length);
    exchange.getResponseBody().write(LOG);
    exchange.close();
  }
}
