package io.sei.operator.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Bounds the bytes of a list that are in memory at a time. */
class ListPagesTest {

  private static final int MAX_BYTES = 200_000;
  private static final int LARGE = 150_000;
  private static final int SMALL = 400;
  private static final int OBJECTS = 400;

  private static final Pattern QUERY =
      Pattern.compile("labelSelector=a&limit=(\\d+)(?:&continue=(\\d+))?");

  private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
  private final ListPages pages = new ListPages(MAX_BYTES);
  private HttpServer server;
  private HttpClient client;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/objects", this::answer);
    server.start();
    client = new JdkHttpClientFactory().newBuilder(Config.empty()).build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  /** Objects 100 to 119 are as large as an object may be. */
  private static int size(int object) {
    return object >= 100 && object < 120 ? LARGE : SMALL;
  }

  @Test
  void pagesBecomeSmallAroundLargeObjectsAndLargeAgainAfterThem() {
    List<Integer> read = new ArrayList<>();
    String next = "";
    while (next != null) {
      String page = page(next);
      assertThat(page.length()).isLessThanOrEqualTo(MAX_BYTES);
      for (String object : page.substring(page.indexOf('|') + 1).split(",")) {
        read.add(Integer.valueOf(object.strip()));
      }
      String position = page.substring(0, page.indexOf('|'));
      next = position.isEmpty() ? null : "&continue=" + position;
    }

    assertThat(read).isEqualTo(IntStream.range(0, OBJECTS).boxed().toList());
    assertThat(sizes.subList(0, 5)).containsExactly(50, 50, 50, 7, 1);
    assertThat(sizes).endsWith(50, 50, 50, 50);
    assertThat(sizes).hasSizeLessThan(40);
  }

  @Test
  void whatTheApiServerRefusesIsPassedOn() {
    String uri = url().replace("objects", "others") + "limit=50";

    assertThat(
            pages
                .send(client, client.newHttpRequestBuilder().uri(uri).build(), byte[].class)
                .join()
                .code())
        .isEqualTo(404);
  }

  private String page(String next) {
    String uri = url() + "labelSelector=a&limit=50" + next;
    return new String(
        pages
            .send(client, client.newHttpRequestBuilder().uri(uri).build(), byte[].class)
            .join()
            .body(),
        UTF_8);
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/objects?";
  }

  /**
   * Answers with the beginning of the next page, and numbers of objects, each as long as its object
   * is large.
   */
  private void answer(HttpExchange exchange) throws IOException {
    Matcher query = QUERY.matcher(exchange.getRequestURI().getQuery());
    assertThat(query.matches()).isTrue();
    int size = Integer.parseInt(query.group(1));
    int begin = query.group(2) == null ? 0 : Integer.parseInt(query.group(2));
    int end = Math.min(OBJECTS, begin + size);
    sizes.add(size);
    String objects =
        IntStream.range(begin, end)
            .mapToObj(object -> "%" + size(object) + "d")
            .collect(Collectors.joining(","));
    Object[] numbers = IntStream.range(begin, end).boxed().toArray();
    byte[] page =
        ((end < OBJECTS ? String.valueOf(end) : "") + "|" + objects.formatted(numbers))
            .getBytes(UTF_8);
    exchange.sendResponseHeaders(200, 0);
    try (exchange;
        var body = exchange.getResponseBody()) {
      body.write(page);
    } catch (IOException cutOff) {
      // The rest of a page that is too large is not received.
    }
  }
}
