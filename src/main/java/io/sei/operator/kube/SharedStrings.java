package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StringDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads equal texts as one object. The objects of a thousand nodes have the same images, names of
 * variables, scripts and reasons a thousand times.
 */
final class SharedStrings extends StringDeserializer {

  private static final long serialVersionUID = 1;

  /** A power of two. A node has some hundred texts that others have too. */
  private static final int SLOTS = 1 << 12;

  /** Characters; longer ones, such as a genesis, are not kept alive for others. */
  private static final int LONGEST = 4096;

  private final AtomicReferenceArray<String> known = new AtomicReferenceArray<>(SLOTS);

  /** Makes a mapper read so. */
  static SimpleModule module() {
    return new SimpleModule("shared-strings").addDeserializer(String.class, new SharedStrings());
  }

  @Override
  public String deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    String text = super.deserialize(parser, context);
    return text == null || text.length() > LONGEST ? text : shared(text);
  }

  /** Whichever text of its slot came last is known, so that old ones go. */
  private String shared(String text) {
    int hash = text.hashCode();
    int slot = (hash ^ hash >>> 16) & SLOTS - 1;
    String before = known.getAcquire(slot);
    if (text.equals(before)) {
      return before;
    }
    known.setRelease(slot, text);
    return text;
  }
}
