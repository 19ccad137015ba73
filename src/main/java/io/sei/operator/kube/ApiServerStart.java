package io.sei.operator.kube;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.utils.Utils;
import java.io.Closeable;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Gives an API server time to start. It waits for as long as an overloaded server asks for by
 * Retry-After, which the library reads and ignores. And it repeats requests that a server denies
 * soon after it was unreachable, because a server denies everything until it has read its roles.
 */
final class ApiServerStart implements Interceptor {

  private static final int TOO_MANY_REQUESTS = 429;

  /** Longest delay of a retry, below the timeout of the library for a request. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final InstantSource clock;
  private final Duration settling;
  private volatile Instant unreachableAt = Instant.MIN;

  /**
   * @param clock never set back or forth
   * @param settling how long after a failed connection a denial does not count
   */
  ApiServerStart(InstantSource clock, Duration settling) {
    this.clock = clock;
    this.settling = settling;
  }

  /** Records that a connection failed or broke. */
  void unreachable() {
    unreachableAt = clock.instant();
  }

  @Override
  public void afterConnectionFailure(HttpRequest request, Throwable failure) {
    if (failure instanceof IOException) {
      unreachable();
    }
  }

  /** Delays the next try of the library, and never lets it send the request itself. */
  @Override
  public CompletableFuture<Boolean> afterFailure(
      BasicBuilder builder, HttpResponse<?> response, RequestTags tags) {
    return retryAfter(response)
        .map(wait -> new CompletableFuture<Boolean>().completeOnTimeout(false, wait, SECONDS))
        .orElseGet(() -> CompletableFuture.completedFuture(false));
  }

  private static Optional<Long> retryAfter(HttpResponse<?> response) {
    String seconds = response.header("Retry-After");
    if (response.code() != TOO_MANY_REQUESTS || seconds == null || !seconds.matches("\\d{1,9}")) {
      return Optional.empty();
    }
    return Optional.of(Math.min(Long.parseLong(seconds), LONGEST_WAIT.toSeconds()));
  }

  /**
   * Sends a request, and again for as long as the API server may deny it only because it starts.
   */
  <T> CompletableFuture<HttpResponse<T>> send(
      Supplier<CompletableFuture<HttpResponse<T>>> request) {
    return send(request, clock.instant().plus(settling));
  }

  private <T> CompletableFuture<HttpResponse<T>> send(
      Supplier<CompletableFuture<HttpResponse<T>>> request, Instant end) {
    return request
        .get()
        .thenCompose(
            response -> {
              if (!isDenied(response) || !isStarting(end)) {
                return CompletableFuture.completedFuture(response);
              }
              if (response.body() instanceof Closeable body) {
                Utils.closeQuietly(body);
              }
              return new CompletableFuture<Void>()
                  .completeOnTimeout(null, PAUSE.toSeconds(), SECONDS)
                  .thenComposeAsync(_ -> send(request, end));
            });
  }

  private static boolean isDenied(HttpResponse<?> response) {
    return response.code() == HttpURLConnection.HTTP_UNAUTHORIZED
        || response.code() == HttpURLConnection.HTTP_FORBIDDEN;
  }

  private boolean isStarting(Instant end) {
    Instant now = clock.instant();
    return now.isBefore(end) && now.isBefore(unreachableAt.plus(settling));
  }
}
