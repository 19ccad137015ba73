package io.sei.operator.node.volume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shape of the answers is what Prometheus 2.42 was seen to give. */
class UsageAnswerTest {

  private static final ClaimName CLAIM = new ClaimName("sei", "data-node");

  @Test
  void answerHasEachClaim() {
    assertThat(
            read(
                series("AVAILABLE", "1500000000"),
                series("CAPACITY", "10000000000"),
                series("READ_AT", "995"),
                series("PACE", "-2.5")))
        .isEqualTo(Optional.of(new VolumeUsage(1e10, 1.5e9, Optional.of(-2.5))));
  }

  @ParameterizedTest
  @CsvSource({
    // available, capacity, read at (the answer is of 1000), pace, what is known
    "10, 100, 1000, 1, 10.0 of 100.0 Optional[1.0]",
    "0, 100, 640, NaN, 0.0 of 100.0 Optional.empty",
    "10, 100, 1000, +Inf, 10.0 of 100.0 Optional.empty",
    // Old, or of the future.
    "10, 100, 639, 1, nothing",
    "10, 100, 1001, 1, nothing",
    "10, 100, NaN, 1, nothing",
    // Not the numbers of a disk.
    "NaN, 100, 1000, 1, nothing",
    "10, NaN, 1000, 1, nothing",
    "10, +Inf, 1000, 1, nothing",
    "-Inf, 100, 1000, 1, nothing",
    "-1, 100, 1000, 1, nothing",
    "101, 100, 1000, 1, nothing",
    "0, 0, 1000, 1, nothing",
    "10, many, 1000, 1, nothing",
  })
  void numbersThatMakeNoSenseAreLeftOut(
      String available, String capacity, String readAt, String pace, String expected) {
    Optional<VolumeUsage> usage =
        read(
            series("AVAILABLE", available),
            series("CAPACITY", capacity),
            series("READ_AT", readAt),
            series("PACE", pace));

    assertThat(
            usage
                .map(
                    volumeUsage ->
                        "%s of %s %s"
                            .formatted(
                                volumeUsage.available(),
                                volumeUsage.capacity(),
                                volumeUsage.pace()))
                .orElse("nothing"))
        .isEqualTo(expected);
  }

  @Test
  void whatIsMissingOrDoubledIsNotKnown() {
    String available = series("AVAILABLE", "10");
    String capacity = series("CAPACITY", "100");
    String readAt = series("READ_AT", "1000");

    assertThat(read(available, capacity, readAt)).isPresent();
    assertThat(read(available, capacity)).isEmpty();
    assertThat(read(available, readAt)).isEmpty();
    assertThat(read(capacity, readAt)).isEmpty();
    assertThat(read(available, available, capacity, readAt)).isEmpty();
    assertThat(read("{}", "[]", "7")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<html> | it did not return JSON",
        "[] | it did not return a JSON object",
        "'' | it did not return a JSON object",
        "{} | it returned an error: no reason given",
        "{\"status\":\"error\",\"error\":\"query timed out\"} | it returned an error: query timed"
            + " out",
        "{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1,\"2\"]}} | it"
            + " did not return a vector",
        "{\"status\":\"success\"} | it did not return a vector",
      })
  void whatIsNoAnswerIsSaid(String body, String message) {
    assertThatThrownBy(() -> UsageAnswer.of(body.getBytes(UTF_8)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void queryAsksForTheClaimsOfTheNamespaces() {
    assertThat(UsageAnswer.query(new TreeSet<>(Set.of("b", "a")), "data-"))
        .contains("{persistentvolumeclaim=~\"data-.+\",namespace=~\"a|b\"}[6h]");
    assertThat(UsageAnswer.query(Set.of(), "data-"))
        .contains("bytes{persistentvolumeclaim=~\"data-.+\"}");
  }

  @ParameterizedTest
  @CsvSource({
    // capacity of the file system and size of the volume
    "100, 100, true",
    "91, 100, true",
    "89, 100, false",
    "102, 100, false",
  })
  void isOfAVolumeOfItsSize(double capacity, double volume, boolean expected) {
    assertThat(new VolumeUsage(capacity, 10, Optional.empty()).isOf(volume)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {"-, -", "0, -", "-1, -", "1, PT10S", "0.5, PT20S", "0.00000001, -"})
  void isFullAtItsPace(Double pace, Duration expected) {
    assertThat(new VolumeUsage(100, 10, Optional.ofNullable(pace)).untilFull())
        .isEqualTo(Optional.ofNullable(expected));
  }

  private static String series(String of, String value) {
    return """
    {"metric":{"namespace":"sei","of":"%s","persistentvolumeclaim":"data-node"},
     "value":[1000,"%s"]}
    """
        .formatted(of, value);
  }

  private static Optional<VolumeUsage> read(String... series) {
    String result = Stream.of(series).collect(Collectors.joining(","));
    String answer =
        "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[%s]}}"
            .formatted(result);
    return Optional.ofNullable(UsageAnswer.of(answer.getBytes(UTF_8)).get(CLAIM));
  }
}
