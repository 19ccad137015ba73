package io.sei.operator.kube;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.ByteArrayBodyHandler;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Receives pages of lists within a number of bytes. A page is in memory as a whole, as bytes and a
 * copy of them, before any part of it is dropped, and fifty objects that etcd stores may have 75
 * MiB. A page that is larger is cut off and requested again with fewer objects; the pages that
 * follow it are small until they fit again. The requester of the list continues with the continue
 * token of each page, so that its size goes unnoticed.
 */
public final class ListPages {

  /** Most objects of a page. */
  public static final long SIZE = 50;

  /** Bytes of a page: 3 MiB where the container may use 256 MiB, as much as two large objects. */
  private static final long MAX_BYTES = Runtime.getRuntime().maxMemory() / 32;

  /** Divisor of a page that is too large: two steps lead from fifty objects to one. */
  private static final long STEP = 7;

  private static final Pattern LIMIT = Pattern.compile("([?&]limit=)(\\d+)");
  private static final Pattern CONTINUE = Pattern.compile("[?&]continue=[^&]*");

  private final long maxBytes;

  /** Objects of the next page of lists whose pages have become smaller than requested. */
  private final Map<String, Long> sizes = new ConcurrentHashMap<>();

  ListPages() {
    this(MAX_BYTES);
  }

  ListPages(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Sends a request; of one for a page the answer may have fewer objects than requested. */
  @SuppressWarnings("unchecked")
  <T> CompletableFuture<HttpResponse<T>> send(
      HttpClient client, HttpRequest request, Class<T> type) {
    Matcher limit = LIMIT.matcher(request.uri().toString());
    if (type != byte[].class || !limit.find()) {
      return client.sendAsync(request, type);
    }
    long requested = Long.parseLong(limit.group(2));
    String list = CONTINUE.matcher(limit.replaceFirst("")).replaceFirst("");
    var page = new Page(client, (StandardHttpRequest) request, list, requested);
    return (CompletableFuture<HttpResponse<T>>)
        (CompletableFuture<?>) page.send(sizes.getOrDefault(list, requested));
  }

  /**
   * A page that is requested.
   *
   * @param list its URI without what makes it a page
   * @param requested most objects of it
   */
  private final class Page {

    private final HttpClient client;
    private final StandardHttpRequest request;
    private final String list;
    private final long requested;

    private Page(HttpClient client, StandardHttpRequest request, String list, long requested) {
      this.client = client;
      this.request = request;
      this.list = list;
      this.requested = requested;
    }

    private CompletableFuture<HttpResponse<byte[]>> send(long size) {
      URI uri = URI.create(LIMIT.matcher(request.uri().toString()).replaceFirst("$1" + size));
      var body = new Body(size > 1 ? maxBytes : Long.MAX_VALUE);
      return client
          .consumeBytes(request.newBuilder().uri(uri).build(), body)
          .thenCompose(body::of)
          .thenApply(answer -> received(answer, size))
          .exceptionallyCompose(failure -> failed(failure, size));
    }

    private HttpResponse<byte[]> received(HttpResponse<byte[]> answer, long size) {
      if (size < requested && answer.body().length <= maxBytes / STEP) {
        remember(size * STEP);
      }
      return answer;
    }

    private CompletableFuture<HttpResponse<byte[]>> failed(Throwable failure, long size) {
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      if (!(cause instanceof TooLarge)) {
        return CompletableFuture.failedFuture(cause);
      }
      long smaller = Math.max(1, size / STEP);
      remember(smaller);
      return send(smaller);
    }

    private void remember(long size) {
      if (size < requested) {
        sizes.put(list, size);
      } else {
        sizes.remove(list);
      }
    }
  }

  private static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1;
  }

  /** Receives an answer, unless it is too large. */
  private static final class Body extends ByteArrayBodyHandler {

    private final long most;
    private long received;

    private Body(long most) {
      this.most = most;
    }

    @Override
    public void consume(List<ByteBuffer> bytes, AsyncBody body) throws Exception {
      received += bytes.stream().mapToInt(ByteBuffer::remaining).sum();
      if (received > most) {
        throw new TooLarge();
      }
      super.consume(bytes, body);
    }

    private CompletableFuture<HttpResponse<byte[]>> of(HttpResponse<AsyncBody> head) {
      onResponse(head);
      return getResult().thenApply(bytes -> new Answer(head, bytes));
    }
  }

  private record Answer(HttpResponse<AsyncBody> head, byte[] body) implements HttpResponse<byte[]> {

    @Override
    public int code() {
      return head.code();
    }

    @Override
    public HttpRequest request() {
      return head.request();
    }

    @Override
    public Optional<HttpResponse<?>> previousResponse() {
      return head.previousResponse();
    }

    @Override
    public List<String> headers(String key) {
      return head.headers(key);
    }

    @Override
    public Map<String, List<String>> headers() {
      return head.headers();
    }
  }
}
