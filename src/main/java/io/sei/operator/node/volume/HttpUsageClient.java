package io.sei.operator.node.volume;

import io.sei.operator.base.TokenFile;
import io.sei.operator.base.TrustedCertificates;
import io.sei.operator.base.UntrustedHttp;
import io.sei.operator.base.UntrustedText;
import io.sei.operator.config.ConfigException;
import io.sei.operator.config.PrometheusConfig;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/** Asks over Prometheus' HTTP API, which Thanos, Mimir and VictoriaMetrics have too. */
public final class HttpUsageClient implements UsageClient, AutoCloseable {

  /** Six hours of some thousand series are read in seconds. */
  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** A claim has four series of 150 bytes. */
  private static final int MAX_BODY_BYTES = 16 * 1024 * 1024;

  private final URI query;
  private final Optional<TokenFile> token;
  private final UntrustedHttp http;

  /**
   * The client of the Prometheus that is configured; empty if none is.
   *
   * @param namespaces of the claims; empty asks for all
   * @param prefix how the names of claims begin
   * @throws ConfigException if the file of certificates cannot be used
   */
  public static Optional<HttpUsageClient> of(
      PrometheusConfig config, Set<String> namespaces, String prefix) {
    return config.url().map(url -> new HttpUsageClient(url, config, namespaces, prefix, LIMIT));
  }

  HttpUsageClient(
      URI url, PrometheusConfig config, Set<String> namespaces, String prefix, Duration timeout) {
    this.query =
        URI.create(
            url
                + "/api/v1/query?query="
                + URLEncoder.encode(UsageAnswer.query(namespaces, prefix), StandardCharsets.UTF_8));
    this.token = config.tokenFile().map(TokenFile::new);
    this.http =
        new UntrustedHttp(
            "prometheus-http", 1, timeout, config.caFile().map(HttpUsageClient::trusted));
  }

  private static TrustedCertificates trusted(Path file) {
    try {
      return TrustedCertificates.of(file);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          "SEI_PROMETHEUS_CA_FILE", file.toString(), "a readable file with certificates in PEM");
    }
  }

  @Override
  public CompletableFuture<Map<ClaimName, VolumeUsage>> read() {
    var request = HttpRequest.newBuilder(query).GET().header("Accept", "application/json");
    token
        .flatMap(TokenFile::read)
        .ifPresent(text -> request.setHeader("Authorization", "Bearer " + text));
    return http.send(request.build(), MAX_BODY_BYTES)
        .thenApply(HttpUsageClient::usages)
        .exceptionallyCompose(error -> CompletableFuture.failedFuture(words(error)));
  }

  private static Map<ClaimName, VolumeUsage> usages(HttpResponse<byte[]> answer) {
    return switch (answer.statusCode()) {
      // Of an error in the query, and of one that takes too long, it says more itself.
      case 200, 400, 422, 503 -> UsageAnswer.of(answer.body());
      default ->
          throw new IllegalArgumentException("it returned HTTP status " + answer.statusCode());
    };
  }

  private static IllegalArgumentException words(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return switch (cause) {
      case IllegalArgumentException said -> said;
      case TimeoutException late ->
          new IllegalArgumentException("it does not answer in time", late);
      case HttpTimeoutException late ->
          new IllegalArgumentException("it does not answer in time", late);
      case ConnectException none ->
          new IllegalArgumentException("there is no connection to it", none);
      default ->
          new IllegalArgumentException(
              UntrustedText.clean(cause.getClass().getSimpleName() + ": " + cause.getMessage()),
              cause);
    };
  }

  /** Ends the threads; requests in flight fail. */
  @Override
  public void close() {
    http.close();
  }
}
