package io.sei.operator.config;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Conversion of a setting's text to its value. */
public enum ConfigType {
  BOOLEAN(
      "true or false",
      matching("(?i)true|false").andThen(optional -> optional.map(Boolean::valueOf))),
  THREADS("a whole number from 1 to 256", integer(1, 256)),
  PORT("a port from 0 to 65535, 0 taking any free one", integer(0, 65535)),
  DEADLINE(
      "a time from 1s to 168h, such as 500ms, 2s, 1m or 1h",
      duration(Duration.ofSeconds(1), Duration.ofHours(168))),
  TIMEOUT(
      "a time from 10ms to 300s, such as 500ms, 2s, 1m or 1h",
      duration(Duration.ofMillis(10), Duration.ofSeconds(300))),
  DELAY(
      "a time from 0s to 300s, such as 0s, 500ms, 10s or 1m",
      duration(Duration.ZERO, Duration.ofSeconds(300))),
  LOG_LEVEL("one of error, warn, info, debug, trace", matching("(?i)error|warn|info|debug|trace")),
  LOG_FORMAT("one of text, json", matching("text|json")),
  SIGNING_SCOPE("one of Cluster, Namespaces", matching("Cluster|Namespaces")),
  SHARD("a shard such as 0/3: its number, below a count of at most 16", Shard::of),
  NLB_TARGET("one of ip, instance", matching("(?i)ip|instance")),
  NAMESPACES("namespaces separated by commas, or empty", ConfigType::namespaces),
  SERVICE_ACCOUNT("a ServiceAccount as NAMESPACE/NAME", ServiceAccountRef::of),
  FILE("an absolute path", ConfigType::file),
  URL("an http:// or https:// URL without user, query and fragment", ConfigType::url),
  URL_TEMPLATE(
      "an http:// or https:// URL that contains {podIP} or {name} and no other placeholder but"
          + " {namespace}",
      UrlTemplate::of),
  IMAGE(
      "an image such as registry.example/name:tag",
      matching("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,511}")),
  CPU("a CPU quantity such as 4 or 500m", positive("[0-9]{1,6}(\\.[0-9]{1,3})?|[0-9]{1,9}m")),
  BYTES(
      "a quantity of bytes such as 16Gi or 2Ti",
      positive("[0-9]{1,18}(\\.[0-9]{1,3})?(k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?")),
  /** The name of most Kubernetes objects, or a domain. */
  SUBDOMAIN(
      "a lower-case DNS name such as my-name or my.name",
      matching("(?=.{1,253}$)%1$s(\\.%1$s)*".formatted(Text.LABEL))),
  LABEL_VALUE(
      "a label value: at most 63 letters, digits, '-', '_' and '.'", matching(Text.LABEL_VALUE)),
  /** The syntax of label and taint keys. */
  QUALIFIED_NAME(
      "a key such as workload or sei.io/workload",
      matching("((?=[^/]{1,253}/)%1$s(\\.%1$s)*/)?%2$s".formatted(Text.LABEL, Text.LABEL_VALUE))),
  /** Bucket names, regions and key prefixes, whose rules are not ours. */
  WORD("printable ASCII without spaces", matching("[!-~]{1,1024}"));

  /** Constants that an enum cannot refer to in its own constants. */
  private static final class Text {
    static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
    static final String LABEL_VALUE = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";
  }

  private final String allowed;
  private final Function<String, ? extends Optional<?>> parser;

  ConfigType(String allowed, Function<String, ? extends Optional<?>> parser) {
    this.allowed = allowed;
    this.parser = parser;
  }

  /** Accepted values, in words that complete "must be". */
  String allowed() {
    return allowed;
  }

  /** The value of a text; empty if it is not allowed. */
  Optional<?> parse(String text) {
    return parser.apply(text);
  }

  private static Function<String, Optional<String>> matching(String regex) {
    Predicate<String> accepted = Pattern.compile(regex).asMatchPredicate();
    return text -> Optional.of(text).filter(accepted);
  }

  private static Function<String, Optional<String>> positive(String regex) {
    return matching(regex).andThen(optional -> optional.filter(text -> text.matches(".*[1-9].*")));
  }

  private static Function<String, Optional<Integer>> integer(int min, int max) {
    return matching("[+-]?[0-9]{1,9}")
        .andThen(
            optional ->
                optional.map(Integer::valueOf).filter(value -> value >= min && value <= max));
  }

  private static Function<String, Optional<Duration>> duration(Duration min, Duration max) {
    return matching("[0-9]{1,9}(ms|s|m|h)")
        .andThen(
            optional ->
                optional
                    .map(ConfigType::toDuration)
                    .filter(value -> value.compareTo(min) >= 0 && value.compareTo(max) <= 0));
  }

  private static Duration toDuration(String text) {
    long number = Long.parseLong(text.replaceAll("[a-z]", ""));
    return switch (text.replaceAll("[0-9]", "")) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofHours(number);
    };
  }

  private static Optional<Set<String>> namespaces(String text) {
    var names =
        Arrays.stream(text.split(","))
            .map(String::trim)
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    return Optional.of(Collections.<String>unmodifiableSet(names))
        .filter(all -> all.stream().allMatch(name -> name.matches(Text.LABEL)));
  }

  /** Without a slash at its end. */
  private static Optional<URI> url(String text) {
    try {
      return Optional.of(URI.create(text.replaceAll("/+$", "")))
          .filter(candidate -> text.matches("https?://[^?#@]+") && candidate.getHost() != null);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Optional<Path> file(String text) {
    try {
      return Optional.of(Path.of(text)).filter(Path::isAbsolute);
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }
}
