package io.sei.operator.render;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceClaim;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.sei.operator.api.v1alpha1.Scheduling;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.base.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Pod fields of a spec in a form that does not depend on how the spec is written. What the schema
 * defaults counts as unset, since the API server fills it in.
 */
final class CanonicalForm {

  private static final JsonMapper JSON = Json.mapper();

  private CanonicalForm() {}

  static Map<String, Object> sidecar(SidecarSpec sidecar) {
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
  static Map<String, Object> podLabels(Map<String, String> labels) {
    var fields = new TreeMap<String, Object>();
    if (labels != null) {
      fields.putAll(labels);
      fields.keySet().removeAll(Labels.SYSTEM);
      fields.remove(Labels.REVISION);
    }
    return fields;
  }

  static String importedClaim(SeiNodeSpec spec) {
    return Names.importedClaim(spec.dataVolume()).orElse(null);
  }

  /**
   * Keys that the spec declares, without those of a ceremony, and without the keyring's keyName,
   * which each task passes to the sidecar.
   */
  static Map<String, Object> keys(SeiNodeSpec spec) {
    var fields = new TreeMap<String, Object>();
    SeiNodeSpec declared =
        spec.ceremony().isEmpty()
            ? spec
            : spec.withValidator(spec.validator().withGenesisCeremony(null));
    declared.signingKeySecret().ifPresent(secret -> putText(fields, "signingKey", secret));
    declared.nodeKeySecret().ifPresent(secret -> putText(fields, "nodeKey", secret));
    spec.remoteSigner().ifPresent(signer -> putText(fields, "remoteSigner", signer.publicKey()));
    spec.operatorKeyring()
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

  /** Returns maps, whose order does not depend on the library of the types. */
  static Map<String, Object> scheduling(Scheduling scheduling) {
    return JSON.convertValue(scheduling, new TypeReference<>() {});
  }

  static Map<String, Object> resources(ResourceRequirements resources) {
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

  private static List<Map<String, Object>> claims(List<ResourceClaim> claims) {
    return claims.stream()
        .map(
            claim -> {
              Map<String, Object> fields = new TreeMap<>();
              putText(fields, "name", claim.getName());
              putText(fields, "request", claim.getRequest());
              return fields;
            })
        .toList();
  }

  private static Map<String, Object> quantities(Map<String, Quantity> quantities) {
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

  /** A text; null if it is blank. */
  static String text(String value) {
    return value == null || value.isBlank() ? null : value;
  }

  private static void putText(Map<String, Object> fields, String key, String value) {
    if (text(value) != null) {
      fields.put(key, value);
    }
  }

  private static void putMap(Map<String, Object> fields, String key, Map<String, Object> value) {
    if (!value.isEmpty()) {
      fields.put(key, value);
    }
  }
}
