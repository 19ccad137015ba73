package io.sei.operator.chain;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.kube.ObjectEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The releases of seid that are known: those that the operator is built with, extended or replaced
 * by those of a ConfigMap. While the ConfigMap cannot be read, or is no list of releases, the last
 * list that could be read stays.
 */
public final class KnownReleases {

  private static final Logger log = LoggerFactory.getLogger(KnownReleases.class);

  /** Key of the list in the ConfigMap. */
  public static final String KEY = "releases.yaml";

  /** Time between looks at the ConfigMap, which is written some days before an upgrade. */
  public static final Duration PERIOD = Duration.ofMinutes(10);

  private final String name;
  private final Supplier<Optional<ConfigMap>> configMap;
  private final BiConsumer<ConfigMap, ObjectEvent> events;
  private final Releases builtIn = ReleaseReader.builtIn();
  private volatile Releases current = builtIn;
  private volatile Optional<String> problem = Optional.empty();

  /**
   * @param name of the ConfigMap, for messages
   * @param configMap reads it; throws KubernetesClientException if the API server does not answer
   * @param events records what is wrong with it
   */
  public KnownReleases(
      String name,
      Supplier<Optional<ConfigMap>> configMap,
      BiConsumer<ConfigMap, ObjectEvent> events) {
    this.name = name;
    this.configMap = configMap;
    this.events = events;
  }

  /** Returns the list that holds now. */
  public Releases current() {
    return current;
  }

  /** Returns what is wrong with the ConfigMap. */
  public Optional<String> problem() {
    return problem;
  }

  /** Reads the ConfigMap. */
  public void look() {
    try {
      Optional<ConfigMap> read = configMap.get();
      current = read.map(this::extended).orElse(builtIn);
      problem = Optional.empty();
    } catch (KubernetesClientException e) {
      report(
          "ConfigMap %s cannot be read, so that the last list of releases stays: %s"
              .formatted(name, e.getMessage()));
    } catch (IllegalArgumentException e) {
      report(e.getMessage());
    }
  }

  private Releases extended(ConfigMap read) {
    String text = read.getData() == null ? null : read.getData().get(KEY);
    try {
      if (text == null) {
        throw new IllegalArgumentException("it is missing");
      }
      return builtIn.with(ReleaseReader.read(text));
    } catch (IllegalArgumentException e) {
      String message =
          "key %s of ConfigMap %s is no list of releases: %s; the last one that was stays"
              .formatted(KEY, name, e.getMessage());
      if (!problem.equals(Optional.of(message))) {
        events.accept(read, ObjectEvent.warning("ReleaseListInvalid", message));
      }
      throw new IllegalArgumentException(message, e);
    }
  }

  private void report(String message) {
    if (!problem.equals(Optional.of(message))) {
      log.warn("{}", message);
    }
    problem = Optional.of(message);
  }
}
