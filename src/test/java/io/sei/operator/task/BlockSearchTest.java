package io.sei.operator.task;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.base.Sha256;
import io.sei.operator.chain.HttpChainClient;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.testkit.ChainSimulator;
import io.sei.operator.testkit.SimulatedChain;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Transactions of a node that indexes none. */
class BlockSearchTest {

  private static final byte[] TX = "transaction".getBytes(UTF_8);
  private static final String HASH = Sha256.of(TX, 32);
  private static final byte[] NO_DATA = {};

  /** A block with it is above the limit of an answer, whose end is not read. */
  private static final byte[] TOO_LARGE = new byte[4 * 1024 * 1024];

  private final ChainSimulator simulator = new ChainSimulator();
  private final HttpChainClient client =
      new HttpChainClient(new UrlTemplate(simulator.urlTemplate()));
  private final SeiNodeTask task = Tasks.vote("ns", "vote", "node");
  private Instant now = Instant.parse("2026-11-28T09:00:00Z");
  private final BlockSearch search =
      new BlockSearch(client, ((InstantSource) () -> now).withZone(ZoneOffset.UTC));

  @BeforeEach
  void createTask() {
    task.getMetadata().setCreationTimestamp(now.toString());
  }

  @AfterEach
  void stop() {
    client.close();
    simulator.close();
  }

  @Test
  void aTransactionIsFoundWithItsHeightAndTheProposalThatItMade() {
    simulator.chain().at(70, now);
    simulator.chain().include(TX, 0, "", SimulatedChain.proposed(12));
    assertThat(poll()).isInstanceOf(BlockSearch.Result.Searching.class);

    simulator.chain().enveloped().at(72, now);

    assertThat(poll())
        .isInstanceOfSatisfying(
            BlockSearch.Result.Found.class,
            found -> {
              assertThat(found.transaction().height()).isEqualTo(71);
              assertThat(found.transaction().code()).isZero();
              assertThat(found.transaction().proposalId()).contains(12L);
            });
  }

  @Test
  void aTransactionThatFailedIsFoundWithItsReason() {
    simulator.chain().at(70, now);
    simulator.chain().include(TX, 11, "out of gas", NO_DATA);
    simulator.chain().at(71, now);

    assertThat(poll())
        .isInstanceOfSatisfying(
            BlockSearch.Result.Found.class,
            found -> {
              assertThat(found.transaction().code()).isEqualTo(11);
              assertThat(found.transaction().log()).isEqualTo("out of gas");
              assertThat(found.transaction().proposalId()).isEmpty();
            });
  }

  /** An operator that was away comes back to a chain that has gone on. */
  @Test
  void olderBlocksAreSearchedUntilTheTaskWasCreated() {
    simulator.chain().at(3, now);
    simulator.chain().include(TX, 0, "", NO_DATA);
    simulator.chain().at(40, now);

    assertThat(await(BlockSearch.Result.Found.class::isInstance))
        .isInstanceOf(BlockSearch.Result.Found.class);
  }

  @Test
  void theSearchEndsOnceTheTransactionIsInNoBlock() {
    simulator.chain().at(5, now.minusSeconds(3_600));
    assertThat(poll()).isInstanceOf(BlockSearch.Result.Searching.class);
    simulator.chain().at(7, now);
    assertThat(poll()).isInstanceOf(BlockSearch.Result.Searching.class);

    now = now.plus(BlockSearch.PATIENCE);

    assertThat(poll())
        .isEqualTo(
            new BlockSearch.Result.NotFound("it is in none of the blocks 5 to 7 of SeiNode node"));
  }

  @Test
  void theSearchEndsWhereNoBlockCanBeRead() {
    simulator.fault("ns", "node", ChainSimulator.Fault.HTML);
    assertThat(poll()).isInstanceOf(BlockSearch.Result.Searching.class);

    now = now.plus(BlockSearch.PATIENCE);

    assertThat(poll())
        .isEqualTo(
            new BlockSearch.Result.NotFound(
                "the blocks of SeiNode node cannot be read: /status did not return a JSON object"));
  }

  @Test
  void aBlockThatCannotBeReadHidesNoLaterOne() {
    simulator.chain().at(70, now);
    poll();
    simulator.chain().include(TOO_LARGE, 0, "", NO_DATA);
    simulator.chain().at(71, now);
    simulator.chain().include(TX, 0, "", NO_DATA);
    simulator.chain().at(72, now);

    assertThat(await(BlockSearch.Result.Found.class::isInstance))
        .isInstanceOf(BlockSearch.Result.Found.class);
  }

  @Test
  void aBlockThatCannotBeReadHidesNoEarlierOne() {
    simulator.chain().at(69, now);
    simulator.chain().include(TX, 0, "", NO_DATA);
    simulator.chain().at(70, now);
    simulator.chain().include(TOO_LARGE, 0, "", NO_DATA);
    simulator.chain().at(72, now);

    assertThat(await(BlockSearch.Result.Found.class::isInstance))
        .isInstanceOf(BlockSearch.Result.Found.class);
  }

  @Test
  void theBlockThatWasNotSearchedIsNamedOnceTheTransactionIsInNoOther() {
    simulator.chain().at(71, now.minusSeconds(3_600));
    poll();
    simulator.chain().include(TOO_LARGE, 0, "", NO_DATA);
    simulator.chain().at(73, now.minusSeconds(3_600));
    Stream.generate(this::poll).limit(10).forEach(result -> {});

    now = now.plus(BlockSearch.PATIENCE);

    assertThat(poll())
        .isEqualTo(
            new BlockSearch.Result.NotFound(
                "it is in none of the blocks 71 to 73 of SeiNode node that can be read; block 72"
                    + " cannot: /block returned no whole block"));
  }

  @Test
  void aSearchThatHasEndedBeginsAnew() {
    simulator.chain().at(1, now);
    poll();
    now = now.plus(BlockSearch.PATIENCE);

    search.end(task);

    assertThat(poll()).isInstanceOf(BlockSearch.Result.Searching.class);
  }

  private BlockSearch.Result await(Predicate<BlockSearch.Result> end) {
    return Stream.generate(this::poll).limit(100).filter(end).findFirst().orElseThrow();
  }

  private BlockSearch.Result poll() {
    SeiNode node = Samples.node("ns", "node", Samples.fullNode("sei:a"));
    var pod = new PodBuilder().withNewStatus().withPodIP("10.0.0.1").endStatus().build();
    var target = new Target(node, Optional.of(pod), Optional.of("c"), Optional.empty());
    return search.poll(task, target, HASH);
  }
}
