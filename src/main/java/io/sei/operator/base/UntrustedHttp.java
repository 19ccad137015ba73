package io.sei.operator.base;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * HTTP/1.1 to programs whose owner is not trusted: little of an answer is read, neither redirects
 * nor a proxy are followed, and time is limited.
 */
public final class UntrustedHttp implements AutoCloseable {

  private static final String MAX_HEAD = "jdk.http.maxHeaderSize";

  /** Bytes of the head of an answer. Java's limit of 384 KiB takes megabytes as header fields. */
  private static final String HEAD = "16384";

  private final Duration timeout;
  private final ThreadPoolExecutor executor;
  private final HttpClient http;

  /**
   * @param name of the threads
   * @param threads wait for name resolution and run callbacks; requests in flight need none
   * @param timeout what one request may take, connecting and reading the answer included
   */
  public UntrustedHttp(String name, int threads, Duration timeout) {
    this(name, threads, timeout, Optional.empty());
  }

  /**
   * Creates a client for programs whose certificates a private authority signed.
   *
   * @param trusted whom to trust over TLS; empty trusts whom Java trusts
   */
  public UntrustedHttp(
      String name, int threads, Duration timeout, Optional<TrustedCertificates> trusted) {
    limitHeads();
    this.timeout = timeout;
    this.executor = daemonThreads(name, threads);
    var builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(timeout)
            .executor(executor);
    trusted.ifPresent(certificates -> certificates.trustedBy(builder));
    this.http = builder.build();
  }

  /** Limits the head of answers. Java reads the limit before the first request. */
  public static void limitHeads() {
    if (System.getProperty(MAX_HEAD) == null) {
      System.setProperty(MAX_HEAD, HEAD);
    }
  }

  /**
   * Sends a request; never waits.
   *
   * @param limit bytes of the answer that are read, the rest is left out
   */
  public CompletableFuture<HttpResponse<byte[]>> send(HttpRequest request, int limit) {
    return send(request, head -> limit);
  }

  /**
   * Sends a request whose answer may be the larger the better it is; never waits.
   *
   * @param limit bytes of the answer that are read, by its head
   */
  public CompletableFuture<HttpResponse<byte[]>> send(
      HttpRequest request, ToIntFunction<HttpResponse.ResponseInfo> limit) {
    var sent = http.sendAsync(request, head -> new LimitedBody(limit.applyAsInt(head)));
    return sent.copy()
        // The client's own request timeout ends with the head of the answer, not with its body.
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete(
            (answer, error) -> {
              if (error != null) {
                sent.cancel(true);
              }
            });
  }

  /** Runs what leads to a request and must not hold up its caller. */
  public Executor executor() {
    return executor;
  }

  /** Ends the threads; requests in flight fail. */
  @Override
  public void close() {
    executor.shutdownNow();
  }

  private static ThreadPoolExecutor daemonThreads(String name, int threads) {
    var pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name(name).factory());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
