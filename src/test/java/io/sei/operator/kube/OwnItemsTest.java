package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import org.junit.jupiter.api.Test;

class OwnItemsTest {

  private final OwnItems<ConfigMap> items =
      new OwnItems<>(object -> object.getMetadata().getNamespace().equals("ours"));

  @Test
  void whatOthersManageIsNotKept() {
    put("ours");
    put("theirs");

    assertThat(items.keySet()).containsExactly("ours/proxy");
    assertThat(items.get("theirs/proxy")).isNull();
  }

  private void put(String namespace) {
    ConfigMap object =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace(namespace)
            .withName("proxy")
            .endMetadata()
            .build();
    items.put(items.getKey(object), object);
  }
}
