package io.sei.operator.chain;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.sei.operator.base.Json;
import io.sei.operator.base.Sha256;
import io.sei.operator.base.Times;
import io.sei.operator.base.UntrustedText;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * PURE: reads answers to {@code /block} and {@code /block_results} token by token, since a tree of
 * a full block takes many times its megabytes. With or without the envelope of JSON-RPC; all
 * methods throw {@link UnusableAnswer} for what is no whole answer.
 */
final class BlockAnswers {

  private static final JsonFactory JSON = Json.parsers();

  private static final int HASH_BYTES = 32;

  private static final String SUBMIT_PROPOSAL = "/cosmos.gov.v1beta1.MsgSubmitProposal";

  // Tags on the wire: of TxMsgData, of each MsgData in it, and of MsgSubmitProposalResponse.
  private static final int MESSAGE = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int MESSAGE_TYPE = 1 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int MESSAGE_DATA = 2 << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int PROPOSAL_ID = 1 << 3 | WireFormat.WIRETYPE_VARINT;

  private BlockAnswers() {}

  /**
   * A block by its answer.
   *
   * @param index position of the transaction, by its hash; empty if it is not in the block
   */
  record Block(Instant time, OptionalInt index) {}

  /** Reads the time of a block and the position of a transaction from {@code /block}. */
  static Block block(byte[] body, String txHash) {
    Optional<Instant> time = Optional.empty();
    int transactions = 0;
    OptionalInt index = OptionalInt.empty();
    try (JsonParser parser = JSON.createParser(body)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token != JsonToken.VALUE_STRING) {
          continue;
        }
        JsonStreamContext place = parser.getParsingContext();
        if (place.inArray() && isField(place.getParent(), "data", "txs")) {
          if (isSameHex(Sha256.of(parser.getBinaryValue(), HASH_BYTES), txHash)) {
            index = OptionalInt.of(transactions);
          }
          transactions++;
        } else if (time.isEmpty() && isField(place, "header", "time")) {
          time = Times.parse(parser.getText());
        }
      }
    } catch (IOException e) {
      throw new UnusableAnswer("/block returned no whole block");
    }
    return new Block(
        time.orElseThrow(() -> new UnusableAnswer("/block has no valid block time")), index);
  }

  /** Reads the result of the transaction at a position from {@code /block_results}. */
  static TransactionResult result(byte[] body, long height, int index) {
    try (JsonParser parser = JSON.createParser(body)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.START_ARRAY && "txs_results".equals(parser.currentName())) {
          return result(parser, height, index);
        }
      }
    } catch (IOException e) {
      throw new UnusableAnswer("/block_results returned no whole answer");
    }
    throw new UnusableAnswer("/block_results has no results of transactions");
  }

  /** Compares without case: CometBFT writes capital digits, the sidecar those of its request. */
  private static boolean isSameHex(String hash, String untrusted) {
    return hash.length() == untrusted.length()
        && IntStream.range(0, hash.length())
            .allMatch(
                i ->
                    Character.digit(hash.charAt(i), 16)
                        == Character.digit(untrusted.charAt(i), 16));
  }

  private static TransactionResult result(JsonParser parser, long height, int index)
      throws IOException {
    int at = 0;
    while (parser.nextToken() == JsonToken.START_OBJECT) {
      if (at == index) {
        return result(fields(parser), height);
      }
      parser.skipChildren();
      at++;
    }
    throw new UnusableAnswer("/block_results has fewer results than the block has transactions");
  }

  private static Map<String, String> fields(JsonParser parser) throws IOException {
    var fields = new HashMap<String, String>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      boolean isText = name.equals("log") || name.equals("data");
      if (name.equals("code") || isText && value == JsonToken.VALUE_STRING) {
        fields.put(name, parser.getText());
      }
      parser.skipChildren();
    }
    return fields;
  }

  /**
   * seid v6.4.4 to v6.6.2 leave out a code of 0, an empty log and empty data: ExecTxResult has
   * {@code omitempty} for each and no marshaller of its own
   * (sei-tendermint/abci/types/types.pb.go). CometBFT 0.34 writes them all (abci/types/result.go:
   * EmitDefaults). So a missing code is that of a transaction that succeeded; one that is there and
   * no number is unusable.
   */
  private static TransactionResult result(Map<String, String> fields, long height)
      throws IOException {
    String code = fields.getOrDefault("code", "0");
    if (!code.matches("\\d{1,9}")) {
      throw new UnusableAnswer("/block_results has no valid code");
    }
    return new TransactionResult(
        height,
        Integer.parseInt(code),
        UntrustedText.clean(fields.getOrDefault("log", "")),
        proposalId(fields.getOrDefault("data", "")));
  }

  /** Reads the id of a proposal from the response of its message: events of Sei's gov lack it. */
  private static Optional<Long> proposalId(String data) throws IOException {
    byte[] messages;
    try {
      messages = Base64.getDecoder().decode(data);
    } catch (IllegalArgumentException e) {
      throw new UnusableAnswer("/block_results has data that is not base64");
    }
    var in = CodedInputStream.newInstance(messages);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == MESSAGE) {
        return proposalOf(CodedInputStream.newInstance(in.readByteArray()));
      }
      in.skipField(tag);
    }
    return Optional.empty();
  }

  private static Optional<Long> proposalOf(CodedInputStream message) throws IOException {
    String type = "";
    byte[] response = {};
    for (int tag = message.readTag(); tag != 0; tag = message.readTag()) {
      if (tag == MESSAGE_TYPE) {
        type = message.readString();
      } else if (tag == MESSAGE_DATA) {
        response = message.readByteArray();
      } else {
        message.skipField(tag);
      }
    }
    if (!type.equals(SUBMIT_PROPOSAL)) {
      return Optional.empty();
    }
    var in = CodedInputStream.newInstance(response);
    return in.readTag() == PROPOSAL_ID ? Optional.of(in.readInt64()) : Optional.empty();
  }

  /** Returns whether a value is at the path {@code outer.name}, at any depth. */
  private static boolean isField(JsonStreamContext object, String outer, String name) {
    return object != null
        && name.equals(object.getCurrentName())
        && object.getParent() != null
        && outer.equals(object.getParent().getCurrentName());
  }
}
