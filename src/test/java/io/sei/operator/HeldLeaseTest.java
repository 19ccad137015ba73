package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;

class HeldLeaseTest {

  private static final Duration UNRENEWED = Duration.ofMillis(11_200);

  @Test
  void aLeaseThatAnotherReplicaTookIsThatReplicas() {
    assertThat(HeldLease.describeLoss("a", "b", UNRENEWED)).isEqualTo("b holds it now");
  }

  @Test
  void aLeaseThatWasNotRenewedIsNotSaidToBeHeldByAnotherReplica() {
    assertThat(HeldLease.describeLoss("a", "a", UNRENEWED))
        .startsWith("it could not be renewed for 11 s: ")
        .doesNotContain("holds it");
  }

  @Test
  void onlyAWriteOfTheOwnLeaseRenewsIt() {
    HeldLease own = HeldLease.ofReplica("sei", "operator-1-of-3", "host", () -> {});

    assertThat(own.isWrite(request("PUT", "sei", "operator-1-of-3"))).isTrue();
    assertThat(own.isWrite(request("GET", "sei", "operator-1-of-3"))).isFalse();
    assertThat(own.isWrite(request("PUT", "sei", "operator"))).as("all shards'").isFalse();
    assertThat(own.isWrite(request("PUT", "other", "operator-1-of-3"))).isFalse();
  }

  private static HttpRequest request(String method, String namespace, String name) {
    return new StandardHttpRequest.Builder()
        .uri(
            URI.create(
                "https://api/apis/coordination.k8s.io/v1/namespaces/%s/leases/%s"
                    .formatted(namespace, name)))
        .method(method, "application/json", "{}")
        .build();
  }

  @ParameterizedTest
  @NullAndEmptySource
  void aLeaseWithoutAHolderIsSaidToHaveNone(String holder) {
    assertThat(HeldLease.describeLoss("a", holder, UNRENEWED))
        .isEqualTo("its holder was removed from it");
  }
}
