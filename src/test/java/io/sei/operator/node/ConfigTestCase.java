package io.sei.operator.node;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.SidecarRequest;
import java.io.UncheckedIOException;
import java.util.List;

/** Reads the requests of a node's configuration at its sidecar. */
public abstract class ConfigTestCase extends RolloutTestCase {

  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  /** A spec on image A with more fields, given as JSON without braces; ' stands for ". */
  public static SeiNodeSpec specOf(String fields) {
    String json = "{'chainId':'atlantic-2','image':'%s',%s}".formatted(A, fields);
    try {
      return JSON.readValue(json.replace('\'', '"'), SeiNodeSpec.class);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every task that was submitted, oldest first: its type and, if it has them, its parameters. */
  public List<String> submitted() {
    return submittedTo(NODE);
  }

  /** Returns the tasks submitted to another node. */
  public List<String> submittedTo(String name) {
    return posts(name).stream()
        .map(
            task ->
                task.path("params").isEmpty()
                    ? task.path("type").asText()
                    : task.path("type").asText() + " " + sorted(task.path("params")))
        .toList();
  }

  /** A task as {@link #submitted} has it: fields in the order of the alphabet; ' stands for ". */
  public static String task(String text) {
    int space = text.indexOf(' ');
    return space < 0
        ? text
        : text.substring(0, space + 1) + sorted(parse(text.substring(space).replace('\'', '"')));
  }

  private static String sorted(JsonNode json) {
    try {
      return JSON.writeValueAsString(JSON.treeToValue(json, Object.class));
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the tasks submitted after this number of tasks. */
  public List<String> submittedAfter(int tasks) {
    List<String> all = submitted();
    return all.subList(tasks, all.size());
  }

  public List<String> submittedIds() {
    return posts(NODE).stream().map(task -> task.path("id").asText()).toList();
  }

  public int executions(String type) {
    return sidecar.executions(namespace, NODE, type);
  }

  /** The node's applied configuration's digest. */
  public String configHash() {
    return node().getStatus().config().hash();
  }

  private List<JsonNode> posts(String name) {
    return sidecar.requests(namespace, name).stream()
        .filter(request -> request.is("POST", "/v0/tasks"))
        .map(SidecarRequest::body)
        .map(ConfigTestCase::parse)
        .toList();
  }

  private static JsonNode parse(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
