package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerVersionTest {

  @ParameterizedTest
  @CsvSource({
    "v1.20.2, false",
    "v1.29.9-gke.1000, false",
    "v1.30.0, true",
    "v1.30.4-eks-036c24b, true",
    "v1.36.2+k3s1, true",
    "v2.0.0, true"
  })
  void everythingFrom130OnIsSupported(String gitVersion, boolean supported) {
    assertThat(ServerVersion.parse(gitVersion).isSupported()).isEqualTo(supported);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "+", "1", "v1", "latest", "v-1.30"})
  void whatIsNoVersionIsRefused(String gitVersion) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ServerVersion.parse(gitVersion))
        .withMessageContaining("'" + gitVersion + "'");
  }

  @Test
  void aMissingVersionIsRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> ServerVersion.parse(null));
  }
}
