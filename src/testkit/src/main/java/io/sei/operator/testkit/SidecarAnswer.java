package io.sei.operator.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** An answer of a simulated sidecar. Every body but an empty one ends its last line. */
record SidecarAnswer(int status, String contentType, byte[] body, Map<String, String> headers) {

  private static final ObjectMapper JSON = new ObjectMapper();

  static SidecarAnswer empty(int status) {
    return new SidecarAnswer(status, null, new byte[0], Map.of());
  }

  static SidecarAnswer text(int status, String line) {
    return of(status, "text/plain; charset=utf-8", line);
  }

  static SidecarAnswer json(int status, Object value) {
    try {
      return of(status, "application/json", JSON.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static SidecarAnswer error(int status, String message) {
    return json(status, Map.of("error", message));
  }

  SidecarAnswer with(String header, String value) {
    return new SidecarAnswer(status, contentType, body, Map.of(header, value));
  }

  static SidecarAnswer of(int status, String contentType, String line) {
    byte[] body = (line + "\n").getBytes(StandardCharsets.UTF_8);
    return new SidecarAnswer(status, contentType, body, Map.of());
  }
}
