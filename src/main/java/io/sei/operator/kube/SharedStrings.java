package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.KeyDeserializer;
import com.fasterxml.jackson.databind.deser.std.StringDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads equal texts, and equal keys of maps, as one object. The objects of a thousand nodes have
 * the same images, names of variables, labels, scripts and reasons a thousand times.
 */
final class SharedStrings extends StringDeserializer {

  private static final long serialVersionUID = 1;

  /** Characters of a text in the table of short ones. */
  private static final int SHORTEST_OF_LONG = 128;

  /** Characters; longer ones, such as a genesis, are not kept alive for others. */
  private static final int LONGEST = 4096;

  /** The texts that were read last, by their hashes. */
  private static final class Known {
    /** A node has some hundred short texts that others have too. */
    private final AtomicReferenceArray<String> shortOnes = new AtomicReferenceArray<>(1 << 12);

    /** A node has a few scripts. Tenants choose texts too, so that all tables stay below 2 MiB. */
    private final AtomicReferenceArray<String> longOnes = new AtomicReferenceArray<>(1 << 6);

    private String shared(String text) {
      if (text.length() > LONGEST) {
        return text;
      }
      return shared(text, text.length() < SHORTEST_OF_LONG ? shortOnes : longOnes);
    }

    /** Whichever text of its slot came last is known, so that old ones go. */
    private static String shared(String text, AtomicReferenceArray<String> known) {
      int hash = text.hashCode();
      int slot = (hash ^ hash >>> 16) & known.length() - 1;
      String before = known.getAcquire(slot);
      if (text.equals(before)) {
        return before;
      }
      known.setRelease(slot, text);
      return text;
    }
  }

  private final transient Known known;

  private SharedStrings(Known known) {
    this.known = known;
  }

  /** Makes a mapper read so. */
  static SimpleModule module() {
    var known = new Known();
    return new SimpleModule("shared-strings")
        .addDeserializer(String.class, new SharedStrings(known))
        .addKeyDeserializer(String.class, new Keys(known));
  }

  @Override
  public String deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    String text = super.deserialize(parser, context);
    return text == null ? null : known.shared(text);
  }

  private static final class Keys extends KeyDeserializer {
    private final Known known;

    private Keys(Known known) {
      this.known = known;
    }

    @Override
    public String deserializeKey(String key, DeserializationContext context) {
      return known.shared(key);
    }
  }
}
