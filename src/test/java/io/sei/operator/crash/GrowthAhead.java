package io.sei.operator.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.testkit.PrometheusSimulator;

/** Prometheus says that the volume of a running node is about to be full. */
final class GrowthAhead extends GrowthByItself {

  // Goes with the process.
  private final PrometheusSimulator prometheus = new PrometheusSimulator();

  GrowthAhead(World world) {
    super(world);
  }

  @Override
  public void prepare() {
    world.operator().asking(prometheus).restart();
    super.prepare();
  }

  @Override
  AutoGrow rule() {
    return new AutoGrow(80, "1Gi", new Quantity("1Ti"));
  }

  @Override
  public void begin() {
    prometheus.says(world.namespace(), "data-" + NODE, size(), 85);
    gibibytes++;
  }

  @Override
  public void tidy() {
    prometheus.says(world.namespace(), "data-" + NODE, size(), 40);
    World.eventually(
        () ->
            assertThat(world.operator().scrape())
                .containsPattern("sei_node_volume_used_ratio\\{[^}]*\\} 0\\.[34]"));
    forgetTheLastGrowth();
  }
}
