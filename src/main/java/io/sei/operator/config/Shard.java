package io.sei.operator.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The part of a cluster that one operator of several manages: whole namespaces, by a checksum of
 * their names, so that all objects of a node or fleet are in one part.
 *
 * @param index from 0
 * @param count how many operators share the cluster; 1 where one manages all of it
 */
public record Shard(int index, int count) {

  /** Enough for tens of thousands of nodes; each costs the API server all watches once more. */
  private static final int MOST = 16;

  private static final Pattern TEXT = Pattern.compile("([0-9]{1,2})/([0-9]{1,2})");

  /** The shard that a text such as 0/3 names; empty if it names none. */
  static Optional<Shard> of(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    var shard = new Shard(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)));
    return Optional.of(shard)
        .filter(candidate -> candidate.index < candidate.count && candidate.count <= MOST);
  }

  /** Returns whether others manage other parts. */
  public boolean isPart() {
    return count > 1;
  }

  /**
   * Returns whether this part has a namespace: the CRC-32 of its name, divided by the count, leaves
   * the index.
   */
  public boolean owns(String namespace) {
    return !isPart() || sum(namespace) % count == index;
  }

  private static long sum(String namespace) {
    var crc = new CRC32();
    crc.update(namespace.getBytes(UTF_8));
    return crc.getValue();
  }
}
