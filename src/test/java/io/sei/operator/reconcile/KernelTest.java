package io.sei.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.testkit.samples.Samples;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KernelTest {

  private final KubernetesClient client = new KubernetesClientBuilder().build();
  private final EventRecorder events = new EventRecorder(client, "test", "test");
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final Counter unfinished = Kernel.unfinished(metrics, "test");
  private final Countdown kind = new Countdown();
  private final Kernel<SeiNode, SeiNodeStatus, CountdownPass> kernel =
      new Kernel<>(
          kind,
          new NothingStays(),
          new KubeApi(client),
          events,
          new PlanMetrics(metrics, List.of()),
          unfinished,
          new PerObjectState<>(),
          Clock.systemUTC(),
          Clock.systemUTC());

  private final List<SeiNodeStatus> written = new ArrayList<>();
  private SeiNode node = node(1, SeiNodeStatus.empty());

  @AfterEach
  void close() {
    events.close();
    client.close();
  }

  @Test
  void eachPassObservesWhatTheOneBeforeHasWritten() {
    kind.left = 3;

    assertThat(run()).contains(Duration.ofSeconds(7));

    assertThat(kind.observed).containsExactly("1", "2", "3", "4");
    assertThat(written).hasSize(4);
    assertThat(unfinished.count()).isZero();
  }

  @Test
  void whoAsksForEverIsNamedAndWaitedForLongerEachTime() {
    kind.left = Integer.MAX_VALUE;

    assertThat(run()).contains(Duration.ofSeconds(1));
    assertThat(written).hasSize(Kernel.PASSES);
    assertThat(written.subList(0, Kernel.PASSES - 1)).noneMatch(KernelTest::isStalled);
    assertThat(stalled(written.getLast()).message()).contains("8 passes", "step countdown");
    written.clear();

    assertThat(run()).contains(Duration.ofSeconds(2));
    assertThat(written).hasSize(Kernel.PASSES).allMatch(KernelTest::isStalled);
    assertThat(unfinished.count()).isEqualTo(2);
  }

  @Test
  void whatEndsAfterAllIsNoLongerNamed() {
    kind.left = Kernel.PASSES;
    run();

    assertThat(run()).contains(Duration.ofSeconds(7));
    kind.left = Kernel.PASSES;

    assertThat(run()).contains(Duration.ofSeconds(1));
  }

  @Test
  void concludesTheStatusWhateverFails() {
    kind.failure = new IllegalStateException("broken");

    assertThatThrownBy(this::run).isSameAs(kind.failure);

    assertThat(written).hasSize(1);
  }

  @Test
  void aSpecThatCannotBeReadIsInvalidAndNothingIsObserved() {
    unreadable("spec.image");

    assertThat(run()).isEmpty();

    assertThat(kind.observed).isEmpty();
    assertThat(written).hasSize(1);
    Condition stalled =
        Conditions.find(written.getFirst().conditions(), NodeConditionType.STALLED).orElseThrow();
    assertThat(stalled.isFor(StallReason.INVALID_SPEC)).isTrue();
    assertThat(stalled.message()).contains("spec.image: is too large");
  }

  @ParameterizedTest
  @ValueSource(strings = {"status.phase", "metadata.labels"})
  void withoutStatusOrMetadataNothingIsWritten(String field) {
    unreadable("spec.image", field);

    assertThat(run()).isEmpty();

    assertThat(kind.observed).isEmpty();
    assertThat(written).isEmpty();
  }

  @Test
  void anObjectOfAResourceThatCannotBeReadStallsTheResource() {
    var pod = new PodBuilder().withNewMetadata().withName("node-0").endMetadata().build();
    kind.refusal = RefusedException.unreadable(Samples.unreadable(pod, "spec"));

    assertThat(run()).isPresent();

    assertThat(written).hasSize(1).allMatch(KernelTest::isStalled);
    assertThat(written.getFirst().conditions().getFirst().message())
        .contains("Pod node-0 cannot be read: spec is too large");
  }

  private void unreadable(String... fields) {
    Samples.unreadable(node, fields);
  }

  private Optional<Duration> run() {
    return kernel.run(
        node,
        (before, after) -> {
          written.add(after);
          node = node(Integer.parseInt(before.getMetadata().getResourceVersion()) + 1, after);
          return node;
        });
  }

  private static boolean isStalled(SeiNodeStatus status) {
    return Conditions.isTrue(status.conditions(), NodeConditionType.STALLED);
  }

  private static Condition stalled(SeiNodeStatus status) {
    Condition stalled =
        Conditions.find(status.conditions(), NodeConditionType.STALLED).orElseThrow();
    assertThat(stalled.isFor(StallReason.UNKNOWN)).isTrue();
    return stalled;
  }

  private static SeiNode node(int version, SeiNodeStatus status) {
    var node = new SeiNode();
    node.getMetadata().setName("node");
    node.getMetadata().setNamespace("here");
    node.getMetadata().setResourceVersion(Integer.toString(version));
    node.setStatus(status);
    return node;
  }

  private static final class CountdownPass extends Pass<SeiNodeStatus> {

    CountdownPass(SeiNodeStatus status) {
      super(status, status.stalledSince());
    }

    @Override
    public Instant now() {
      return Instant.EPOCH;
    }

    @Override
    public TaskPlan plan() {
      return null;
    }
  }

  /** Asks for another pass a number of times. */
  private static final class Countdown
      implements Reconciling<SeiNode, SeiNodeStatus, CountdownPass> {

    private final List<String> observed = new ArrayList<>();
    private int left;
    private RuntimeException failure;
    private RefusedException refusal;

    @Override
    public List<FieldError> errors(SeiNode resource) {
      return List.of();
    }

    @Override
    public CountdownPass observe(SeiNode resource, SeiNodeStatus status) {
      observed.add(resource.getMetadata().getResourceVersion());
      if (refusal != null) {
        throw refusal;
      }
      return new CountdownPass(status);
    }

    @Override
    public Next act(CountdownPass pass) {
      if (failure != null) {
        throw failure;
      }
      return left-- > 0 ? Next.writeFirst("countdown") : Next.rest(Duration.ofSeconds(7));
    }

    @Override
    public void report(CountdownPass pass) {
      pass.update(status -> status.withCurrentImage(left + " left").withConditions(List.of()));
    }

    @Override
    public SeiNodeStatus statusOf(SeiNode resource) {
      return resource.getStatus();
    }

    @Override
    public TaskPlan planOf(SeiNodeStatus status) {
      return null;
    }

    @Override
    public SeiNodeStatus invalid(SeiNode resource, List<FieldError> errors, Instant now) {
      return resource.getStatus();
    }

    @Override
    public SeiNodeStatus terminating(SeiNodeStatus status) {
      return status;
    }

    @Override
    public SeiNodeStatus stalled(
        SeiNodeStatus status, Finding finding, Long generation, Instant now) {
      return status.withConditions(finding.stalls(status.conditions(), generation, now));
    }

    @Override
    public SeiNodeStatus concluded(
        SeiNodeStatus before, SeiNodeStatus reached, Long generation, Instant now) {
      return reached;
    }

    @Override
    public List<ObjectEvent> events(SeiNodeStatus before, SeiNodeStatus after) {
      return List.of();
    }
  }

  private static final class NothingStays implements Finalization<SeiNode> {

    @Override
    public String finalizer() {
      return "none";
    }

    @Override
    public boolean isRetained(SeiNode resource) {
      return false;
    }

    @Override
    public void announce(SeiNode resource) {}

    @Override
    public void release(SeiNode resource, ApiRejections rejections) {}
  }
}
