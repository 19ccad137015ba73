package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_AT_RISK;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.ConditionStatus;

/** The claim and the volume of a node, and those who delete them. */
abstract class DataVolumeTestCase extends RolloutTestCase {

  static final String CLAIM = "data-" + NODE;

  final void awaitAtRisk(String words) {
    eventually(
        () -> {
          assertCondition(DATA_VOLUME_AT_RISK, ConditionStatus.TRUE);
          assertThat(condition(DATA_VOLUME_AT_RISK).message()).contains(words);
        });
  }

  final void deleteClaim() {
    client.resource(claim()).delete();
  }

  final PersistentVolumeClaim claim() {
    return read(PersistentVolumeClaim.class, CLAIM);
  }

  final PersistentVolume volume(String name) {
    return client.persistentVolumes().withName(name).get();
  }

  final void haltAtUpgrade() {
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));
    kubelet.halt(namespace, POD, "v2", 100);
  }
}
