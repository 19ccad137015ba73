package io.sei.operator.api.validation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.HostileInput;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Specs full of holes, made from the model itself so that new fields are covered as well. */
class RandomSpecTest {

  private static final int SPECS = Cases.count(5_000, 20_000);
  private static final List<String> TEXTS =
      HostileInput.withOddTexts(
          List.of("a", "a-b", "A.B"), HostileInput.HALF_A_CHARACTER, "x".repeat(600));

  private final Random random = new Random(20260101);
  private final HostileInput records = new HostileInput(random, TEXTS, false);

  @Test
  void neverThrowsAndNamesAField() {
    for (int i = 0; i < SPECS; i++) {
      SeiNodeSpec spec = records.make(SeiNodeSpec.class);
      assertThat(NodeValidation.validate(spec))
          .as("%s", spec)
          .allSatisfy(
              error -> {
                assertThat(error.path()).matches("spec([.\\[].*)?");
                assertThat(error.message()).isNotBlank();
              });
    }
  }
}
