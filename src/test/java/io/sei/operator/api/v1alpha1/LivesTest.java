package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Lives.Life;
import io.sei.operator.testkit.StatusCorpus;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the lifetime of each field of a status. */
class LivesTest {

  /** Has the fields that no status of the corpus has. */
  private static final SeiNodeStatus OTHER =
      SeiNodeStatusBuilder.builder(SeiNodeStatus.empty())
          .mode("validator")
          .signingKeyTransferTo(new SigningKeyTransfer("b", "bob"))
          .signingElsewhere(new SigningElsewhere("key", Instant.EPOCH, null))
          .build();

  private static final List<SeiNodeStatus> STORED =
      Stream.concat(
              StatusCorpus.nodes().stream().map(stored -> stored.resource().getStatus()),
              Stream.of(OTHER))
          .toList();

  static RecordComponent[] fields() {
    return SeiNodeStatus.class.getRecordComponents();
  }

  @ParameterizedTest
  @MethodSource("fields")
  void everyFieldHasALifeAndLeavesWithTheDataOrStays(RecordComponent field) {
    assertThat(field.getAnnotation(Lives.class)).as("life of " + field).isNotNull();
    boolean stays = field.getAnnotation(Lives.class).value() == Life.NODE;

    assertThat(STORED).as("a status that has it").anyMatch(status -> value(field, status) != null);
    assertThat(STORED)
        .allSatisfy(
            status ->
                assertThat(value(field, status.withoutData()))
                    .isEqualTo(stays ? value(field, status) : null));
  }

  private static Object value(RecordComponent field, SeiNodeStatus status) {
    try {
      return field.getAccessor().invoke(status);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
