package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.testkit.ManualExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ports of a Service by the version of the seid that runs. */
class ServicePortsTest {

  private static final int GRPC = 9090;

  private final List<ResourceID> woken = new ArrayList<>();
  private final ManualExecutor<ResourceID> executor = ManualExecutor.lazy(NOW);
  private Releases releases = ReleaseReader.builtIn();
  private final ServicePorts ports =
      new ServicePorts(
          new RunningVersion(rpc -> version(), executor.polling(new PerObjectState<>(woken::add))),
          () -> releases);
  private Optional<String> version = Optional.of("v6.7.0");

  @Test
  void anAnswerThatChangesNothingAPassReadsDoesNotReconcile() {
    assertThat(isListed("run-1", withPort(true))).isTrue();
    executor.run();
    assertThat(isListed("run-1", withPort(true))).isTrue();

    version = Optional.empty();
    isListed("run-2", withPort(true));
    executor.advance(Duration.ofMinutes(10));

    version = Optional.of("v6.8.0");
    isListed("run-3", withPort(false));
    executor.run();
    assertThat(isListed("run-3", withPort(false))).isFalse();

    assertThat(woken).isEmpty();
  }

  @Test
  void versionThatServesOtherPortsReconcilesItsNodeOnce() {
    version = Optional.of("v6.8.0");

    isListed("run-1", withPort(true));
    executor.advance(Duration.ofMinutes(10));

    assertThat(woken).hasSize(1);
    assertThat(isListed("run-1", withPort(true))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"v6.9.0", "v5.9.0", "main"})
  void unknownVersionChangesNothing(String unknown) {
    version = Optional.of(unknown);

    isListed("run-1", withPort(true));
    isListed("run-2", withPort(false));
    executor.advance(Duration.ofMinutes(10));

    assertThat(isListed("run-2", withPort(false))).isFalse();
    assertThat(isListed("run-2", withPort(true))).isTrue();
    assertThat(woken).isEmpty();
  }

  @Test
  void portThatAnotherListRemovesIsLeftOut() {
    version = Optional.of("v6.7.4");
    isListed("run-1", withPort(true));
    executor.run();
    assertThat(isListed("run-1", withPort(true))).isTrue();

    releases =
        releases.with(
            ReleaseReader.read(
                """
                releases:
                - version: v6.7.4
                  source: https://example.org
                  ports: [{number: 9090, name: gRPC, change: Removed}]
                """));

    assertThat(isListed("run-1", withPort(true))).isFalse();
  }

  private Optional<SeidVersion> version() {
    return SeidVersion.parse(version.orElseThrow());
  }

  private boolean isListed(String run, Service live) {
    NodePass pass =
        aNode("sei:a")
            .running()
            .withPod(aPod(aNode("sei:a")).ready().status("seid", seid -> seid.run(run)).build())
            .pass();
    return !ports.leftOut(pass, Optional.of(live)).contains(GRPC);
  }

  private static Service withPort(boolean hasGrpc) {
    return new ServiceRenderer().render(aNode("sei:a").build(), hasGrpc ? Set.of() : Set.of(GRPC));
  }
}
