package io.sei.operator.chain;

import static io.sei.operator.testkit.ChainSimulator.CHAIN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sei.operator.config.UrlTemplate;
import io.sei.operator.testkit.ChainSimulator;
import io.sei.operator.testkit.ChainSimulator.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpChainClientTest {

  private static final NodeRpc NODE = new NodeRpc("sei", "rpc-0", Optional.empty());
  private static final Instant AT = Instant.parse("2026-06-01T10:00:00.123456789Z");

  private final ChainSimulator simulator = new ChainSimulator();
  private HttpChainClient client = client(Duration.ofSeconds(20));

  @AfterEach
  void stop() {
    client.close();
    simulator.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void planIsReadWithAndWithoutTheEnvelope(boolean enveloped) {
    simulator.chain().at(50, AT).plan("v2", 100, "{\"upgradeType\":\"Minor\"}");
    if (enveloped) {
      simulator.chain().enveloped();
    }

    assertThat(ask())
        .isEqualTo(
            new ChainAnswer(
                new ChainHead(CHAIN, 50, AT),
                Optional.of(new UpgradePlan("v2", 100, true)),
                Optional.of(List.of())));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void openProposalsAndTheShorterVotingPeriodAreRead(boolean enveloped) {
    simulator.chain().propose("v3", 200, "").votesFor(Duration.ofHours(72), Duration.ofHours(24));
    if (enveloped) {
      simulator.chain().enveloped();
    }

    assertThat(ask().proposed()).contains(List.of(new UpgradePlan("v3", 200, false)));
    assertThat(client.votingPeriod(NODE).join()).isEqualTo(Duration.ofHours(24));
  }

  @Test
  void chainWithoutExpeditedProposalsHasOneVotingPeriod() {
    simulator.chain().votesFor(Duration.ofHours(72), Duration.ZERO);
    assertThat(client.votingPeriod(NODE).join()).isEqualTo(Duration.ofHours(72));

    simulator.chain().votesFor(Duration.ZERO, Duration.ofSeconds(-1));
    assertThatThrownBy(() -> client.votingPeriod(NODE).join())
        .hasRootCauseMessage("the chain has no voting period");
  }

  /** The count comes before the peers, so it is read although the answer is cut off. */
  @Test
  void theManyPeersOfASnapshotNodeAreCounted() {
    simulator.chain().at(50, AT).peers(1500);

    assertThat(client.askSync(NODE, CHAIN).join().peers()).contains(1500);
  }

  @Test
  void noPlanIsAnAnswer() {
    assertThat(ask().plan()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"HTML", "ENDLESS", "JUNK_PLAN", "ERROR", "REDIRECT", "CATCHING_UP"})
  void whatIsNoAnswerIsUnusable(Fault fault) {
    simulator.chain().plan("v2", 100, "");
    simulator.fault("sei", "rpc-0", fault);

    assertUnusable();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"SILENT", "NO_BODY"})
  void answerThatDoesNotComeIsGivenUp(Fault fault) {
    client.close();
    client = client(Duration.ofMillis(200));
    simulator.fault("sei", "rpc-0", fault);

    assertThatThrownBy(this::ask).hasRootCauseMessage("its RPC does not answer in time");
  }

  @Test
  void answerOfAnotherChainIsUnusable() {
    simulator.runs("sei", "rpc-0", "pacific-1");
    simulator.chain("pacific-1").plan("v2", 100, "");

    assertThatThrownBy(this::ask).hasRootCauseMessage("it is on chain \"pacific-1\"");
  }

  @Test
  void nobodyListeningIsUnusable() {
    simulator.close();

    assertThatThrownBy(this::ask).hasRootCauseMessage("cannot connect to its RPC");
  }

  @Test
  void podWithoutAnAddressIsNotAsked() {
    client.close();
    client = new HttpChainClient(new UrlTemplate("http://{podIP}:26657"));

    assertThatThrownBy(this::ask).hasRootCauseMessage("its pod has no address yet");
  }

  static List<Arguments> heads() {
    return List.of(
        Arguments.of("-1", AT.toString()),
        Arguments.of("0", AT.toString()),
        Arguments.of("9223372036854775807", AT.toString()),
        Arguments.of("99999999999999999999", AT.toString()),
        Arguments.of("12.5", AT.toString()),
        Arguments.of("", AT.toString()),
        Arguments.of("12", "yesterday"),
        Arguments.of("12", "+1000000001-01-01T00:00:00Z"),
        Arguments.of("12", ""));
  }

  @ParameterizedTest
  @MethodSource("heads")
  void headThatNoChainHasIsUnusable(String height, String time) {
    String status =
        """
        {"node_info":{"network":"atlantic-2"},
         "sync_info":{"latest_block_height":"%s","latest_block_time":"%s"}}
        """
            .formatted(height, time);

    assertThatThrownBy(() -> RpcAnswers.head(status.getBytes(UTF_8)))
        .isInstanceOf(UnusableAnswer.class);
  }

  /** Cut down from the answer of the chain of the tests; seid's is the same (status.go). */
  @ParameterizedTest
  @CsvSource({
    "tendermint/PubKeyEd25519,   p9IbIN0J9kyWqfVFiIwYuQb+pBSaDcDTHrw2uIlFMwU=, true",
    "tendermint/PubKeySecp256k1, p9IbIN0J9kyWqfVFiIwYuQb+pBSaDcDTHrw2uIlFMwU=, false",
    "tendermint/PubKeyEd25519,   p9IbIN0J9kyWqfVFiIwYuQ==,                     false",
    "tendermint/PubKeyEd25519,   p9IbIN0J9kyWqfVFiIwYuQb+pBSaDcDTHrw2uIlFM<U=, false"
  })
  void signingKeyIsReadIfItIsOne(String type, String value, boolean read) {
    String status =
        ("{\"sync_info\":{\"latest_block_height\":\"5\",\"latest_block_time\":\"%s\"},"
                + "\"validator_info\":{\"pub_key\":{\"type\":\"%s\",\"value\":\"%s\"}}}")
            .formatted(AT, type, value);

    assertThat(RpcAnswers.sync(status.getBytes(UTF_8)).signingKey())
        .isEqualTo(Optional.of(value).filter(any -> read));
  }

  @Test
  void statusOfAValidatorHasItsSigningKey() {
    String key = "p9IbIN0J9kyWqfVFiIwYuQb+pBSaDcDTHrw2uIlFMwU=";
    simulator.chain().signsWith(key);

    assertThat(client.askSync(NODE, CHAIN).join().signingKey()).contains(key);
  }

  @Test
  void blockThatTheNodeDoesNotHaveIsUnusable() {
    simulator.chain().at(50, AT);

    assertThat(client.search(NODE, 50, "00").transaction()).isEmpty();
    assertThat(client.search(NODE, 50, "00").time()).isEqualTo(AT);
    assertThatThrownBy(() -> client.search(NODE, 51, "00"))
        .isInstanceOf(UnusableAnswer.class)
        .hasMessage("/block has no valid block time");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{\"txs_results\":null}",
        "{\"txs_results\":[]}",
        "{\"txs_results\":[{\"code\":-1}]}",
        "{\"txs_results\":[{\"code\":null}]}",
        "{\"txs_results\":[{\"code\":{},\"log\":\"out of gas\"}]}",
        "{\"txs_results\":[{\"code\":0,\"data\":\"!\"}]}",
        "{\"txs_results\":[{\"code\":0,\"data\":\"CgU=\"}]}"
      })
  void resultsThatNoBlockHasAreUnusable(String body) {
    assertThatThrownBy(() -> BlockAnswers.result(body.getBytes(UTF_8), 5, 0))
        .isInstanceOf(UnusableAnswer.class);
  }

  /** Reads a transaction that succeeded, as seid and as CometBFT write it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"txs_results\":[{\"gas_wanted\":\"9\",\"gas_used\":\"7\"}]}",
        "{\"txs_results\":[{\"code\":0,\"data\":null,\"log\":\"\",\"gas_wanted\":\"9\"}]}"
      })
  void transactionWithoutACodeHasSucceeded(String body) {
    assertThat(BlockAnswers.result(body.getBytes(UTF_8), 5, 0))
        .isEqualTo(new TransactionResult(5, 0, "", Optional.empty()));
  }

  private void assertUnusable() {
    assertThatThrownBy(this::ask)
        .isInstanceOf(CompletionException.class)
        .hasRootCauseInstanceOf(UnusableAnswer.class);
  }

  private ChainAnswer ask() {
    return client.ask(NODE, CHAIN).join();
  }

  private HttpChainClient client(Duration timeout) {
    return new HttpChainClient(new UrlTemplate(simulator.urlTemplate()), timeout);
  }
}
