package io.sei.operator.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Requests of one user in an API server's audit log. */
public record AuditLog(List<Request> requests) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Set<String> STREAMS = Set.of("watch", "connect");

  /**
   * A request that was answered, or a watch that began.
   *
   * @param at when it arrived
   * @param resource with its subresource, such as {@code seinodes/status}; empty for {@code
   *     /version} and the like
   * @param code HTTP status of the answer
   */
  public record Request(
      Instant at, String verb, String group, String resource, String name, int code) {

    /** Returns whether it is a watch, which lasts and costs nothing while nothing happens. */
    public boolean isWatch() {
      return STREAMS.contains(verb);
    }

    /** Returns whether it is about a Lease, which is renewed whether or not there is work. */
    public boolean isLease() {
      return resource.equals("leases");
    }

    /** Returns whether it records an Event. */
    public boolean isEvent() {
      return resource.equals("events");
    }

    /** Returns whether the API server did not allow it. */
    public boolean isForbidden() {
      return code == 401 || code == 403;
    }
  }

  /** Reads the requests of a user, in the order in which they were answered. */
  public static AuditLog of(Path file, String user) {
    try (var lines = Files.lines(file)) {
      return new AuditLog(
          lines
              .filter(line -> line.contains(user) && line.endsWith("}"))
              .map(AuditLog::parse)
              .filter(event -> user.equals(event.at("/user/username").asText()))
              .map(AuditLog::request)
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("not an audit event: " + line, e);
    }
  }

  private static Request request(JsonNode event) {
    JsonNode object = event.path("objectRef");
    String subresource = object.path("subresource").asText();
    return new Request(
        Instant.parse(event.path("requestReceivedTimestamp").asText()),
        event.path("verb").asText(),
        object.path("apiGroup").asText(),
        object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource),
        object.path("name").asText(),
        event.at("/responseStatus/code").asInt());
  }
}
