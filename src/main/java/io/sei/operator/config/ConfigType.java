package io.sei.operator.config;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * How the text of a setting becomes a value.
 *
 * @param allowed what is accepted, in words that complete "must be"
 * @param parser gives the value of a text, or empty when the text is not allowed
 */
public record ConfigType<T>(String allowed, Function<String, Optional<T>> parser) {

  private static final Pattern DURATION = Pattern.compile("([0-9]{1,9})(ms|s|m|h)");
  private static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
  private static final String SUBDOMAIN = "(?=.{1,253}$)%1$s(\\.%1$s)*".formatted(LABEL);
  private static final String LABEL_VALUE = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

  /** {@code true} or {@code false}, in any case. */
  static ConfigType<Boolean> bool() {
    return new ConfigType<>(
        "true or false",
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> Optional.of(true);
              case "false" -> Optional.of(false);
              default -> Optional.empty();
            });
  }

  /** A whole number between two bounds, both included. */
  static ConfigType<Integer> integer(int min, int max) {
    return new ConfigType<>(
        "a whole number from %d to %d".formatted(min, max),
        text -> {
          try {
            int value = Integer.parseInt(text);
            return value >= min && value <= max ? Optional.of(value) : Optional.empty();
          } catch (NumberFormatException e) {
            return Optional.empty();
          }
        });
  }

  /** A TCP port to listen on. */
  static ConfigType<Integer> port() {
    return integer(0, 65535).described("a port from 0 to 65535, 0 taking any free one");
  }

  /** A length of time written as a whole number and a unit, between two bounds, both included. */
  static ConfigType<Duration> duration(Duration min, Duration max) {
    return new ConfigType<>(
        "a time from %s to %s, such as 500ms, 2s, 1m or 1h".formatted(text(min), text(max)),
        text -> parseDuration(text).filter(d -> d.compareTo(min) >= 0 && d.compareTo(max) <= 0));
  }

  /** One of the constants of an enum, in any case. */
  static <E extends Enum<E>> ConfigType<E> oneOf(Class<E> type) {
    var names =
        Arrays.stream(type.getEnumConstants())
            .map(c -> c.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    return new ConfigType<>(
        "one of " + names,
        text ->
            Arrays.stream(type.getEnumConstants())
                .filter(c -> c.name().equalsIgnoreCase(text))
                .findFirst());
  }

  /** A CPU quantity above zero. */
  static ConfigType<String> cpu() {
    return matching("[0-9]{1,6}(\\.[0-9]{1,3})?|[0-9]{1,9}m", "a CPU quantity such as 4 or 500m")
        .filtered(ConfigType::isPositive);
  }

  /** A quantity of memory or storage above zero. */
  static ConfigType<String> bytes() {
    return matching(
            "[0-9]{1,18}(\\.[0-9]{1,3})?(k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?",
            "a quantity of bytes such as 16Gi or 2Ti")
        .filtered(ConfigType::isPositive);
  }

  /** A container image reference. */
  static ConfigType<String> image() {
    return matching(
        "[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}", "an image such as registry.example/name:tag");
  }

  /** A DNS subdomain: the name of most Kubernetes objects, or a domain. */
  static ConfigType<String> subdomain() {
    return matching(SUBDOMAIN, "a lower-case DNS name such as my-name or my.name");
  }

  /** The value of a Kubernetes label. */
  static ConfigType<String> labelValue() {
    return matching(LABEL_VALUE, "a label value: at most 63 letters, digits, '-', '_' and '.'");
  }

  /** A qualified name as label and taint keys are. */
  static ConfigType<String> qualifiedName() {
    return matching(
        "(%s/)?%s".formatted("(?=[^/]{1,253}/)%1$s(\\.%1$s)*".formatted(LABEL), LABEL_VALUE),
        "a key such as workload or sei.io/workload");
  }

  /** Free text without spaces: bucket names, regions and key prefixes, whose rules are not ours. */
  static ConfigType<String> word() {
    return matching("[!-~]{1,1024}", "printable ASCII without spaces");
  }

  /** Namespaces separated by commas, in order; none means every namespace. */
  static ConfigType<Set<String>> namespaces() {
    var name = Pattern.compile(LABEL);
    return new ConfigType<>(
        "namespaces separated by commas, or empty for all",
        text -> {
          var names =
              Arrays.stream(text.split(","))
                  .map(String::trim)
                  .filter(n -> !n.isEmpty())
                  .collect(Collectors.toCollection(TreeSet::new));
          return names.stream().allMatch(n -> name.matcher(n).matches())
              ? Optional.of(Collections.unmodifiableSet(names))
              : Optional.empty();
        });
  }

  /** A file that need not exist. */
  static ConfigType<Path> file() {
    return new ConfigType<>(
        "an absolute path",
        text -> {
          try {
            return Optional.of(Path.of(text)).filter(Path::isAbsolute);
          } catch (InvalidPathException e) {
            return Optional.empty();
          }
        });
  }

  /** An http or https URL with {podIP} or {name} and, optionally, {namespace}. */
  static ConfigType<String> urlTemplate() {
    return new ConfigType<>(
        "an http:// or https:// URL that contains {podIP} or {name} and no other placeholder but"
            + " {namespace}",
        text -> Optional.of(text).filter(ConfigType::isUrlTemplate));
  }

  /** The same type, for a setting that may be left out: an empty text is an absent value. */
  ConfigType<Optional<T>> orNone() {
    return new ConfigType<>(
        allowed + ", or empty",
        text ->
            text.isEmpty() ? Optional.of(Optional.empty()) : parser.apply(text).map(Optional::of));
  }

  private ConfigType<T> described(String words) {
    return new ConfigType<>(words, parser);
  }

  private ConfigType<T> filtered(Predicate<T> accepted) {
    return new ConfigType<>(allowed, text -> parser.apply(text).filter(accepted));
  }

  private static ConfigType<String> matching(String regex, String allowed) {
    var pattern = Pattern.compile(regex);
    return new ConfigType<>(
        allowed, text -> Optional.of(text).filter(t -> pattern.matcher(t).matches()));
  }

  private static boolean isPositive(String quantity) {
    return quantity.chars().anyMatch(c -> c >= '1' && c <= '9');
  }

  private static boolean isUrlTemplate(String text) {
    if (!text.contains("{name}") && !text.contains(SidecarConfig.POD_IP)) {
      return false;
    }
    try {
      var uri =
          URI.create(
              text.replace(SidecarConfig.POD_IP, "10.0.0.1")
                  .replace("{name}", "n")
                  .replace("{namespace}", "ns"));
      return uri.getHost() != null
          && Set.of("http", "https").contains(uri.getScheme())
          && uri.getQuery() == null
          && uri.getFragment() == null
          && uri.getUserInfo() == null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Optional<Duration> parseDuration(String text) {
    var match = DURATION.matcher(text);
    if (!match.matches()) {
      return Optional.empty();
    }
    long number = Long.parseLong(match.group(1));
    return Optional.of(
        switch (match.group(2)) {
          case "ms" -> Duration.ofMillis(number);
          case "s" -> Duration.ofSeconds(number);
          case "m" -> Duration.ofMinutes(number);
          default -> Duration.ofHours(number);
        });
  }

  private static String text(Duration d) {
    if (d.toMillisPart() != 0) {
      return d.toMillis() + "ms";
    }
    return d.toHours() > 0 ? d.toHours() + "h" : d.toSeconds() + "s";
  }
}
