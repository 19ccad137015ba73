package io.sei.operator.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares what is wanted with what is there: only what is wanted counts, so what the API server
 * defaulted and what others added is no difference. Empty equals absent, quantities are compared as
 * amounts, lists of named things by name.
 */
public final class SubsetDiff {

  /**
   * The fields that tell items of a Kubernetes list apart, in the order in which they are tried.
   */
  private static final List<String> KEYS =
      List.of("name", "mountPath", "containerPort", "uid", "type", "key");

  private static final Set<String> QUANTITY_PARENTS = Set.of("requests", "limits", "capacity");

  /** Fields that the API server leaves out when they are false. */
  private static final Set<String> FALSE_IS_ABSENT = Set.of("spec.publishNotReadyAddresses");

  private SubsetDiff() {}

  /** Paths of {@code wanted} that are missing or different in {@code live}; empty if none. */
  public static List<String> of(JsonNode wanted, JsonNode live) {
    var differences = new ArrayList<String>();
    compare("", wanted, live, false, differences);
    return differences;
  }

  private static void compare(
      String path, JsonNode wanted, JsonNode live, boolean quantity, List<String> differences) {
    boolean nothing = isEmpty(wanted) || (FALSE_IS_ABSENT.contains(path) && !wanted.asBoolean());
    if (nothing && isEmpty(live)) {
      return;
    }
    if (isEmpty(live)) {
      differences.add(path);
    } else if (wanted.isObject()) {
      compareObjects(path, wanted, live, differences);
    } else if (wanted.isArray()) {
      compareLists(path, wanted, live, differences);
    } else if (!(quantity ? sameAmount(wanted, live) : wanted.asText().equals(live.asText()))) {
      differences.add(path);
    }
  }

  private static void compareObjects(
      String path, JsonNode wanted, JsonNode live, List<String> differences) {
    for (Iterator<Map.Entry<String, JsonNode>> it = wanted.fields(); it.hasNext(); ) {
      Map.Entry<String, JsonNode> field = it.next();
      String parent = path.substring(path.lastIndexOf('.') + 1);
      compare(
          path.isEmpty() ? field.getKey() : path + "." + field.getKey(),
          field.getValue(),
          live.get(field.getKey()),
          QUANTITY_PARENTS.contains(parent),
          differences);
    }
  }

  private static void compareLists(
      String path, JsonNode wanted, JsonNode live, List<String> differences) {
    String key = keyOf(wanted);
    if (key == null && wanted.size() != live.size()) {
      differences.add(path);
      return;
    }
    for (int i = 0; i < wanted.size(); i++) {
      JsonNode item = wanted.get(i);
      JsonNode other = key == null ? live.get(i) : find(live, key, item.get(key));
      String name = key == null ? String.valueOf(i) : item.get(key).asText();
      compare(path + "[" + name + "]", item, other, false, differences);
    }
  }

  private static String keyOf(JsonNode list) {
    return KEYS.stream().filter(key -> hasDistinct(list, key)).findFirst().orElse(null);
  }

  private static boolean hasDistinct(JsonNode list, String key) {
    var seen = new java.util.HashSet<String>();
    for (JsonNode item : list) {
      if (!(item instanceof ObjectNode) || !item.has(key) || !seen.add(item.get(key).asText())) {
        return false;
      }
    }
    return true;
  }

  private static JsonNode find(JsonNode list, String key, JsonNode value) {
    for (JsonNode item : list) {
      if (item.has(key) && item.get(key).asText().equals(value.asText())) {
        return item;
      }
    }
    return null;
  }

  private static boolean sameAmount(JsonNode wanted, JsonNode live) {
    try {
      return Quantity.parse(wanted.asText())
              .getNumericalAmount()
              .compareTo(Quantity.parse(live.asText()).getNumericalAmount())
          == 0;
    } catch (IllegalArgumentException e) {
      return wanted.asText().equals(live.asText());
    }
  }

  /** An object of nothing but empty fields is empty too. */
  private static boolean isEmpty(JsonNode node) {
    if (node == null || node.isNull() || node.isMissingNode()) {
      return true;
    }
    if (node.isObject()) {
      return node.properties().stream().allMatch(field -> isEmpty(field.getValue()));
    }
    return node.isArray() ? node.isEmpty() : node.isTextual() && node.textValue().isEmpty();
  }
}
