package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Lives.Life;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What of a status ends with what. */
class LivesTest {

  private static final SeiNodeStatus STATUS =
      SeiNodeStatus.empty()
          .with(
              it ->
                  it.currentImage("sei:a")
                      .syncedAt(Instant.EPOCH)
                      .planHistory(List.of("Update"))
                      .signingPublicKey("key"));

  @Test
  void everyFieldHasALife() {
    assertThat(Stream.of(SeiNodeStatus.class.getRecordComponents()))
        .allSatisfy(it -> assertThat(it.getAnnotation(Lives.class)).isNotNull());
  }

  @Test
  void whatEndsTakesAllAlongThatLivesNoLonger() {
    assertThat(STATUS.without(Life.POD)).isEqualTo(STATUS.withCurrentImage(null));
    assertThat(STATUS.without(Life.DATA))
        .isEqualTo(STATUS.with(it -> it.currentImage(null).syncedAt(null)));
    assertThat(STATUS.without(Life.NODE)).isEqualTo(SeiNodeStatusBuilder.builder().build());
  }
}
