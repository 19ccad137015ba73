package io.sei.operator.testkit;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What fills an object up to the limits of an API server. */
public final class Bulk {

  /** Bytes that the keys and values of an object's annotations may have together. */
  public static final int ALL_ANNOTATIONS = 256 * 1024;

  /** Bytes that a request to etcd may have, as long as nobody sets another limit. */
  public static final int REQUEST = 1536 * 1024;

  /** How an API server says that something is too large for etcd, or too large to be sent to it. */
  public static final String REFUSAL = "request is too large|message larger than max";

  /** The longest that the prefix of a label's key may be. */
  private static final String PREFIX = "x".repeat(253) + "/";

  private Bulk() {}

  /** A word of this length. */
  public static String text(int length) {
    return "x".repeat(length);
  }

  /**
   * Labels of about this many bytes, as a JSON object in which ' stands for ". Keys count twice in
   * a stored object, as its managedFields have them too, and are nearly all there is here.
   *
   * @param series tells these labels from others
   */
  public static String labels(String series, int bytes) {
    Map<String, String> labels = new TreeMap<>();
    for (int i = 0; i * PREFIX.length() < bytes; i++) {
      labels.put(PREFIX + series + i, "x");
    }
    return labels.entrySet().stream()
        .map(label -> "'%s':'%s'".formatted(label.getKey(), label.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }
}
