package io.sei.operator.testkit.machine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration that the Prometheus operator makes of PodMonitors and ServiceMonitors, as far
 * as the chart uses them.
 *
 * @param targets a directory with the targets that there are, a file for each role
 * @param interval instead of those of the monitors
 */
record ScrapeConfig(Path targets, String interval) {

  private static final YAMLMapper YAML = new YAMLMapper();
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /**
   * A configuration file of Prometheus.
   *
   * @param manifests what the chart renders
   * @param others jobs beside those of the monitors, as a list in YAML
   * @param rules files of rules
   */
  String of(String manifests, String others, List<Path> rules) {
    ObjectNode config = JSON.objectNode();
    config.putObject("global").put("evaluation_interval", interval);
    ArrayNode files = config.putArray("rule_files");
    rules.forEach(rule -> files.add(rule.toAbsolutePath().toString()));
    ArrayNode jobs = config.putArray("scrape_configs");
    try (var documents = YAML.readerFor(JsonNode.class).<JsonNode>readValues(manifests)) {
      documents.forEachRemaining(manifest -> jobs(manifest).forEach(jobs::add));
      YAML.readTree(others).forEach(jobs::add);
      return YAML.writeValueAsString(config);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<ObjectNode> jobs(JsonNode manifest) {
    List<ObjectNode> jobs = new ArrayList<>();
    if (manifest.path("kind").asText().equals("PodMonitor")) {
      for (JsonNode endpoint : manifest.at("/spec/podMetricsEndpoints")) {
        jobs.add(ofPods(manifest, endpoint));
      }
    } else if (manifest.path("kind").asText().equals("ServiceMonitor")) {
      for (JsonNode endpoint : manifest.at("/spec/endpoints")) {
        jobs.add(ofService(manifest, endpoint));
      }
    }
    return jobs;
  }

  private ObjectNode ofPods(JsonNode monitor, JsonNode endpoint) {
    ObjectNode job = job(monitor, endpoint, "pod");
    ArrayNode relabelings = job.putArray("relabel_configs");
    for (JsonNode expression : monitor.at("/spec/selector/matchExpressions")) {
      if (!expression.get("operator").asText().equals("Exists")) {
        throw new IllegalArgumentException("not known here: " + expression);
      }
      keep(relabelings, "pod_labelpresent_" + label(expression.get("key").asText()), "true");
    }
    keep(relabelings, "pod_container_port_name", endpoint.get("port").asText());
    target(relabelings, "pod_name", "pod");
    own(relabelings, endpoint);
    return job;
  }

  private ObjectNode ofService(JsonNode monitor, JsonNode endpoint) {
    ObjectNode job = job(monitor, endpoint, "endpoints");
    ArrayNode relabelings = job.putArray("relabel_configs");
    for (var wanted : monitor.at("/spec/selector/matchLabels").properties()) {
      keep(relabelings, "service_label_" + label(wanted.getKey()), wanted.getValue().asText());
    }
    keep(relabelings, "namespace", monitor.at("/metadata/namespace").asText());
    keep(relabelings, "endpoint_port_name", endpoint.get("port").asText());
    target(relabelings, "pod_name", "pod");
    own(relabelings, endpoint);
    return job;
  }

  private ObjectNode job(JsonNode monitor, JsonNode endpoint, String role) {
    ObjectNode job = JSON.objectNode();
    job.put(
        "job_name", monitor.at("/metadata/name").asText() + "/" + endpoint.get("port").asText());
    job.put("scrape_interval", interval);
    job.put("scrape_timeout", interval);
    job.put("metrics_path", endpoint.path("path").asText("/metrics"));
    job.put("honor_labels", endpoint.path("honorLabels").asBoolean());
    job.putArray("file_sd_configs")
        .addObject()
        .putArray("files")
        .add(targets.resolve(role + ".json").toString());
    return job;
  }

  /** Adds the relabelings of the monitor after those of the Prometheus operator. */
  private static void own(ArrayNode relabelings, JsonNode endpoint) {
    target(relabelings, "namespace", "namespace");
    for (JsonNode relabeling : endpoint.path("relabelings")) {
      ObjectNode own = relabelings.addObject();
      own.set("source_labels", relabeling.get("sourceLabels"));
      own.set("target_label", relabeling.get("targetLabel"));
    }
  }

  private static void keep(ArrayNode relabelings, String source, String value) {
    relabeling(relabelings, source).put("action", "keep").put("regex", value);
  }

  private static void target(ArrayNode relabelings, String source, String label) {
    relabeling(relabelings, source).put("target_label", label);
  }

  private static ObjectNode relabeling(ArrayNode relabelings, String source) {
    ObjectNode relabeling = relabelings.addObject();
    relabeling.putArray("source_labels").add("__meta_kubernetes_" + source);
    return relabeling;
  }

  /** A label of an object as Prometheus spells it. */
  static String label(String name) {
    return name.replaceAll("[^a-zA-Z0-9]", "_");
  }
}
