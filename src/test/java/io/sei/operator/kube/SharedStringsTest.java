package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SharedStringsTest {

  @Test
  void equalTextsAreOneObject() {
    assertThat(read("a", "sei:v6.3.0")).isSameAs(read("b", "sei:v6.3.0"));
  }

  @Test
  void equalKeysAreOneObject() {
    assertThat(key(unmarshal("{\"data\":{\"config.yaml\":\"1\"}}")))
        .isSameAs(key(unmarshal("{\"data\":{\"config.yaml\":\"2\"}}")));
  }

  @Test
  void longTextIsNotKeptForOthers() {
    String genesis = "0".repeat(5000);

    assertThat(read("a", genesis)).isEqualTo(genesis).isNotSameAs(read("a", genesis));
  }

  @Test
  void moreTextsThanAreKnownAreReadAsTheyAre() {
    IntStream.range(0, 20_000)
        .mapToObj(Integer::toString)
        .forEach(text -> assertThat(read("a", text)).isEqualTo(text));
  }

  @Test
  void absentAndEmptyTextsStayWhatTheyAre() {
    assertThat(read("a", "")).isEmpty();
    assertThat(unmarshal("{\"metadata\":{\"name\":null}}").getMetadata().getName()).isNull();
  }

  private static String key(ConfigMap object) {
    return object.getData().keySet().iterator().next();
  }

  private static String read(String key, String text) {
    return unmarshal("{\"data\":{\"%s\":\"%s\"}}".formatted(key, text)).getData().get(key);
  }

  private static ConfigMap unmarshal(String json) {
    return KubernetesClients.serialization().unmarshal(json, ConfigMap.class);
  }
}
