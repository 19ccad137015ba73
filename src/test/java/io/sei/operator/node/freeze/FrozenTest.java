package io.sei.operator.node.freeze;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.node.Snapshots;
import io.sei.operator.plan.Step;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The height is in seid's file from its first start on, but not while seid halts at another. */
class FrozenTest {

  private static final Snapshot BOOTSTRAP =
      new Snapshot(new Snapshot.S3(90L), null, null, null, "sei:old");

  @Test
  void heightIsWrittenForTheNodeAndNotForItsBootstrap() {
    String patch =
        "{\"values\":[{\"fileName\":\"app.toml\",\"key\":\"freeze-height\",\"value\":100}],"
            + "\"removed\":[]}";

    assertThat(patches(null)).containsExactly(patch);
    assertThat(patches(BOOTSTRAP)).containsExactly(patch);
    assertThat(tasks(BOOTSTRAP))
        .extracting(Step::type)
        .containsSubsequence("teardown-bootstrap", "config-apply", "config-patch", "mark-ready");
  }

  private static List<String> patches(Snapshot snapshot) {
    return tasks(snapshot).stream()
        .filter(it -> it.type().equals("config-patch"))
        .map(it -> it.params().toString())
        .toList();
  }

  private static List<Step> tasks(Snapshot snapshot) {
    SeiNode node = Snapshots.node("sei:a");
    node.setSpec(node.getSpec().withFullNode(new FullNode(snapshot, null, new Freeze(100L))));
    return Snapshots.PLANS
        .of(PlanKind.INIT, Snapshots.snapshot(node, SeiNodeStatus.empty(), Optional.empty(), null))
        .tasks();
  }
}
