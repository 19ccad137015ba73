package io.sei.operator.observability;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.EndpointsProcess;
import io.sei.operator.testkit.SmallHeap;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pod that opens connections and does not get on with them stops neither probes nor scrapes. */
@Timeout(120)
class HostileConnectionsTest {

  private static final String HALF = "GET /healthz HTTP/1.1\r\nX: ";
  private static final int ATTACKING = 1000;
  private static final int ROUNDS = Cases.count(1, 3);
  private static final int SCRAPES = 64;

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Socket> open = new ArrayList<>();
  private Process process;
  private int metricsPort;
  private int healthPort;

  @BeforeEach
  void start() throws IOException {
    process = SmallHeap.start(EndpointsProcess.class);
    BufferedReader ports = process.inputReader();
    metricsPort = Integer.parseInt(ports.readLine());
    healthPort = Integer.parseInt(ports.readLine());
  }

  @AfterEach
  void stop() throws Exception {
    closeAll();
    process.getOutputStream().close();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
  }

  @Test
  void everyProbeIsAnsweredWhileAThousandHalfOpenConnectionsAreReopened() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      for (int i = 0; i < ATTACKING; i++) {
        send(healthPort, HALF);
        if (i % 100 == 0) {
          assertThat(status(healthPort, "/healthz")).isEqualTo(200);
        }
      }
      assertThat(status(healthPort, "/healthz")).isEqualTo(200);
      closeAll();
    }
    assertThat(process.isAlive()).isTrue();
  }

  /** Each costs the memory of its buffers until it is given up. */
  @Test
  void connectionsThatAreHeldOpenDoNotExhaustTheHeap() throws Exception {
    for (int i = 0; i < 4 * ATTACKING; i++) {
      send(healthPort, HALF + "x".repeat(4096));
    }

    assertThat(status(healthPort, "/healthz")).isEqualTo(200);
    assertThat(process.isAlive()).isTrue();
  }

  /** Such a request is answered before its body, for which nothing waits then. */
  @Test
  void bodiesThatDoNotComeDoNotExhaustTheHeap() throws Exception {
    for (String body :
        Cases.of(1, "Transfer-Encoding: chunked", "Content-Length: 1000000000").toList()) {
      for (int i = 0; i < 4 * ATTACKING; i++) {
        send(healthPort, "POST /healthz HTTP/1.1\r\nHost: x\r\n" + body + "\r\n\r\n");
      }

      assertThat(status(healthPort, "/healthz")).isEqualTo(200);
      assertThat(process.isAlive()).isTrue();
    }
    for (int port : List.of(healthPort, metricsPort)) {
      Socket begun = send(port, "GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n");
      begun.setSoTimeout(30_000);
      assertThat(begun.getInputStream().readAllBytes()).startsWith("HTTP/1.1 4".getBytes(US_ASCII));
    }
  }

  @Test
  void requestThatDoesNotEndIsGivenUp() throws Exception {
    for (Socket begun :
        List.of(send(healthPort, HALF), send(healthPort, ""), send(metricsPort, HALF))) {
      assertThat(endOf(begun)).isEqualTo(-1);
    }
  }

  @Test
  void requestWithLargeHeadersIsRefused() throws Exception {
    assertThat(endOf(send(healthPort, HALF + "x".repeat(64 * 1024)))).isNotEqualTo((int) 'H');
  }

  /** None of them reads its page, which the kernel cannot take whole. */
  @Test
  void scrapesThatAreNotReadAreLimitedAndGivenUp() throws Exception {
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              for (int i = 0; i < SCRAPES; i++) {
                send(metricsPort, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
              }
              assertThat(status(metricsPort, "/metrics")).isEqualTo(503);
            });
    assertThat(status(healthPort, "/healthz")).isEqualTo(200);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(status(metricsPort, "/metrics")).isEqualTo(200));
    assertThat(process.isAlive()).isTrue();
  }

  private Socket send(int port, String text) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    open.add(socket);
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    return socket;
  }

  /** The first byte of the answer; -1 if the connection is closed without one. */
  private static int endOf(Socket socket) throws IOException {
    socket.setSoTimeout(30_000);
    InputStream answer = socket.getInputStream();
    try {
      return answer.read();
    } catch (SocketException e) {
      return -1;
    }
  }

  private int status(int port, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    var request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(20)).build();
    return http.send(request, BodyHandlers.discarding()).statusCode();
  }

  private void closeAll() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    open.clear();
  }
}
