package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The environment of a sidecar's process, and what it demands of it at its start: as seen on every
 * version from 0.0.50 to 0.0.70, and as the source of the one in the Go operator's tree says.
 *
 * @param variables values by name; one that is empty counts as unset
 */
record SidecarEnvironment(Map<String, String> variables) {

  static final String CHAIN_ID = "SEI_CHAIN_ID";
  static final String UPLOAD_INTERVAL = "SEI_SNAPSHOT_UPLOAD_INTERVAL";
  static final String KEYRING_BACKEND = "SEI_KEYRING_BACKEND";
  static final String KEYRING_PASSPHRASE = "SEI_KEYRING_PASSPHRASE";
  static final String AUTHN_MODE = "SEI_SIDECAR_AUTHN_MODE";
  static final String TRUSTED_HEADER = "trusted-header";
  static final String HOME = "SEI_HOME";
  private static final String UNAUTHENTICATED = "unauthenticated";

  /** Required variables in the order in which the real sidecar reads them. */
  private static final List<String> REQUIRED =
      List.of(
          CHAIN_ID,
          "SEI_GENESIS_BUCKET",
          "SEI_GENESIS_REGION",
          "SEI_SNAPSHOT_BUCKET",
          "SEI_SNAPSHOT_REGION");

  private static final Set<String> KEYRING_BACKENDS = Set.of("test", "file", "os");
  private static final Set<String> AUTHN_MODES = Set.of(UNAUTHENTICATED, TRUSTED_HEADER);
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy/MM/dd HH:mm:ss");

  /** The environment of a container. What comes from elsewhere, such as a Secret, is there. */
  static SidecarEnvironment of(Container container) {
    return new SidecarEnvironment(
        container.getEnv().stream()
            .collect(Collectors.toMap(EnvVar::getName, SidecarEnvironment::value, (a, b) -> b)));
  }

  /** Returns the smallest environment of a container. */
  static List<EnvVar> sample() {
    return REQUIRED.stream().map(name -> new EnvVar(name, "unset", null)).toList();
  }

  private static String value(EnvVar variable) {
    if (variable.getValueFrom() != null) {
      return "from elsewhere";
    }
    return variable.getValue() == null ? "" : variable.getValue();
  }

  /** A variable's value, or this one where it is unset. */
  String get(String name, String otherwise) {
    return Optional.of(variables.getOrDefault(name, ""))
        .filter(value -> !value.isEmpty())
        .orElse(otherwise);
  }

  /** The words with which the process exits with code 1; empty if it starts. */
  Optional<String> refusal(SidecarVersion version) {
    return (version == SidecarVersion.IN_TREE
            ? Stream.of(home(), missing(), upload(), authentication(), unguarded(), keyring())
            : Stream.of(missing(), upload(), keyring(), authentication()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Words as the process writes them before it exits. */
  static String logLine(SidecarVersion version, String words) {
    String start = version == SidecarVersion.IN_TREE ? "error:" : LocalDateTime.now().format(TIME);
    return start + " " + words;
  }

  private Optional<String> home() {
    String home = variables.get(HOME);
    if (home == null) {
      return Optional.of("Required flag \"home\" not set");
    }
    if (home.isBlank()) {
      return Optional.of(HOME + " is set but empty");
    }
    return Path.of(home.strip()).isAbsolute()
        ? Optional.empty()
        : Optional.of(HOME + " must be an absolute path");
  }

  /** Returns the error of an environment in which every client that reaches it could sign. */
  private Optional<String> unguarded() {
    String backend = get(KEYRING_BACKEND, "");
    boolean open = get(AUTHN_MODE, UNAUTHENTICATED).equals(UNAUTHENTICATED);
    return open && !backend.isEmpty()
        ? Optional.of("refusing to start: %s=\"%s\"".formatted(KEYRING_BACKEND, backend))
        : Optional.empty();
  }

  private Optional<String> missing() {
    return REQUIRED.stream()
        .filter(name -> get(name, "").isEmpty())
        .map(name -> "required environment variable " + name + " is not set")
        .findFirst();
  }

  private Optional<String> upload() {
    String interval = get(UPLOAD_INTERVAL, "0");
    return GoDuration.error(interval)
        .map(error -> "invalid %s \"%s\": %s".formatted(UPLOAD_INTERVAL, interval, error));
  }

  private Optional<String> keyring() {
    String backend = get(KEYRING_BACKEND, "test");
    if (!KEYRING_BACKENDS.contains(backend)) {
      return Optional.of(
          "unsupported %s \"%s\" (allowed: test|file|os)".formatted(KEYRING_BACKEND, backend));
    }
    return backend.equals("file") && get(KEYRING_PASSPHRASE, "").isEmpty()
        ? Optional.of(KEYRING_PASSPHRASE + " required when " + KEYRING_BACKEND + "=file")
        : Optional.empty();
  }

  private Optional<String> authentication() {
    String mode = get(AUTHN_MODE, UNAUTHENTICATED);
    return AUTHN_MODES.contains(mode)
        ? Optional.empty()
        : Optional.of(
            "%s=\"%s\" is not recognized (allowed: \"\", \"unauthenticated\", \"%s\")"
                .formatted(AUTHN_MODE, mode, TRUSTED_HEADER));
  }
}
