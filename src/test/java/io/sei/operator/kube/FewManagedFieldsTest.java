package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the caches hold of managedFields. */
class FewManagedFieldsTest {

  private final KubernetesSerialization serialization = KubernetesClients.serialization();

  @Test
  void onlyThoseOfAGoOperatorAreReadAndNoneIsWritten() {
    ConfigMap read =
        read(
            """
            [{'manager':'kubelet','operation':'Update','time':'t0','fieldsV1':{'f:a':{}}},
             {'manager':'manager','operation':'Update','subresource':'status','time':'t1',
              'apiVersion':'v1','fieldsType':'FieldsV1','fieldsV1':{'f:a':{'.':{}}}},
             {'operation':'Update'},
             {'manager':'seinode-controller','operation':'Apply','time':'t2'}]""");

    assertThat(read.getMetadata().getManagedFields())
        .extracting(ManagedFieldsEntry::getManager)
        .containsExactly("manager", "seinode-controller");
    ManagedFieldsEntry entry = read.getMetadata().getManagedFields().get(0);
    assertThat(entry.getOperation()).isEqualTo("Update");
    assertThat(entry.getSubresource()).isEqualTo("status");
    assertThat(entry.getTime()).isEqualTo("t1");
    assertThat(entry.getFieldsV1()).isNull();
    assertThat(read.getMetadata().getLabels()).containsEntry("b", "c");
    assertThat(serialization.asJson(read)).doesNotContain("managedFields").contains("labels");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "{}", "'text'", "[{'manager':1}]"})
  void whateverElseStandsThereDoesNoHarm(String managedFields) {
    assertThat(read(managedFields).getMetadata())
        .satisfies(it -> assertThat(it.getManagedFields()).isEmpty())
        .satisfies(it -> assertThat(it.getLabels()).containsEntry("b", "c"));
  }

  private ConfigMap read(String managedFields) {
    return serialization.unmarshal(
        ("{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'a','managedFields':"
                + managedFields
                + ",'labels':{'b':'c'}}}")
            .replace('\'', '"'),
        ConfigMap.class);
  }
}
