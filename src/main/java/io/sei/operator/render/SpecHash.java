package io.sei.operator.render;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.Json;
import io.sei.operator.base.Sha256;
import io.sei.operator.render.SpecFields.Effect;
import io.sei.operator.render.SpecFields.Scope;
import io.sei.operator.render.SpecFields.SpecField;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * Digest of what the user asks of a pod: a pod is restarted when this changes, and for nothing
 * else.
 *
 * <p>Only fields that are set take part, so the operator's defaults can change from one version to
 * the next without restarting a single node. What the schema itself defaults counts as unset, since
 * the API server fills it in.
 *
 * <p>The digest is stamped on running pods. A change of what goes into it restarts every node there
 * is, unless the format gets a new prefix: a stamp with an unknown prefix is replaced silently.
 */
public final class SpecHash {

  private static final String PREFIX = "v1:";

  private static final JsonMapper JSON =
      Json.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private SpecHash() {}

  /** The hash of a node as it is now. */
  public static String of(SeiNode node) {
    return of(node.getSpec(), Annotations.restartRequestedAt(node).orElse(null));
  }

  /**
   * The hash of a spec and of the node's annotation {@link Annotations#RESTART_REQUESTED_AT}, which
   * may be null.
   */
  public static String of(SeiNodeSpec spec, String restartRequestedAt) {
    return of(spec, restartRequestedAt, any -> true);
  }

  /**
   * The hash of a node without what is asked of this one alone, so that of the template it may be
   * from.
   */
  public static String ofTemplate(SeiNode node) {
    return ofTemplate(node.getSpec(), Annotations.restartRequestedAt(node).orElse(null));
  }

  /** Returns the hash of a spec, as in {@link #of(SeiNodeSpec, String)}. */
  public static String ofTemplate(SeiNodeSpec spec, String restartRequestedAt) {
    return of(spec, restartRequestedAt, field -> field.scope() == Scope.TEMPLATE);
  }

  /**
   * Returns whether a stamp is one of this version's, so that it can be compared with {@link #of}.
   */
  public static boolean isKnownFormat(String hash) {
    return hash != null && hash.startsWith(PREFIX);
  }

  private static String of(
      SeiNodeSpec spec, String restartRequestedAt, Predicate<SpecField> fields) {
    SortedMap<String, Object> intent =
        SpecFields.intent(spec, field -> field.effect() == Effect.RESTARTS && fields.test(field));
    intent.put("mode", NodeMode.of(spec).role());
    if (CanonicalForm.text(restartRequestedAt) != null) {
      intent.put("restartRequestedAt", restartRequestedAt);
    }
    return PREFIX + Sha256.shortOf(canonicalJson(intent));
  }

  private static String canonicalJson(SortedMap<String, Object> intent) {
    try {
      return JSON.writeValueAsString(intent);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text, numbers, lists and maps are always JSON", e);
    }
  }
}
