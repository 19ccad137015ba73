package io.sei.operator;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.base.UntrustedHttp;
import io.sei.operator.config.UrlTemplate;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * Checks an installation from another pod, for {@code helm test}: the API server serves the kinds
 * in the version of this build, and each Ready pod of the operator answers that it is ready.
 */
final class InstallationCheck {

  /** First argument of the process that checks. */
  static final String COMMAND = "check";

  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_ANSWER = 16 * 1024;

  private InstallationCheck() {}

  /**
   * Returns the answers of the operator's pods.
   *
   * @param service headless Service, whose name has the addresses of the pods that are Ready
   * @param readiness URL of /readyz of a pod
   * @throws StartFailure for the first obstacle
   */
  static String run(KubernetesClient client, String service, UrlTemplate readiness) {
    Prerequisites.check(client);
    var answers = new StringBuilder();
    try (var http = new UntrustedHttp("check", 1, TIMEOUT)) {
      for (InetAddress pod : podsOf(service)) {
        URI url = readiness.urlOf("", "", Optional.of(pod.getHostAddress())).orElseThrow();
        answers.append(url).append(": ").append(answerOf(url, http));
      }
    }
    return answers.toString();
  }

  private static InetAddress[] podsOf(String service) {
    try {
      return InetAddress.getAllByName(service);
    } catch (UnknownHostException e) {
      throw new StartFailure(
          "No pod of the operator is Ready, since %s has no address; see the log of the operator"
              .formatted(service));
    }
  }

  private static String answerOf(URI url, UntrustedHttp http) {
    HttpResponse<byte[]> answer;
    try {
      answer = http.send(HttpRequest.newBuilder(url).build(), MAX_ANSWER).join();
    } catch (CompletionException e) {
      throw new StartFailure(
          "The operator does not answer at %s: %s; check the network policies of its namespace"
              .formatted(url, StartFailure.causes(e.getCause())));
    }
    String text = new String(answer.body(), UTF_8);
    if (answer.statusCode() != 200) {
      throw new StartFailure("The operator at %s is not ready: %s".formatted(url, text));
    }
    return text;
  }
}
