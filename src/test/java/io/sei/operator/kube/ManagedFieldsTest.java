package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManagedFieldsTest {

  private static final String ENTRIES = "[{\"manager\":\"m\",\"fieldsV1\":{\"f:a\":{}}}]";

  @Test
  void nothingElseOfTheObjectIsRead() throws IOException {
    String deep = "[".repeat(1_100) + "]".repeat(1_100);
    ManagedFields fields =
        ManagedFields.parse(
            "{\"spec\":%s,\"metadata\":{\"name\":7,\"labels\":%s,\"resourceVersion\":\"5\",\"managedFields\":%s}}"
                .formatted(deep, deep, ENTRIES));

    assertThat(fields.resourceVersion()).isEqualTo("5");
    assertThat(fields.entries()).hasToString(ENTRIES);
    assertThat(ManagedFields.parse("{\"metadata\":{}}").entries()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[],", "{\"a\":{\"b\":{}}},", "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxx\","})
  void aRecordThatIsTooLargeIsRefused(String entry) {
    String entries = "[" + entry.repeat(300_000) + "{}]";

    assertThatThrownBy(
            () -> ManagedFields.parse("{\"metadata\":{\"managedFields\":%s}}".formatted(entries)))
        .isInstanceOf(LimitedParser.TooLarge.class)
        .hasMessageContaining("is larger than 512 KiB");
  }
}
