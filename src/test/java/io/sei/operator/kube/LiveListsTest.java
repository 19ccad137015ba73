package io.sei.operator.kube;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.ConfigBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads every list in pages. */
class LiveListsTest {

  private final List<String> queries = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void everyListIsReadPageByPage() {
    var config =
        new ConfigBuilder()
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    try (var client = KubernetesClients.create(config)) {
      var api = new KubeApi(client);

      assertThat(api.list(Pod.class, "ns")).extracting(this::name).containsExactly("a", "b");
      api.list(Pod.class, "ns", Map.of("app", "x"));
      api.list(Pod.class, "ns", new ListOptionsBuilder().withFieldSelector("a=b").build());
      api.listEverywhere(Pod.class, new ListOptionsBuilder().withLabelSelector("a=b").build());
    }

    String limit = "limit=" + ListPages.SIZE;
    assertThat(queries).hasSize(8).allMatch(query -> query.contains(limit));
    assertThat(queries.get(3)).contains("continue=next", "labelSelector=app=x");
    assertThat(queries.get(5)).contains("continue=next", "fieldSelector=a=b");
  }

  private String name(Pod pod) {
    return pod.getMetadata().getName();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getQuery();
    queries.add(query);
    boolean isLast = query.contains("continue=next");
    byte[] page =
        ("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"%s\"},"
                + "\"items\":[{\"metadata\":{\"name\":\"%s\"}}]}")
            .formatted(isLast ? "" : "next", isLast ? "b" : "a")
            .getBytes(UTF_8);
    exchange.sendResponseHeaders(200, page.length);
    exchange.getResponseBody().write(page);
    exchange.close();
  }
}
