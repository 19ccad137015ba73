package io.sei.operator.testkit;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * {@code POST /v0/tasks}, with its checks in the order seen on seictl 0.0.50 to 0.0.70: body, type,
 * id, store. Parameters are not looked at before the task runs.
 */
final class Submission {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PLAIN = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

  /** Every spelling that passes; each is a task of its own. */
  private static final Pattern ID =
      Pattern.compile(
          PLAIN + "|[0-9a-fA-F]{32}|\\{" + PLAIN + "}|[uU][rR][nN]:[uU][uU][iI][dD]:" + PLAIN);

  private final SidecarSimulator simulator;

  Submission(SidecarSimulator simulator) {
    this.simulator = simulator;
  }

  SidecarAnswer answer(SidecarCall call, SidecarEngine engine) {
    JsonNode body;
    try (JsonParser parser = JSON.createParser(call.body())) {
      // What follows the first value is not read.
      body = parser.readValueAsTree();
    } catch (IOException e) {
      return invalid();
    }
    if (body == null || !(body.isObject() || body.isNull())) {
      return invalid();
    }
    JsonNode id = field(body, "id");
    JsonNode type = field(body, "type");
    JsonNode params = field(body, "params");
    if (!isText(id) || !isText(type) || !(params.isNull() || params.isObject())) {
      return invalid();
    }
    return answer(call, engine, id.asText(""), type.asText(""), params);
  }

  private SidecarAnswer answer(
      SidecarCall call, SidecarEngine engine, String givenId, String type, JsonNode params) {
    if (type.isEmpty()) {
      return SidecarAnswer.error(400, "type is required");
    }
    if (!engine.version().knows(type)) {
      return SidecarAnswer.error(400, "unknown task type: " + type);
    }
    String id = givenId.isEmpty() ? UUID.randomUUID().toString() : givenId;
    if (!ID.matcher(id).matches()) {
      return SidecarAnswer.error(400, "task ID must be a valid UUID: \"" + id + "\"");
    }
    Optional<String> rejection =
        simulator.faultsFor(call.namespace(), call.node()).stream()
            .flatMap(f -> f.rejection(type).stream())
            .findFirst();
    if (rejection.isPresent()) {
      return SidecarAnswer.error(400, rejection.get());
    }
    if (simulator.hasBusyStore(call.namespace(), call.node())) {
      return SidecarAnswer.error(400, "persist task: database is locked (5) (SQLITE_BUSY)");
    }
    engine.submit(id, type, params.isEmpty() ? null : params);
    return SidecarAnswer.json(201, Map.of("id", id));
  }

  private static SidecarAnswer invalid() {
    return SidecarAnswer.error(400, "invalid request body");
  }

  private static boolean isText(JsonNode value) {
    return value.isNull() || value.isTextual();
  }

  /** The field in whatever case; null when it is missing. */
  private static JsonNode field(JsonNode body, String name) {
    JsonNode found = JSON.nullNode();
    for (Map.Entry<String, JsonNode> entry : body.properties()) {
      found = entry.getKey().equalsIgnoreCase(name) ? entry.getValue() : found;
    }
    return found;
  }
}
