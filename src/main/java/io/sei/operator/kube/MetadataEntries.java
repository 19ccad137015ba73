package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;

/**
 * Parses the labels or annotations of an object, of which it passes on a limited number: an object
 * may have ten thousand. Those of the operator are counted apart, so that others displace none.
 */
final class MetadataEntries extends JsonParserDelegate {

  /** Most entries that are kept: the API server limits nothing but the bytes of annotations. */
  private static final int MOST = 512;

  private static final String OWN = "sei.io/";

  /** Left out: it is as large as the object, and only kubectl reads it. */
  private static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

  private final boolean withLastApplied;
  private int own;
  private int others;
  private boolean excessive;

  /**
   * @param withLastApplied whether what {@code kubectl apply} has recorded is passed on
   */
  MetadataEntries(JsonParser parser, boolean withLastApplied) {
    super(parser);
    this.withLastApplied = withLastApplied;
  }

  /**
   * Returns whether entries were left out that the operator reads: it reads no
   * last-applied-configuration.
   */
  boolean isExcessive() {
    return excessive;
  }

  /** Describes an object with too many entries. */
  static String problem() {
    return "has more than %d entries".formatted(MOST);
  }

  @Override
  public JsonToken nextToken() throws IOException {
    JsonToken token = super.nextToken();
    while (token == JsonToken.FIELD_NAME && !isPassed(currentName())) {
      super.nextToken();
      super.skipChildren();
      token = super.nextToken();
    }
    return token;
  }

  private boolean isPassed(String key) {
    if (key.equals(LAST_APPLIED)) {
      return withLastApplied;
    }
    boolean isPassed = key.startsWith(OWN) ? ++own <= MOST : ++others <= MOST;
    excessive |= !isPassed;
    return isPassed;
  }
}
