package io.sei.operator.chain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sei.operator.base.Json;
import io.sei.operator.base.Times;
import io.sei.operator.base.UntrustedText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PURE: reads answers of CometBFT's RPC to a GET, with the envelope of JSON-RPC as CometBFT gives
 * them, or without it as seid does, where an error has status 200 too. All methods throw {@link
 * UnusableAnswer} for what no node on the way says.
 */
final class RpcAnswers {

  /** More than 10,000 years at three blocks a second. */
  static final long MAX_HEIGHT = 1_000_000_000_000L;

  private static final Pattern HEIGHT = Pattern.compile("\\d{1,13}");

  private static final Pattern PEERS = Pattern.compile("\"n_peers\":\\s*\"?(\\d{1,6})\\b");

  private static final String ED25519 = "tendermint/PubKeyEd25519";

  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9+/]{43}=");

  private static final ObjectMapper JSON = Json.mapper();

  private RpcAnswers() {}

  /** The answer to {@code /status}, by a node that is caught up. */
  static ChainHead head(byte[] body) {
    SyncState state = sync(body);
    if (state.catchingUp()) {
      throw new UnusableAnswer("the node is catching up");
    }
    if (state.height() == 0) {
      // Before its first block a chain answers a query of its plan with nothing.
      throw new UnusableAnswer("the chain has no block yet");
    }
    return new ChainHead(state.chainId(), state.height(), state.time());
  }

  /** Reads the answer of any node, which reports nothing of its peers. */
  static SyncState sync(byte[] body) {
    JsonNode result = result(body, "/status");
    JsonNode sync = result.path("sync_info");
    String chainId = result.path("node_info").path("network").asText("");
    long height =
        height(sync, "latest_block_height")
            .orElseThrow(() -> new UnusableAnswer("/status has no valid block height"));
    Instant time =
        Times.parse(sync.path("latest_block_time").asText(""))
            .orElseThrow(() -> new UnusableAnswer("/status has no valid block time"));
    // seid's alone; 0 until a peer has reported it.
    Optional<Long> furthest = height(sync, "max_peer_block_height").filter(number -> number > 0);
    return new SyncState(
        chainId,
        height,
        time,
        sync.path("catching_up").asBoolean(),
        furthest,
        Optional.empty(),
        signingKey(result));
  }

  private static Optional<String> signingKey(JsonNode status) {
    JsonNode key = status.path("validator_info").path("pub_key");
    return Optional.of(key.path("value").asText(""))
        .filter(any -> ED25519.equals(key.path("type").asText("")))
        .filter(value -> KEY.matcher(value).matches());
  }

  /**
   * Returns the number of peers in the answer to {@code /net_info}; empty if it has none. The
   * description of each peer may be long, follows the number, and may be missing.
   */
  static Optional<Integer> peers(byte[] body) {
    Matcher count = PEERS.matcher(new String(body, StandardCharsets.UTF_8));
    return count.find() ? Optional.of(Integer.valueOf(count.group(1))) : Optional.empty();
  }

  private static Optional<Long> height(JsonNode of, String name) {
    return Optional.of(of.path(name).asText(""))
        .filter(text -> HEIGHT.matcher(text).matches())
        .map(Long::valueOf)
        .filter(number -> number <= MAX_HEIGHT);
  }

  /** The value in the answer to {@code /abci_query}: a message of protobuf. */
  static byte[] queried(byte[] body) {
    JsonNode response = result(body, "/abci_query").path("response");
    if (!response.isObject() || response.path("code").asInt(0) != 0) {
      throw new UnusableAnswer(
          "/abci_query returned an error: "
              + UntrustedText.clean(response.path("log").asText("no reason given")));
    }
    try {
      return Base64.getDecoder().decode(response.path("value").asText(""));
    } catch (IllegalArgumentException e) {
      throw new UnusableAnswer("/abci_query returned a value that is not base64");
    }
  }

  /** Reads the version of seid from {@code /abci_info}; empty if the answer has none. */
  static Optional<SeidVersion> version(byte[] body) {
    return SeidVersion.parse(result(body, "/abci_info").at("/response/version").asText(""));
  }

  private static JsonNode result(byte[] body, String path) {
    JsonNode answer = parse(body);
    JsonNode result = answer.has("result") ? answer.path("result") : answer;
    if (!result.isObject()) {
      throw new UnusableAnswer(path + " did not return a JSON object");
    }
    return result;
  }

  private static JsonNode parse(byte[] body) {
    try {
      JsonNode tree = JSON.readTree(body);
      return tree == null ? MissingNode.getInstance() : tree;
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }
}
