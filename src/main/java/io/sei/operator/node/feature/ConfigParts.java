package io.sei.operator.node.feature;

import io.sei.operator.api.v1alpha1.ConfigValue;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Configuration that a node's sidecar writes into the files. Each feature adds its own keys: files
 * that are written anew have no others. A key belongs to one feature, so that the order of the
 * features cannot matter.
 */
public final class ConfigParts {

  private final SortedMap<String, String> set = new TreeMap<>();
  private final SortedMap<String, String> overrides = new TreeMap<>();
  private final SortedSet<String> later = new TreeSet<>();
  private final SortedMap<String, ConfigValue> inFiles = new TreeMap<>();
  private final PlanShape shape;
  private List<ConfigValue> values = List.of();
  private ConfigFiles files = ConfigFiles.REPLACED;
  private boolean again;

  /**
   * Creates an empty configuration.
   *
   * @param shape of the part of a plan that has the files written
   */
  public ConfigParts(PlanShape shape) {
    this.shape = shape;
  }

  /** The shape of the part of a plan that has the files written. */
  public PlanShape shape() {
    return shape;
  }

  /**
   * Sets a key of sei-config, in the form in which {@code config-apply} takes it.
   *
   * @throws IllegalStateException if another feature has the key
   */
  public void set(String key, String value) {
    claim(key);
    set.put(key, value);
  }

  /**
   * Leaves a key of sei-config to a task of its own, that comes after {@code config-apply} in every
   * plan.
   *
   * @throws IllegalStateException if another feature has the key
   */
  public void setLater(String key) {
    claim(key);
    later.add(key);
  }

  /**
   * Sets a key of a TOML file, as it is spelt there, that sei-config need not have.
   *
   * @throws IllegalStateException if another feature has the key
   */
  public void set(ConfigValue value) {
    String place = value.fileName() + ":" + value.key();
    claim(place);
    inFiles.put(place, value);
  }

  /** Sets keys of sei-config as the user wants them, whatever features say. */
  public void override(Map<String, String> values) {
    overrides.putAll(values);
  }

  /** Sets keys of TOML files as the user wants them, over everything else. */
  public void values(List<ConfigValue> wanted) {
    values = List.copyOf(wanted);
  }

  /** Has the files kept, or not written again before the sidecar was asked; the strictest wins. */
  public void files(ConfigFiles wanted) {
    files = wanted.compareTo(files) > 0 ? wanted : files;
  }

  /** Returns the treatment of the files. */
  public ConfigFiles files() {
    return files;
  }

  /** Has the configuration written by this plan, although the spec asks for no other one. */
  public void again() {
    again = true;
  }

  /** Returns whether the configuration is written even if the spec asks for no other one. */
  public boolean isAgain() {
    return again;
  }

  /** The keys that {@code config-apply} sets, with their values, sorted. */
  public SortedMap<String, String> overrides() {
    var all = new TreeMap<>(set);
    all.putAll(overrides);
    return all;
  }

  /**
   * Returns the values that {@code config-patch} sets, in an order in which the user's come last.
   */
  public List<ConfigValue> values() {
    return Stream.concat(inFiles.values().stream(), values.stream()).toList();
  }

  /** All keys of sei-config that are set, by whatever task, sorted. */
  public List<String> keys() {
    var keys = new TreeSet<>(later);
    keys.addAll(overrides().keySet());
    return List.copyOf(keys);
  }

  private void claim(String key) {
    if (set.containsKey(key) || later.contains(key) || inFiles.containsKey(key)) {
      throw new IllegalStateException("two features set " + key);
    }
  }
}
