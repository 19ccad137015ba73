package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

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

  @ParameterizedTest
  @NullAndEmptySource
  void aLeaseWithoutAHolderIsSaidToHaveNone(String holder) {
    assertThat(HeldLease.describeLoss("a", holder, UNRENEWED))
        .isEqualTo("its holder was removed from it");
  }
}
