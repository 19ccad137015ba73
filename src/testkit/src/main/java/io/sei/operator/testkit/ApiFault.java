package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Fault of a request on its way to the API server. */
@FunctionalInterface
public interface ApiFault {

  /** An answer in the API server's place. */
  record Answer(int status, Map<String, String> headers, String body) {

    void send(HttpExchange exchange) throws IOException {
      if (status == NO_ANSWER.status()) {
        exchange.close();
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      headers.forEach(exchange.getResponseHeaders()::set);
      byte[] bytes = body.getBytes(UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** The connection ends without an answer. */
  Answer NO_ANSWER = new Answer(0, Map.of(), "");

  /** Answers in the server's place; empty passes the request on. */
  Optional<Answer> meet(RequestLog.Request request) throws InterruptedException;

  /**
   * Returns whether the client hears nothing of the server's answer to a request that was passed
   * on.
   */
  default boolean losesAnswer() {
    return false;
  }

  /** An error as the API server words it. */
  static ApiFault error(int status, String reason) {
    return error(status, reason, Map.of());
  }

  /** The refusal of an overloaded API server, which says how long to wait. */
  static ApiFault tooManyRequests(int retryAfterSeconds) {
    return error(429, "TooManyRequests", Map.of("Retry-After", String.valueOf(retryAfterSeconds)));
  }

  /** Accepts a watch, and reports at once that its resource version is too old. */
  static ApiFault expiredWatch() {
    return watchEvent("ERROR", status(410, "Expired"));
  }

  /** A watch that is accepted, gets this event and ends. */
  static ApiFault watchEvent(String type, String object) {
    String event = "{\"type\":\"%s\",\"object\":%s}%n".formatted(type, object);
    return request -> Optional.of(new Answer(200, Map.of(), event));
  }

  /** Gives no answer before the latch opens; then the request is passed on. */
  static ApiFault hangUntil(CountDownLatch latch) {
    return request -> {
      latch.await();
      return Optional.empty();
    };
  }

  /**
   * Gives no answer before the latch opens; then the answer that no such object existed at the
   * request.
   */
  static ApiFault notFoundAfter(CountDownLatch latch) {
    return request -> {
      latch.await();
      return error(404, "NotFound").meet(request);
    };
  }

  /** The connection is reset before the server hears of the request. */
  static ApiFault reset() {
    return request -> Optional.of(NO_ANSWER);
  }

  /** The request is carried out, and the connection is reset before the answer is there. */
  static ApiFault lostAnswer() {
    return new ApiFault() {
      @Override
      public Optional<Answer> meet(RequestLog.Request request) {
        return Optional.empty();
      }

      @Override
      public boolean losesAnswer() {
        return true;
      }
    };
  }

  /** The request is passed on this much later. */
  static ApiFault latency(Duration delay) {
    return request -> {
      new CountDownLatch(1).await(delay.toMillis(), TimeUnit.MILLISECONDS);
      return Optional.empty();
    };
  }

  /** Something else happens first; then the request is passed on. */
  static ApiFault after(Runnable something) {
    return request -> {
      something.run();
      return Optional.empty();
    };
  }

  private static ApiFault error(int status, String reason, Map<String, String> headers) {
    return request -> Optional.of(new Answer(status, headers, status(status, reason)));
  }

  private static String status(int code, String reason) {
    return """
    {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
    "message":"injected","reason":"%s","code":%d}\
    """
        .formatted(reason, code);
  }
}
