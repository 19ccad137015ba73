package io.sei.operator.chain;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * PURE: fields of a protobuf message by their numbers. The few fields that are read are no reason
 * to generate code; fields of other wire types, such as those of later versions, are skipped.
 *
 * @param values of length-delimited fields: messages and texts
 * @param numbers of varint fields
 */
record ProtobufMessage(Map<Integer, List<ByteString>> values, Map<Integer, Long> numbers) {

  /**
   * Decodes a message.
   *
   * @throws UnusableAnswer if it is none
   */
  static ProtobufMessage decode(ByteString bytes) {
    Map<Integer, List<ByteString>> values = new HashMap<>();
    Map<Integer, Long> numbers = new HashMap<>();
    try {
      CodedInputStream in = bytes.newCodedInput();
      for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
        int field = WireFormat.getTagFieldNumber(tag);
        int type = WireFormat.getTagWireType(tag);
        if (type == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
          values.computeIfAbsent(field, none -> new ArrayList<>()).add(in.readBytes());
        } else if (type == WireFormat.WIRETYPE_VARINT) {
          numbers.put(field, in.readInt64());
        } else if (!in.skipField(tag)) {
          throw undecodable();
        }
      }
    } catch (IOException e) {
      throw undecodable();
    }
    return new ProtobufMessage(values, numbers);
  }

  /** The values of a repeated field. */
  List<ByteString> values(int field) {
    return values.getOrDefault(field, List.of());
  }

  /** The message of a field; without fields if it is unset. */
  ProtobufMessage message(int field) {
    return decode(value(field));
  }

  /** The text of a field; empty if it is unset. */
  String text(int field) {
    ByteString value = value(field);
    if (!value.isValidUtf8()) {
      throw undecodable();
    }
    return value.toStringUtf8();
  }

  /** The number of a field; 0 if it is unset. */
  long number(int field) {
    return numbers.getOrDefault(field, 0L);
  }

  /** The last value counts if a field is repeated that should not be. */
  private ByteString value(int field) {
    return values.getOrDefault(field, List.of(ByteString.EMPTY)).getLast();
  }

  private static UnusableAnswer undecodable() {
    return new UnusableAnswer("the answer to a query cannot be decoded");
  }
}
