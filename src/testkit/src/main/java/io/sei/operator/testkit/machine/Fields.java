package io.sei.operator.testkit.machine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Fields of objects, by the names that kubectl's JSONPath has for them. Tests that wait ask twice a
 * second, and a kubectl each time would take the processors from what they wait for.
 */
public final class Fields {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Map<String, String> GROUPS =
      Map.of(
          "seinodes", "/apis/sei.io/v1alpha1",
          "seinodedeployments", "/apis/sei.io/v1alpha1",
          "seinodetasks", "/apis/sei.io/v1alpha1",
          "volumesnapshots", "/apis/snapshot.storage.k8s.io/v1");

  /** One of {@code [*]}, {@code [2]}, {@code [?(@.type=='Ready')]} and a name with escaped dots. */
  private static final Pattern STEP =
      Pattern.compile(
          "\\[(\\*|\\d+)]|\\[\\?\\(@\\.(\\w+)=='([^']*)'\\)]|\\.?((?:\\\\.|[^.\\[\\\\])+)");

  private final KubernetesClient client;

  /** Fields of what this client may see. */
  public Fields(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Returns the API server's answer at a path; throws {@link IllegalStateException} if that is an
   * error, also if there is no such object.
   */
  public String raw(String path) {
    try {
      String answer = client.raw(path);
      if (answer == null) {
        throw new IllegalStateException(path + " is not there");
      }
      return answer;
    } catch (KubernetesClientException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An object of a namespace; of a kind's plural. */
  public JsonNode object(String namespace, String plural, String name) {
    String group = GROUPS.getOrDefault(plural, "/api/v1");
    String path = group + "/namespaces/" + namespace + "/" + plural + "/" + name;
    try {
      return JSON.readTree(raw(path));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The values at a JSONPath, such as {@code status.phase}, with a blank between each two. */
  public static String at(JsonNode object, String path) {
    List<JsonNode> found = List.of(object);
    Matcher step = STEP.matcher(path);
    for (int end = 0; end < path.length(); end = step.end()) {
      if (!step.find(end) || step.start() != end) {
        throw new IllegalArgumentException(path + ": what is " + path.substring(end));
      }
      found = found.stream().flatMap(next(step)).toList();
    }
    return found.stream()
        .map(value -> value.isValueNode() ? value.asText() : value.toString())
        .collect(Collectors.joining(" "));
  }

  private static Function<JsonNode, Stream<JsonNode>> next(Matcher step) {
    String index = step.group(1);
    String key = step.group(2);
    String value = step.group(3);
    String name = step.group(4);
    if (name != null) {
      return node -> Stream.ofNullable(node.get(name.replace("\\", "")));
    }
    if (key != null) {
      return node -> node.valueStream().filter(child -> child.path(key).asText().equals(value));
    }
    return index.equals("*")
        ? JsonNode::valueStream
        : node -> Stream.ofNullable(node.get(Integer.parseInt(index)));
  }
}
