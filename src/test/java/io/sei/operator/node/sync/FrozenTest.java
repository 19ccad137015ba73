package io.sei.operator.node.sync;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.LongNode;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.plan.Step;
import io.sei.operator.render.StatefulSetRenderer;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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

  @Test
  void seidKnowsTheHeightWhateverItsFileLacksUnlessTheUserSetTheKey() {
    SeiNode node = frozen(null);
    assertThat(variables(node)).containsEntry("SEID_FREEZE_HEIGHT", "100");

    node.setSpec(
        node.getSpec()
            .withConfigValues(
                List.of(new ConfigValue("app.toml", "freeze-height", LongNode.valueOf(120)))));
    assertThat(variables(node)).doesNotContainKey("SEID_FREEZE_HEIGHT");
  }

  private static Map<String, String> variables(SeiNode node) {
    var rendered =
        new StatefulSetRenderer(OperatorConfig.fromEnvironment(Map.of()), OfflineNode.FEATURES)
            .render(node);
    return rendered.getSpec().getTemplate().getSpec().getContainers().getFirst().getEnv().stream()
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  private static List<String> patches(Snapshot snapshot) {
    return tasks(snapshot).stream()
        .filter(step -> step.type().equals("config-patch"))
        .map(step -> step.params().toString())
        .toList();
  }

  private static List<Step> tasks(Snapshot snapshot) {
    return OfflineNode.PLANS.of(PlanKind.INIT, aNode(frozen(snapshot)).view()).tasks();
  }

  private static SeiNode frozen(Snapshot snapshot) {
    return aNode("sei:a")
        .spec(spec -> spec.withFullNode(new FullNode(snapshot, null, new Freeze(100L))))
        .build();
  }
}
