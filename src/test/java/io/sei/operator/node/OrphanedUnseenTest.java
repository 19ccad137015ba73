package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node is deleted without what belongs to it, and the operator hears of that late. */
class OrphanedUnseenTest extends RolloutTestCase {

  /** The garbage collector would delete what gets its owner back. */
  @Test
  void nothingThatIsLeftGetsItsOwnerBack() {
    operatorBehindADoor().start();
    createRunning();
    List<String> uids = belongings().map(it -> it.getMetadata().getUid()).toList();
    awaitGarbageCollector();
    door.holdWatches(request -> request.path().endsWith("/seinodes"));

    client.resource(node()).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();

    eventually(() -> assertThat(node()).isNull());
    eventually(
        () ->
            assertThat(door.received())
                .filteredOn(it -> it.path().endsWith("/seinodes/node"))
                .hasSizeGreaterThanOrEqualTo(uids.size()));
    awaitGarbageCollector();
    assertThat(belongings())
        .allMatch(it -> it.getMetadata().getOwnerReferences().isEmpty())
        .noneMatch(HasMetadata::isMarkedForDeletion)
        .extracting(it -> it.getMetadata().getUid())
        .isEqualTo(uids);
    assertThat(kubelet.history(namespace, POD)).hasSize(1);
    door.releaseWatches();
  }

  private Stream<HasMetadata> belongings() {
    return Stream.of(
        read(StatefulSet.class, NODE),
        read(PersistentVolumeClaim.class, "data-node"),
        read(Service.class, NODE));
  }
}
