package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks rules of every object of every node. */
class RenderedObjectsTest {

  static List<Rendering> examples() {
    return Rendering.examples();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anObjectSaysOnlyWhatItIsMeantToBe(Rendering example) throws Exception {
    for (HasMetadata object : example.objects()) {
      var json = new ObjectMapper().readTree(Serialization.asJson(object));

      assertThat(json.has("status")).isFalse();
      assertThat(json.path("metadata").fieldNames())
          .toIterable()
          .isSubsetOf("name", "namespace", "labels", "annotations", "ownerReferences");
      assertThat(json.findValue("podManagementPolicy")).isNull();
      assertNoNulls(json);
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void renderingIsRepeatableAndLeavesItsInputAlone(Rendering example) {
    var before = Serialization.asYaml(example.node());

    assertThat(example.yaml()).isEqualTo(example.yaml());
    assertThat(Serialization.asYaml(example.node())).isEqualTo(before);
  }

  @ParameterizedTest
  @MethodSource("examples")
  void objectsAreInTheNodesNamespaceAndCarryItsLabels(Rendering example) {
    for (HasMetadata object : example.objects()) {
      assertThat(object.getMetadata().getNamespace()).isEqualTo("sei-nodes");
      assertThat(object.getMetadata().getLabels())
          .isEqualTo(
              object instanceof Job
                  ? Labels.ofBootstrap("pacific-rpc-0")
                  : Labels.of(example.node()));
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void whateverIsOwnedIsControlledByTheNode(Rendering example) {
    for (HasMetadata object : example.objects()) {
      if (object.getKind().equals("PersistentVolumeClaim")) {
        continue;
      }
      assertThat(object.getMetadata().getOwnerReferences())
          .singleElement()
          .satisfies(
              owner -> {
                assertThat(owner.getApiVersion()).isEqualTo("sei.io/v1alpha1");
                assertThat(owner.getKind()).isEqualTo("SeiNode");
                assertThat(owner.getName()).isEqualTo("pacific-rpc-0");
                assertThat(owner.getUid()).isEqualTo(Nodes.UID);
                assertThat(owner.getController()).isTrue();
                assertThat(owner.getBlockOwnerDeletion()).isTrue();
              });
    }
  }

  private static void assertNoNulls(JsonNode json) {
    assertThat(json.isNull()).isFalse();
    json.forEach(RenderedObjectsTest::assertNoNulls);
  }
}
