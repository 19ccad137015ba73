package io.sei.operator.render;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceClaim;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.base.Sha256;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Digest of what the user asks of a pod: a pod is restarted when this changes, and for nothing
 * else.
 *
 * <p>Only fields that are set take part, so the operator's defaults can change from one version to
 * the next without restarting a single node. What the schema itself defaults counts as unset, since
 * the API server fills it in.
 *
 * <p>The digest is stamped on running pods. Whoever changes what goes into it restarts every node
 * there is, unless the format gets a new prefix: a stamp with an unknown prefix is replaced
 * silently.
 */
public final class SpecHash {

  private static final String PREFIX = "v1:";

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

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
    return PREFIX + Sha256.shortOf(canonicalJson(intent(spec, restartRequestedAt)));
  }

  /**
   * The hash of a node without what is asked of this one alone, so that of the template it may be
   * from.
   */
  public static String ofTemplate(SeiNode node) {
    return ofTemplate(node.getSpec(), Annotations.restartRequestedAt(node).orElse(null));
  }

  /** The same of a spec, as in {@link #of(SeiNodeSpec, String)}. */
  public static String ofTemplate(SeiNodeSpec spec, String restartRequestedAt) {
    return of(spec.with(it -> it.maintenance(null).dataResetGeneration(null)), restartRequestedAt);
  }

  /** Whether a stamp is one of this version's, so that it can be compared with {@link #of}. */
  public static boolean isKnownFormat(String hash) {
    return hash != null && hash.startsWith(PREFIX);
  }

  private static SortedMap<String, Object> intent(SeiNodeSpec spec, String restartRequestedAt) {
    var intent = new TreeMap<String, Object>();
    putText(intent, "chainId", spec.chainId());
    putText(intent, "image", spec.image());
    intent.put("mode", NodeMode.of(spec).role());
    putMap(intent, "sidecar", sidecar(spec.sidecar()));
    putMap(intent, "podLabels", podLabels(spec.podLabels()));
    Names.importedClaim(spec.dataVolume()).ifPresent(claim -> intent.put("importedClaim", claim));
    putMap(intent, "keys", keys(KeyMaterial.of(spec)));
    putMap(intent, "resources", resources(spec.resources()));
    if (spec.terminationGracePeriodSeconds() != null) {
      intent.put("terminationGracePeriodSeconds", spec.terminationGracePeriodSeconds());
    }
    putMap(intent, "scheduling", scheduling(spec.placement()));
    putText(intent, "restartRequestedAt", restartRequestedAt);
    // When seid stops makes no difference to the pod in which it does not run.
    spec.holding().ifPresent(any -> intent.put("held", true));
    if (spec.dataResetGeneration() != null) {
      intent.put("dataResetGeneration", spec.dataResetGeneration());
    }
    return intent;
  }

  private static SortedMap<String, Object> sidecar(SidecarSpec sidecar) {
    var fields = new TreeMap<String, Object>();
    if (sidecar == null) {
      return fields;
    }
    putText(fields, "image", sidecar.image());
    if (sidecar.port() != null && sidecar.port() != SidecarSpec.DEFAULT_PORT) {
      fields.put("port", sidecar.port());
    }
    putMap(fields, "resources", resources(sidecar.resources()));
    return fields;
  }

  /** The revision label says which template a node came from, not what its pod is like. */
  private static SortedMap<String, Object> podLabels(Map<String, String> labels) {
    var fields = new TreeMap<String, Object>();
    if (labels != null) {
      fields.putAll(labels);
      fields.keySet().removeAll(Labels.SYSTEM);
      fields.remove(Labels.REVISION);
    }
    return fields;
  }

  /** The keyring's keyName is not here: each task passes it to the sidecar. */
  private static SortedMap<String, Object> keys(KeyMaterial keys) {
    var fields = new TreeMap<String, Object>();
    keys.signingKey().ifPresent(secret -> putText(fields, "signingKey", secret));
    keys.nodeKey().ifPresent(secret -> putText(fields, "nodeKey", secret));
    keys.operatorKeyring()
        .ifPresent(
            keyring -> {
              putText(fields, "operatorKeyring", keyring.secretName());
              var passphrase = keyring.passphraseSecretRef();
              if (passphrase != null) {
                putText(fields, "passphraseKey", passphrase.key());
                putText(fields, "passphraseSecret", passphrase.secretName());
              }
            });
    return fields;
  }

  /** As maps, whose order does not depend on the library that the types are from. */
  private static Map<String, Object> scheduling(Scheduling scheduling) {
    return JSON.convertValue(scheduling, new TypeReference<>() {});
  }

  private static SortedMap<String, Object> resources(ResourceRequirements resources) {
    var fields = new TreeMap<String, Object>();
    if (resources == null) {
      return fields;
    }
    putMap(fields, "requests", quantities(resources.getRequests()));
    putMap(fields, "limits", quantities(resources.getLimits()));
    if (resources.getClaims() != null && !resources.getClaims().isEmpty()) {
      fields.put("claims", claims(resources.getClaims()));
    }
    return fields;
  }

  private static List<SortedMap<String, Object>> claims(List<ResourceClaim> claims) {
    return claims.stream()
        .map(
            claim -> {
              SortedMap<String, Object> fields = new TreeMap<>();
              putText(fields, "name", claim.getName());
              putText(fields, "request", claim.getRequest());
              return fields;
            })
        .toList();
  }

  private static SortedMap<String, Object> quantities(Map<String, Quantity> quantities) {
    var fields = new TreeMap<String, Object>();
    Optional.ofNullable(quantities)
        .orElseGet(Map::of)
        .forEach(
            (resource, quantity) -> {
              if (quantity != null) {
                fields.put(resource, canonical(quantity));
              }
            });
    return fields;
  }

  /**
   * The API server rewrites quantities ({@code 1000m} comes back as {@code 1}), and so do people.
   */
  private static String canonical(Quantity quantity) {
    try {
      return quantity.getNumericalAmount().stripTrailingZeros().toPlainString();
    } catch (IllegalArgumentException | ArithmeticException e) {
      // The schema lets any text through. It is the API server that refuses the StatefulSet.
      return quantity.toString();
    }
  }

  private static void putText(Map<String, Object> fields, String key, String value) {
    if (value != null && !value.isBlank()) {
      fields.put(key, value);
    }
  }

  private static void putMap(Map<String, Object> fields, String key, Map<String, Object> value) {
    if (!value.isEmpty()) {
      fields.put(key, value);
    }
  }

  private static String canonicalJson(SortedMap<String, Object> intent) {
    try {
      return JSON.writeValueAsString(intent);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text, numbers, lists and maps are always JSON", e);
    }
  }
}
