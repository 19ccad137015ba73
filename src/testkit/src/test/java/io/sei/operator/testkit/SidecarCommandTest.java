package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SidecarCommandTest {

  @ParameterizedTest
  @CsvSource({
    "seictl:v0.0.70,        '',           serve,       serves",
    "sei-sidecar:186d65a,   '',           serve,       serves",
    "host:5/sei-sidecar,    '',           '',          serves",
    "seictl:v0.0.50,        seictl serve, '',          serves",
    "sei-sidecar:186d65a,   seictl serve, '',          128",
    "seictl:v0.0.70,        '',           '',          0",
    "seictl:v0.0.70,        '',           nonsense,    3",
    "seictl:v0.0.70,        '',           serve help,  0",
    "seictl:v0.0.70,        '',           help,        0",
    "sei-sidecar:186d65a,   '',           help,        0",
    "sei-sidecar:186d65a,   '',           anything,    serves"
  })
  void imageAndWordsDecideWhetherItServes(
      String image, String command, String arguments, String outcome) {
    Container container =
        new ContainerBuilder()
            .withImage(image)
            .withCommand(words(command))
            .withArgs(words(arguments))
            .build();

    assertThat(
            SidecarCommand.of(container)
                .end(image)
                .map(crash -> String.valueOf(crash.exitCode()))
                .orElse("serves"))
        .isEqualTo(outcome);
  }

  private static List<String> words(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(" "));
  }
}
