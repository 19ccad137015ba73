package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Lives.Life;
import io.sei.operator.testkit.StatusCorpus;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the lifetime of each field of a status. */
class LivesTest {

  private static final List<SeiNodeStatus> STORED =
      StatusCorpus.nodes().stream().map(stored -> stored.resource().getStatus()).toList();

  static RecordComponent[] fields() {
    return SeiNodeStatus.class.getRecordComponents();
  }

  @ParameterizedTest
  @MethodSource("fields")
  void everyFieldHasALifeAndLeavesWithTheDataOrStays(RecordComponent field) {
    assertThat(field.getAnnotation(Lives.class)).as("life of " + field).isNotNull();
    boolean stays = field.getAnnotation(Lives.class).value() == Life.NODE;

    assertThat(STORED)
        .allSatisfy(
            status ->
                assertThat(value(field, status.withoutData()))
                    .isEqualTo(stays ? value(field, status) : null));
  }

  private static Object value(RecordComponent field, SeiNodeStatus status)
      throws ReflectiveOperationException {
    return field.getAccessor().invoke(status);
  }
}
