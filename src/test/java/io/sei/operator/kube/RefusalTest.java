package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Distinguishes faults of an object from those of the moment. */
class RefusalTest {

  private static final String TOO_LARGE = "etcdserver: request is too large";

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "413, Request entity too large: limit is 3145728, true, true",
    "413, etcdserver: request is too large, true, true",
    "500, etcdserver: request is too large, true, true",
    "500, Internal error: etcdserver: request is too large, true, true",
    "500, rpc error: code = ResourceExhausted desc = trying to send message larger than max, true, true",
    "422, metadata.annotations: Too long: must have at most 262144 bytes, true, false",
    "500, etcdserver: request timed out, false, false",
    "500, etcdserver: leader changed, false, false",
    "503, etcdserver: request is too large, false, false",
    "409, the object has been modified, false, false",
    "400, etcdserver: request is too large, true, false",
    "403, services is forbidden: User x cannot patch resource services, true, false",
    "500, quantities must match the regular expression, true, false",
    "500, Internal error occurred: failed calling webhook y, true, false",
    "500, admission webhook z denied the request: no, true, false",
    "500, Internal error occurred: resource quota evaluation timed out, false, false",
    "429, too many requests, false, false",
    "404, not found, false, false",
    "0, connection reset, false, false",
  })
  void aRefusalIsKnownByCodeAndWords(int code, String words, boolean refusal, boolean tooLarge) {
    KubernetesClientException failure = failure(code, words);

    assertThat(Refusal.isRefusal(failure)).isEqualTo(refusal);
    assertThat(Refusal.isTooLarge(failure)).isEqualTo(tooLarge);
    assertThatThrownBy(() -> asking(failure))
        .isInstanceOf(refusal ? RefusedException.class : KubernetesClientException.class)
        .matches(throwable -> refusal || throwable == failure);
  }

  @Test
  void itIsToldInTheWordsOfTheApiServer() {
    assertThatThrownBy(() -> asking(failure(500, TOO_LARGE)))
        .hasMessage("the API server refuses Service node: " + TOO_LARGE);
  }

  @Test
  void aFailureWithoutAStatusHasItsOwnWords() {
    var withoutStatus = new KubernetesClientException("no body", 413, null);

    assertThatThrownBy(() -> asking(withoutStatus))
        .hasMessage("the API server refuses Service node: no body");
    assertThat(Refusal.isTooLarge(new KubernetesClientException(TOO_LARGE, 500, null))).isTrue();
  }

  @Test
  void longWordsAreCutWithoutBreakingACharacter() {
    String words = Refusal.words(failure(422, "🌊".repeat(2000)));

    assertThat(words).isEqualTo("🌊".repeat(1024) + "...");
    assertThat(Refusal.words(failure(422, "x".repeat(1024)))).isEqualTo("x".repeat(1024));
  }

  private static void asking(KubernetesClientException failure) {
    Refusal.named(
        "Service node",
        () -> {
          throw failure;
        });
  }

  private static KubernetesClientException failure(int code, String words) {
    return new KubernetesClientException(
        new StatusBuilder().withCode(code).withMessage(words).build());
  }
}
