package io.sei.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskIdsTest {

  private static final UUID NAMESPACE = UUID.fromString("b7e89c3a-4f12-4d8b-9a6e-1c2d3e4f5a6b");

  @ParameterizedTest
  @CsvSource({
    "a2b0c7a4-9a37-4d6a-9d9c-0d7c2a4f8f11,mark-ready,4",
    "a2b0c7a4-9a37-4d6a-9d9c-0d7c2a4f8f11,mark-ready,5",
    "b,apply-statefulset,0"
  })
  void idIsTheUuidOfPlanTypeAndIndex(String plan, String type, int index) throws Exception {
    String id = TaskIds.of(plan, type, index);

    assertThat(id).isEqualTo(uuid5(plan + "/" + type + "/" + index).toString());
    assertThat(UUID.fromString(id).version()).isEqualTo(5);
  }

  /** RFC 9562, section 5.5. */
  private static UUID uuid5(String name) throws NoSuchAlgorithmException {
    MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
    sha1.update(
        ByteBuffer.allocate(16)
            .putLong(NAMESPACE.getMostSignificantBits())
            .putLong(NAMESPACE.getLeastSignificantBits())
            .array());
    ByteBuffer hash = ByteBuffer.wrap(sha1.digest(name.getBytes(StandardCharsets.UTF_8)));
    long high = (hash.getLong() & ~0xF000L) | 0x5000L;
    long low = (hash.getLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    return new UUID(high, low);
  }
}
