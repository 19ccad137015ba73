package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Answers that every node of a chain in {@link ChainSimulator} gives. */
public final class SimulatedChain {

  /** Time that x/upgrade of SDK 0.45 writes for a plan, which has had none since. */
  private static final long NO_TIME = -62135596800L;

  private static final long FIRST = 50;

  private static final Duration BLOCK = Duration.ofMillis(500);

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A transaction in a block; its hash is the digest of the bytes. */
  private record Transaction(byte[] bytes, int code, String log, byte[] data) {}

  private final String id;
  private final NavigableMap<Long, List<Transaction>> blocks = new TreeMap<>();
  private final Instant begun = Instant.now();
  private long height = FIRST;
  private Instant blockTime;
  private Instant stoodAt;
  private byte[] plan = new byte[0];
  private byte[] proposals = new byte[0];
  private byte[] votingParams = votingParams(Duration.ofDays(3), Duration.ofDays(1));
  private boolean enveloped;
  private long furthest;
  private int peers = 3;
  private String version = "v6.4.4";
  private String signingKey;

  SimulatedChain(String id) {
    this.id = id;
  }

  /**
   * The newest block. Until it is said it is made now, and 50 at first, one more each half second.
   */
  public synchronized SimulatedChain at(long height, Instant blockTime) {
    this.height = height;
    this.blockTime = blockTime;
    return this;
  }

  /** Sets the height that peers have reported, of which its nodes do not hear at first. */
  public synchronized SimulatedChain furthest(long height) {
    furthest = height;
    return this;
  }

  /** The height from now on, while peers go on from there, one block each half second. */
  public synchronized SimulatedChain standAt(long height) {
    stoodAt = Instant.now();
    return at(height, Instant.now());
  }

  /** Ends what {@link #standAt} began: a block each half second again. */
  public synchronized SimulatedChain goOn() {
    stoodAt = null;
    blockTime = null;
    furthest = 0;
    return this;
  }

  /** Sets the number of peers of each node; 3 at first. */
  public synchronized SimulatedChain peers(int count) {
    peers = count;
    return this;
  }

  /** The public key, in base64, that all of its nodes sign with from now on; none at first. */
  public synchronized SimulatedChain signsWith(String publicKey) {
    signingKey = publicKey;
    return this;
  }

  /** The version of all its seids from now on. */
  public synchronized SimulatedChain version(String text) {
    version = text;
    return this;
  }

  /** Plans an upgrade, in the place of an earlier one. */
  public synchronized SimulatedChain plan(String name, long height, String info) {
    plan = currentPlan(name, height, info);
    return this;
  }

  /** Votes on an upgrade, and on another matter that was proposed before it. */
  public synchronized SimulatedChain propose(String name, long height, String info) {
    proposals =
        openProposals(
            proposal("/cosmos.gov.v1beta1.TextProposal", "a text", 0, ""),
            proposal("/cosmos.upgrade.v1beta1.SoftwareUpgradeProposal", name, height, info));
    return this;
  }

  /** Ends the votes. */
  public synchronized SimulatedChain endVotes() {
    proposals = new byte[0];
    return this;
  }

  /** The usual and the expedited voting period from now on; 3 and 1 days at first. */
  public synchronized SimulatedChain votesFor(Duration usual, Duration expedited) {
    votingParams = votingParams(usual, expedited);
    return this;
  }

  /** Answers in the envelope of JSON-RPC, as plain CometBFT does and seid does not. */
  public synchronized SimulatedChain enveloped() {
    enveloped = true;
    return this;
  }

  /**
   * Includes a transaction in the next block, behind others.
   *
   * @param code 0 if it succeeds
   * @param data the response of its message
   */
  public synchronized SimulatedChain include(byte[] bytes, int code, String log, byte[] data) {
    List<Transaction> block = blocks.computeIfAbsent(height() + 1, empty -> new ArrayList<>());
    block.add(new Transaction("another".getBytes(UTF_8), 0, "", new byte[0]));
    block.add(new Transaction(bytes, code, log, data));
    return this;
  }

  /** Includes what a sidecar broadcasts in the next block; a proposal becomes the third one. */
  void include(SidecarTask broadcast) {
    boolean isProposal = SidecarResult.isProposal(broadcast);
    include(broadcast.id().getBytes(UTF_8), 0, "", isProposal ? proposed(3) : new byte[0]);
  }

  /** The answer to {@code /block}. */
  synchronized String block(long height) {
    if (height < 1 || height > height()) {
      return unknown(height);
    }
    ObjectNode result = JSON.createObjectNode();
    ObjectNode block = result.putObject("block");
    block
        .putObject("header")
        .put("height", String.valueOf(height))
        .put("time", timeOf(height).toString());
    ArrayNode transactions = block.putObject("data").putArray("txs");
    blocks.getOrDefault(height, List.of()).forEach(tx -> transactions.add(tx.bytes()));
    return answer(result);
  }

  /** The answer to {@code /block_results}. */
  synchronized String blockResults(long height) {
    if (height < 1 || height > height()) {
      return unknown(height);
    }
    ObjectNode result = JSON.createObjectNode().put("height", String.valueOf(height));
    ArrayNode results = result.putArray("txs_results");
    for (Transaction tx : blocks.getOrDefault(height, List.of())) {
      ObjectNode executed =
          results.addObject().put("code", tx.code()).put("log", tx.log()).put("data", tx.data());
      if (!enveloped) {
        executed.properties().removeIf(field -> isZero(field.getValue()));
      }
    }
    return answer(result);
  }

  /** Returns whether seid leaves a field of a result out: it has {@code omitempty} for each. */
  private static boolean isZero(JsonNode value) {
    return value.isBinary() ? value.asText().isEmpty() : value.asText().matches("0|");
  }

  private static String unknown(long height) {
    return "{\"code\":-32603,\"message\":\"Internal error\",\"data\":\"height %d is not available\"}"
        .formatted(height);
  }

  private Instant timeOf(long height) {
    return blockTime == null ? begun.plus(BLOCK.multipliedBy(height - FIRST)) : blockTime;
  }

  /** The answer to {@code /status}. */
  synchronized String status(boolean catchingUp) {
    ObjectNode result = JSON.createObjectNode();
    result.putObject("node_info").put("network", id);
    result
        .putObject("sync_info")
        .put("latest_block_height", String.valueOf(height()))
        .put("latest_block_time", (blockTime == null ? Instant.now() : blockTime).toString())
        .put("max_peer_block_height", String.valueOf(furthest()))
        .put("catching_up", catchingUp);
    if (signingKey != null) {
      result
          .putObject("validator_info")
          .putObject("pub_key")
          .put("type", "tendermint/PubKeyEd25519")
          .put("value", signingKey);
    }
    return answer(result);
  }

  /** The answer to {@code /abci_info}. */
  synchronized String info() {
    ObjectNode result = JSON.createObjectNode();
    result
        .putObject("response")
        .put("data", "sei")
        .put("version", version)
        .put("last_block_height", String.valueOf(height()));
    return answer(result);
  }

  /** The answer to {@code /net_info}. */
  synchronized String netInfo() {
    ObjectNode result = JSON.createObjectNode().put("listening", true);
    result.putArray("listeners").add("Listener(@)");
    ArrayNode listed = result.put("n_peers", String.valueOf(peers)).putArray("peers");
    for (int i = 0; i < peers; i++) {
      listed
          .addObject()
          .put("node_id", "%040x".formatted(i))
          .put("url", "mconn://%040x@peer-%d.example.com:26656".formatted(i, i));
    }
    return answer(result);
  }

  /** The answer to a query of the current plan. */
  synchronized String query() {
    return query(plan);
  }

  /** The answer to a query of the open proposals. */
  synchronized String openProposals() {
    return query(proposals);
  }

  /** The answer to a query of the voting periods. */
  synchronized String votingParams() {
    return query(votingParams);
  }

  /** The answer to such a query, with this value. */
  synchronized String query(byte[] value) {
    ObjectNode result = JSON.createObjectNode();
    result
        .putObject("response")
        .put("code", 0)
        .put("log", "")
        .put("height", String.valueOf(height()))
        .put("value", value.length == 0 ? null : Base64.getEncoder().encodeToString(value));
    return answer(result);
  }

  private long furthest() {
    return stoodAt == null
        ? furthest
        : height + Duration.between(stoodAt, Instant.now()).dividedBy(BLOCK);
  }

  private long height() {
    return blockTime != null
        ? height
        : FIRST + Duration.between(begun, Instant.now()).dividedBy(BLOCK);
  }

  private String answer(ObjectNode result) {
    ObjectNode envelope = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", -1);
    return (enveloped ? envelope.set("result", result) : result).toString();
  }

  /** A {@code QueryCurrentPlanResponse} as the SDK encodes it. */
  public static byte[] currentPlan(String name, long height, String info) {
    return message(out -> out.writeByteArray(1, planMessage(name, height, info)));
  }

  private static byte[] planMessage(String name, long height, String info) {
    return message(
        out -> {
          out.writeString(1, name);
          out.writeByteArray(2, message(time -> time.writeInt64(1, NO_TIME)));
          out.writeInt64(3, height);
          out.writeString(4, info);
        });
  }

  /** A {@code QueryProposalsResponse} as the SDK encodes it. */
  public static byte[] openProposals(byte[]... proposals) {
    return message(
        out -> {
          for (byte[] proposal : proposals) {
            out.writeByteArray(1, proposal);
          }
          out.writeByteArray(2, new byte[0]);
        });
  }

  /** A {@code Proposal} in its voting period, of whose content the plan is the third field. */
  public static byte[] proposal(String type, String name, long height, String info) {
    byte[] content =
        message(
            out -> {
              out.writeString(1, "Upgrade to " + name);
              out.writeString(2, "A description of " + name);
              out.writeByteArray(3, planMessage(name, height, info));
            });
    byte[] any =
        message(
            out -> {
              out.writeString(1, type);
              out.writeByteArray(2, content);
            });
    return message(
        out -> {
          out.writeUInt64(1, 7);
          out.writeByteArray(2, any);
          out.writeEnum(3, 2);
          out.writeBool(10, true);
        });
  }

  /** A {@code QueryParamsResponse} of type voting as Sei's SDK encodes it. */
  public static byte[] votingParams(Duration usual, Duration expedited) {
    byte[] params =
        message(
            out -> {
              out.writeByteArray(1, message(period -> period.writeInt64(1, usual.toSeconds())));
              out.writeByteArray(2, message(period -> period.writeInt64(1, expedited.toSeconds())));
            });
    return message(
        out -> {
          out.writeByteArray(1, params);
          out.writeByteArray(2, new byte[0]);
          out.writeByteArray(3, new byte[0]);
        });
  }

  /** The response of a proposal's message in a {@code TxMsgData}, as the SDK encodes it. */
  public static byte[] proposed(long proposalId) {
    byte[] response =
        message(
            out -> {
              out.writeString(1, "/cosmos.gov.v1beta1.MsgSubmitProposal");
              out.writeByteArray(2, message(id -> id.writeUInt64(1, proposalId)));
            });
    return message(out -> out.writeByteArray(1, response));
  }

  private interface Fields {
    void write(CodedOutputStream out) throws IOException;
  }

  private static byte[] message(Fields fields) {
    try {
      var bytes = new ByteArrayOutputStream();
      var out = CodedOutputStream.newInstance(bytes);
      fields.write(out);
      out.flush();
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
