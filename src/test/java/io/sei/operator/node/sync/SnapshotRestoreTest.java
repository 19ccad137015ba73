package io.sei.operator.node.sync;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.plan.Step;
import org.junit.jupiter.api.Test;

class SnapshotRestoreTest {

  @Test
  void volumeIsRestoredOnceWhateverHeightIsAskedForLater() {
    Step first = SnapshotRestore.of(new Snapshot.S3(1000L));
    Step higher =
        new Step(
            "snapshot-restore", JsonNodeFactory.instance.objectNode().put("targetHeight", 2000));

    Step second = SnapshotRestore.after(first.params(), higher);
    Step third = SnapshotRestore.after(second.params(), higher);

    assertThat(SnapshotRestore.restoredHeight(first.params())).isEmpty();
    assertThat(SnapshotRestore.restoredHeight(second.params())).contains(1000L);
    assertThat(SnapshotRestore.restoredHeight(third.params())).contains(1000L);
    assertThat(SnapshotRestore.after(second.params(), first)).isEqualTo(first);
  }
}
