package io.sei.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Finds changes of a CRD that break users of an earlier one: manifests that were accepted, stored
 * objects, and scripts that read them. A change that is not known to be safe counts as a break.
 */
final class CrdCompatibility {

  private static final Pattern ABSENCE =
      Pattern.compile(" \\|\\| !has\\((?:self|oldSelf)\\.([\\w.]+)\\)$");

  /** The rule that stands for a pattern. */
  private static final Pattern MATCHES =
      Pattern.compile("(?:oldSelf.* \\|\\| )?self\\.matches\\(r'(.*)'\\)");

  /** They say something to humans only. */
  private static final Set<String> WORDS =
      Set.of("description", "title", "example", "externalDocs", "message", "messageExpression");

  private static final Set<String> NAMES = Set.of("kind", "plural", "singular", "listKind");

  private final List<String> breaks = new ArrayList<>();

  private CrdCompatibility() {}

  /** Returns every break with its place; empty if all that worked still works. */
  static List<String> breaks(JsonNode before, JsonNode after) {
    var comparison = new CrdCompatibility();
    comparison.compare(before.path("spec"), after.path("spec"));
    return List.copyOf(comparison.breaks);
  }

  private void compare(JsonNode before, JsonNode after) {
    same("group", before, after);
    same("scope", before, after);
    NAMES.forEach(name -> same(name, before.path("names"), after.path("names")));
    removed("shortName", texts(before.at("/names/shortNames")), after.at("/names/shortNames"));
    for (JsonNode version : before.path("versions")) {
      String name = version.path("name").asText();
      JsonNode now = named(after.path("versions"), name);
      if (now.isMissingNode()
          || version.path("served").asBoolean() && !now.path("served").asBoolean()) {
        breaks.add("version " + name + " is not served any more");
      } else {
        version(version, now);
      }
    }
  }

  private void version(JsonNode before, JsonNode after) {
    same("storage", before, after);
    for (String subresource : names(before.path("subresources"))) {
      JsonNode was = before.path("subresources").path(subresource);
      JsonNode now = after.path("subresources").path(subresource);
      // What a subresource tells beyond that breaks nobody.
      if (!now.isObject()
          || !names(was).stream().allMatch(name -> was.path(name).equals(now.path(name)))) {
        breaks.add(subresource + " changed");
      }
    }
    for (JsonNode column : before.path("additionalPrinterColumns")) {
      String name = column.path("name").asText();
      JsonNode now = named(after.path("additionalPrinterColumns"), name);
      if (now.isMissingNode()) {
        breaks.add("column " + name + " is gone");
      } else {
        same("type", column, now);
      }
    }
    schema("", before.at("/schema/openAPIV3Schema"), after.at("/schema/openAPIV3Schema"));
  }

  private void schema(String path, JsonNode before, JsonNode after) {
    var keys = new TreeSet<>(names(before));
    keys.addAll(names(after));
    keys.removeAll(WORDS);
    for (String key : keys) {
      JsonNode old = before.path(key);
      JsonNode now = after.path(key);
      if (key.equals("pattern")) {
        pattern(path, pattern(before), pattern(after));
      } else if (key.equals("x-kubernetes-validations")) {
        pattern(path, pattern(before), pattern(after));
        rules(path, old, now, before);
      } else if (!old.equals(now)) {
        keyword(path, key, old, now);
      }
    }
  }

  private void keyword(String path, String key, JsonNode old, JsonNode now) {
    switch (key) {
      case "properties" -> properties(path, old, now);
      case "items" -> nested(path + "[]", key, old, now);
      case "additionalProperties" -> nested(path + "{}", key, old, now);
      case "required" -> added(path, "is newly required", texts(old), now);
      case "enum" -> enumeration(path, old, now);
      case "minimum", "minLength", "minItems", "minProperties" ->
          bound(path, key, old, now, now.asDouble() > old.asDouble());
      case "maximum", "maxLength", "maxItems", "maxProperties" ->
          bound(path, key, old, now, now.asDouble() < old.asDouble());
      case "format", "multipleOf", "exclusiveMinimum", "exclusiveMaximum" ->
          bound(path, key, old, now, true);
      case "nullable", "x-kubernetes-preserve-unknown-fields" -> {
        if (!now.asBoolean()) {
          breaks.add(path + ": no longer " + key);
        }
      }
      default -> breaks.add(path + ": " + key + " changed");
    }
  }

  /** A rule that matches a pattern refuses what the pattern did; it only says so in other words. */
  private void pattern(String path, String old, String now) {
    String narrower = path + ": pattern is narrower";
    if (now != null && !now.equals(old) && !breaks.contains(narrower)) {
      breaks.add(narrower);
    }
  }

  private static String pattern(JsonNode schema) {
    if (schema.has("pattern")) {
      return schema.path("pattern").asText();
    }
    return expressions(schema.path("x-kubernetes-validations")).stream()
        .map(MATCHES::matcher)
        .filter(Matcher::matches)
        .map(rule -> rule.group(1))
        .findFirst()
        .orElse(null);
  }

  private void properties(String path, JsonNode old, JsonNode now) {
    for (String name : names(old)) {
      String place = path.isEmpty() ? name : path + "." + name;
      if (now.has(name)) {
        schema(place, old.path(name), now.path(name));
      } else {
        breaks.add(place + " is gone");
      }
    }
  }

  private void nested(String path, String key, JsonNode old, JsonNode now) {
    if (old.isObject() && now.isObject()) {
      schema(path, old, now);
    } else {
      breaks.add(path + ": " + key + " changed");
    }
  }

  private void enumeration(String path, JsonNode old, JsonNode now) {
    if (old.isMissingNode()) {
      breaks.add(path + ": takes only some values now");
    } else if (!now.isMissingNode()) {
      removed(path + ": value", texts(old), now);
    }
  }

  /**
   * A rule that is worded otherwise may ask for more, and nothing here can tell; but one that holds
   * wherever a field is absent which the release did not know.
   */
  private void rules(String path, JsonNode old, JsonNode now, JsonNode schema) {
    Set<String> known = expressions(old);
    expressions(now).stream()
        .filter(rule -> !known.contains(rule) && !MATCHES.matcher(rule).matches())
        .filter(
            rule -> {
              Matcher absence = ABSENCE.matcher(rule);
              return !absence.find() || isKnown(schema, absence.group(1));
            })
        .forEach(rule -> breaks.add(path + ": new rule " + rule));
  }

  private static boolean isKnown(JsonNode schema, String field) {
    return !schema.at("/properties/" + field.replace(".", "/properties/")).isMissingNode();
  }

  private void bound(String path, String key, JsonNode old, JsonNode now, boolean isNarrower) {
    if (now.isMissingNode()) {
      return;
    }
    if (old.isMissingNode() && key.startsWith("max")) {
      breaks.add(path + ": new " + key + " " + now.asText());
    } else if (old.isMissingNode() || isNarrower) {
      breaks.add(path + ": " + key + " is narrower");
    }
  }

  private void same(String key, JsonNode before, JsonNode after) {
    if (!Objects.equals(before.path(key), after.path(key))) {
      breaks.add(key + " changed");
    }
  }

  private void removed(String what, Set<String> before, JsonNode after) {
    Set<String> now = texts(after);
    before.stream()
        .filter(text -> !now.contains(text))
        .forEach(text -> breaks.add(what + " " + text + " is gone"));
  }

  private void added(String path, String what, Set<String> before, JsonNode after) {
    texts(after).stream()
        .filter(text -> !before.contains(text))
        .forEach(text -> breaks.add((path.isEmpty() ? text : path + "." + text) + " " + what));
  }

  private static JsonNode named(JsonNode list, String name) {
    for (JsonNode element : list) {
      if (element.path("name").asText().equals(name)) {
        return element;
      }
    }
    return MissingNode.getInstance();
  }

  private static Set<String> names(JsonNode object) {
    var names = new TreeSet<String>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static Set<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> expressions(JsonNode rules) {
    return StreamSupport.stream(rules.spliterator(), false)
        .map(rule -> rule.path("rule").asText())
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
