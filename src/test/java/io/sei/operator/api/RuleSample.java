package io.sei.operator.api;

import com.fasterxml.jackson.core.type.TypeReference;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A validation rule's passing and failing sample, as {@code src/test/resources/validation} has
 * them.
 *
 * @param message what the rule says
 * @param field what the operator's own validation names; null for rules about a change
 * @param old what both take the place of, under the same name; null for other rules
 */
record RuleSample(
    String message,
    String field,
    Map<String, Object> old,
    Map<String, Object> good,
    String goodName,
    Map<String, Object> bad,
    String badName) {

  private static final String NAME = "sample";

  /**
   * Returns the samples of a kind; the rules of a SeiNodeTask and a SeiSigningKey are the API
   * server's alone.
   */
  static List<RuleSample> of(Class<?> kind) {
    if (kind == SeiNodeTask.class) {
      return load("seinodetasks");
    }
    if (kind == SeiSigningKey.class) {
      return load("seisigningkeys");
    }
    return kind == SeiNode.class ? ofNodes() : ofDeployments();
  }

  static List<RuleSample> ofNodes() {
    return load("seinodes").stream()
        .map(
            sample ->
                new RuleSample(
                    sample.message(),
                    sample.field(),
                    complete(sample.old()),
                    complete(sample.good()),
                    sample.goodName(),
                    complete(sample.bad()),
                    sample.badName()))
        .toList();
  }

  /** Returns the samples of a fleet's own rules, and of nodes inside a fleet's template. */
  static List<RuleSample> ofDeployments() {
    var own = load("seinodedeployments").stream().map(RuleSample::withCompleteTemplates);
    var ofTemplate =
        ofNodes().stream().filter(sample -> sample.badName() == null).map(RuleSample::inTemplate);
    return Stream.concat(own, ofTemplate).toList();
  }

  Map<String, Object> goodObject() {
    return object(good, goodName);
  }

  Map<String, Object> badObject() {
    return object(bad, badName);
  }

  Map<String, Object> oldObject() {
    return old == null ? null : object(old, badName);
  }

  @Override
  public String toString() {
    return (message.length() < 80 ? message : message.substring(0, 80)) + " " + bad;
  }

  private static Map<String, Object> object(Map<String, Object> spec, String name) {
    return Map.of("metadata", Map.of("name", name == null ? NAME : name), "spec", spec);
  }

  private RuleSample inTemplate() {
    return new RuleSample(
        message,
        field == null ? null : field.replaceFirst("^spec", "spec.template.spec"),
        template(old),
        template(good),
        null,
        template(bad),
        null);
  }

  private static Map<String, Object> template(Map<String, Object> node) {
    return node == null ? null : Map.of("replicas", 1, "template", Map.of("spec", node));
  }

  private RuleSample withCompleteTemplates() {
    return new RuleSample(
        message,
        field,
        completeTemplate(old),
        completeTemplate(good),
        goodName,
        completeTemplate(bad),
        badName);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> completeTemplate(Map<String, Object> spec) {
    if (spec == null) {
      return null;
    }
    var all = new LinkedHashMap<>(spec);
    var template = (Map<String, Object>) spec.get("template");
    all.put("template", Map.of("spec", complete((Map<String, Object>) template.get("spec"))));
    return all;
  }

  private static Map<String, Object> complete(Map<String, Object> node) {
    if (node == null) {
      return null;
    }
    var all = new LinkedHashMap<String, Object>(Map.of("chainId", "local-1", "image", "sei:a"));
    all.putAll(node);
    return all;
  }

  private static List<RuleSample> load(String name) {
    String resource = "/validation/" + name + ".yaml";
    try (InputStream samples = RuleSample.class.getResourceAsStream(resource)) {
      return Serialization.unmarshal(samples, new TypeReference<List<RuleSample>>() {});
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
