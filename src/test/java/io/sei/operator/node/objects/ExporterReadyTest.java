package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.chain.Releases;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.testkit.ManualExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The condition of an exporter by the log of its container; logs are read at once here. */
class ExporterReadyTest {

  private static final String WAITS = "waiting for seid to serve gRPC on port 9090\n";
  private static final String STARTED = WAITS + "seid serves gRPC, starting the exporter\nerr x\n";
  private static final Instant LATER = NOW.plus(Duration.ofMinutes(10));

  private final AtomicInteger reads = new AtomicInteger();
  private final List<ResourceID> woken = new ArrayList<>();
  private String log = WAITS;
  private Releases releases = ReleaseReader.builtIn();
  private final ManualExecutor<ResourceID> executor = ManualExecutor.eager(NOW);
  private final ExporterReady exporter =
      new ExporterReady(
          this::read, () -> releases, executor.polling(new PerObjectState<>(woken::add)));
  private SeiNodeStatus status = aNode("sei:a").running().status();

  @Test
  void exporterOfASeidWithoutGrpcIsReportedOnceSeidHasHadTheTime() {
    NodePass early = report(pod("run-1"), NOW.minusSeconds(1));
    assertThat(early.recheck()).contains(Duration.ofSeconds(1));
    assertThat(condition()).isEmpty();
    assertThat(reads).hasValue(0);

    report(pod("run-1"), NOW);

    assertThat(condition())
        .hasValueSatisfying(
            condition -> {
              assertThat(condition.status()).isEqualTo(ConditionStatus.FALSE);
              assertThat(condition.isFor(NodeReason.EXPORTER_WITHOUT_GRPC)).isTrue();
              assertThat(condition.message())
                  .contains("node-0", "9090", "v6.8.0 and later", "SEI_COSMOS_EXPORTER_IMAGE");
            });
  }

  @Test
  void releaseThatTheMessageNamesIsThatOfTheList() {
    releases =
        ReleaseReader.read(
            """
            releases:
            - version: v6.9.0
              source: https://example.org
              ports: [{number: 9090, name: gRPC, change: Removed}]
            """);
    report(pod("run-1"), NOW);
    assertThat(condition().orElseThrow().message()).contains("(v6.9.0 and later)");

    releases = new Releases(List.of(), List.of());
    report(pod("run-1"), LATER);
    assertThat(condition().orElseThrow().message()).contains("does not serve it, set");
  }

  @Test
  void logIsReadOnceInTenMinutes() {
    report(pod("run-1"), NOW);
    executor.advance(Duration.ofMinutes(9));
    assertThat(reads).hasValue(1);

    log = STARTED;
    executor.advance(Duration.ofMinutes(1));
    assertThat(reads).hasValue(2);
    report(pod("run-1"), LATER);

    assertThat(condition())
        .hasValueSatisfying(condition -> assertThat(condition.isTrue()).isTrue());
  }

  @Test
  void nodeWhoseExporterRunsHasNoSuchCondition() {
    log = STARTED;

    NodePass reconcile = report(pod("run-1"), NOW);

    assertThat(condition()).isEmpty();
    assertThat(reconcile.recheck()).isEmpty();
    assertThat(woken).isEmpty();
  }

  @Test
  void anotherRunOfTheExporterIsLookedAtAnew() {
    log = STARTED;
    report(pod("run-1"), NOW);
    log = WAITS;

    report(pod("run-2"), NOW);

    assertThat(condition())
        .hasValueSatisfying(condition -> assertThat(condition.isTrue()).isFalse());
  }

  @Test
  void podWithoutAnExporterTakesTheReportBack() {
    report(pod("run-1"), NOW);

    report(aPod(aNode("sei:a")).build(), NOW);
    assertThat(condition())
        .as("of a pod that is not Ready nothing is said")
        .hasValueSatisfying(condition -> assertThat(condition.isTrue()).isFalse());

    report(aPod(aNode("sei:a")).ready().build(), NOW);
    assertThat(condition())
        .hasValueSatisfying(
            condition -> assertThat(condition.isFor(NodeReason.NO_EXPORTER)).isTrue());
  }

  @Test
  void logThatCannotBeReadProvesNothing() {
    log = null;

    report(pod("run-1"), NOW);

    assertThat(condition()).isEmpty();
  }

  /** The answer to a question is given the next time. */
  private NodePass report(Pod pod, Instant now) {
    NodePass reconcile = null;
    for (int pass = 0; pass < 2; pass++) {
      reconcile = aNode("sei:a").status(status).withPod(pod).now(now).pass();
      exporter.report(reconcile);
      status = reconcile.draft();
    }
    return reconcile;
  }

  private Optional<Condition> condition() {
    return Conditions.find(status.conditions(), NodeConditionType.EXPORTER_READY);
  }

  private String read(String namespace, String pod) {
    reads.incrementAndGet();
    if (log == null) {
      throw new IllegalStateException("403");
    }
    return log;
  }

  private static Pod pod(String run) {
    Instant since = NOW.minus(Duration.ofMinutes(1));
    return aPod(aNode("sei:a"))
        .condition("Ready", "True", since)
        .container("cosmos-exporter", "exporter:v1")
        .status("cosmos-exporter", sample -> sample.running(since).run(run))
        .build();
  }
}
