package io.sei.operator.observability;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Metrics and labels of a PromQL expression. No parser: it takes away what cannot be a metric,
 * which is enough for expressions as ours are written.
 *
 * @param selectors metrics by name, with the label matchers on them
 * @param labels labels that are grouped or matched by, or whose values are read
 * @param made labels that the expression makes itself
 */
record PromQuery(List<Selector> selectors, Set<String> labels, Set<String> made) {

  /**
   * One metric that is asked for.
   *
   * @param labels labels that are matched, with the value where one is named
   */
  record Selector(String metric, Map<String, String> labels) {}

  private static final Pattern STRING = Pattern.compile("\"[^\"]*\"");
  private static final Pattern GROUPING =
      Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\(([^)]*)\\)");

  /** The arguments of label_replace after the first: destination, replacement, source, pattern. */
  private static final Pattern REPLACEMENT =
      Pattern.compile("\"(\\w+)\"\\s*,\\s*\"[^\"]*\"\\s*,\\s*\"(\\w*)\"\\s*,\\s*\"[^\"]*\"\\s*\\)");

  private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
  private static final Pattern SELECTOR =
      Pattern.compile("(?<![\\w:$])([a-zA-Z_:][a-zA-Z0-9_:]*)\\s*(?:\\{([^}]*)})?(?!\\w|\\s*\\()");
  private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");
  private static final Set<String> WORDS =
      Set.of("and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring");

  /** Reads an expression; variables of a dashboard may be in it. */
  static PromQuery parse(String expression) {
    Set<String> labels = new TreeSet<>();
    Matcher groupings = GROUPING.matcher(expression);
    while (groupings.find()) {
      for (String label : groupings.group(1).split(",")) {
        if (!label.isBlank()) {
          labels.add(label.strip());
        }
      }
    }
    Set<String> made = new TreeSet<>();
    Matcher replacements = REPLACEMENT.matcher(expression);
    while (replacements.find()) {
      made.add(replacements.group(1));
      if (!replacements.group(2).isEmpty()) {
        labels.add(replacements.group(2));
      }
    }
    String rest = RANGE.matcher(GROUPING.matcher(expression).replaceAll(" ")).replaceAll(" ");
    List<Selector> selectors = new ArrayList<>();
    Matcher found = SELECTOR.matcher(withoutArguments(rest));
    while (found.find()) {
      if (!WORDS.contains(found.group(1))) {
        selectors.add(new Selector(found.group(1), matchers(found.group(2))));
      }
    }
    return new PromQuery(List.copyOf(selectors), labels, made);
  }

  /** Strings stay only within braces: elsewhere they are arguments of functions. */
  private static String withoutArguments(String expression) {
    StringBuilder kept = new StringBuilder();
    int depth = 0;
    Matcher strings = STRING.matcher(expression);
    int at = 0;
    while (strings.find(at)) {
      String before = expression.substring(at, strings.start());
      depth += count(before, '{') - count(before, '}');
      kept.append(before).append(depth > 0 ? strings.group() : " ");
      at = strings.end();
    }
    return kept.append(expression.substring(at)).toString();
  }

  private static int count(String text, char wanted) {
    return (int) text.chars().filter(character -> character == wanted).count();
  }

  private static Map<String, String> matchers(String braces) {
    Map<String, String> labels = new TreeMap<>();
    Matcher matchers = MATCHER.matcher(braces == null ? "" : braces);
    while (matchers.find()) {
      boolean exact = matchers.group(2).equals("=") && !matchers.group(3).contains("$");
      labels.put(matchers.group(1), exact ? matchers.group(3) : null);
    }
    return labels;
  }
}
