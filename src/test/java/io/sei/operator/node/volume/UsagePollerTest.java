package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodePass;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsagePollerTest {

  private static final Duration INTERVAL = Duration.ofMinutes(2);
  private static final double CAPACITY = new Quantity("10Gi").getNumericalAmount().doubleValue();
  private static final FillingNode NODE = node("4Ti");

  private record Later(Runnable task, Duration pause) {}

  private final Queue<Later> scheduled = new ArrayDeque<>();
  private final List<String> woken = new ArrayList<>();
  private final Map<ClaimName, VolumeUsage> volumes = new HashMap<>();
  private Optional<String> fault = Optional.empty();
  private Instant now = NOW.plusMillis(999);
  private int asked;

  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);

  /** Keeps delayed work until the test runs it. */
  private final ScheduledThreadPoolExecutor scheduler =
      new ScheduledThreadPoolExecutor(0) {
        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
          scheduled.add(new Later(task, Duration.of(delay, unit.toChronoUnit())));
          return null;
        }
      };

  private final PerObjectState<ResourceID> memory =
      new PerObjectState<>(node -> woken.add(node.getName()));
  private final UsagePoller poller =
      new UsagePoller(Optional.of(this::read), INTERVAL, clock, memory, scheduler);

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // used in percent, of a file system of how much of the volume, maximum, decision
        "79, 1, 4Ti, -",
        "80, 1, 4Ti, Grow[to=12Gi]",
        "85, 0.95, 4Ti, Grow[to=12Gi]",
        // It may just have grown.
        "83, 0.95, 4Ti, -",
        "80, 1, 10Gi, AtMaximum[]",
        // Of the disk of the machine, or of another cluster's claim.
        "99, 20, 4Ti, -",
        "99, 0.8, 4Ti, -",
      })
  void volumeGrowsAheadOfAFullDisk(double percent, double part, String maxSize, String expected) {
    NodePass pass = node(maxSize).pass();
    says(percent, CAPACITY * part);

    poller.observe(pass);
    poll();

    assertThat(decision(pass).map(GrowthDecision::toString))
        .isEqualTo(Optional.ofNullable(expected));
  }

  @Test
  void oneQuestionIsAskedForAllAndOnlyNewsWakes() {
    says(60, CAPACITY);
    poller.observe(NODE.pass());
    poller.observe(NODE.pass());
    assertThat(poll()).isEqualTo(Duration.ZERO);
    says(70, CAPACITY);
    assertThat(poll()).isEqualTo(INTERVAL);
    assertThat(woken).isEmpty();

    says(81, CAPACITY);
    poll();
    poll();

    assertThat(woken).containsExactly("node");
    assertThat(asked).isEqualTo(4);
    assertThat(scheduled).hasSize(1);
  }

  @Test
  void prometheusIsNotAskedWithoutAVolume() {
    poller.observe(NODE.pass());
    memory.drop(new ResourceID("node", "default"));

    poll();

    assertThat(scheduled).isEmpty();
  }

  @Test
  void failedAnswerGrowsNothingAndIsShownLate() {
    says(90, CAPACITY);
    poller.observe(NODE.pass());
    poll();
    fault = Optional.of("there is no connection to it");
    woken.clear();

    pollAt(Duration.ofMinutes(2));
    assertThat(woken).isEmpty();
    pollAt(Duration.ofMinutes(11));
    assertThat(woken).as("it is to grow no longer").hasSize(1);
    pollAt(Duration.ofMinutes(16));

    assertThat(woken).hasSize(2);
    assertThat(decision(NODE.pass())).isEmpty();
    assertThat(resized(NODE.pass()).toString())
        .contains("UsageUnknown")
        .contains(
            "claim data-node has 10Gi, and grows only once seid has died of a full disk, not at"
                + " spec.dataVolume.storage.autoGrow.usedPercent: Prometheus cannot be asked: there"
                + " is no connection to it");
  }

  /** Its kubelet has no statistics of it, which is no fault. */
  @Test
  void stoppedNodeIsNotSilent() {
    poller.observe(NODE.stopped().pass());
    poll();
    pollAt(Duration.ofMinutes(60));
    assertThat(poller.of(NODE.pass().node()).flatMap(Usage::silence)).isEmpty();

    poller.observe(NODE.pass());
    pollAt(Duration.ofMinutes(61));
    assertThat(poller.of(NODE.pass().node()).flatMap(Usage::silence)).isEmpty();
    pollAt(Duration.ofMinutes(76));
    assertThat(poller.of(NODE.pass().node()).flatMap(Usage::silence))
        .contains("Prometheus has no kubelet_volume_stats_available_bytes of it that can be used");
  }

  /** The last answer is about a smaller volume. */
  @Test
  void grownVolumeIsAskedAboutAnew() {
    says(90, CAPACITY);
    poller.observe(NODE.pass());
    poll();
    FillingNode grown = FillingNode.of(NODE.rule(), "12Gi", true);

    poller.observe(grown.pass());
    assertThat(decision(grown.pass())).isEmpty();
    poll();
    assertThat(decision(grown.pass())).isEmpty();

    says(75, CAPACITY * 1.2);
    poll();
    assertThat(poller.of(grown.pass().node()).flatMap(Usage::last).map(VolumeUsage::used))
        .hasValueSatisfying(value -> assertThat(value).isBetween(0.74, 0.76));
  }

  @Test
  void nodeThatCameLaterHasTheLastAnswer() {
    says(90, CAPACITY);
    poller.observe(node("10Gi").stopped().pass());
    poll();

    poller.observe(NODE.pass());

    assertThat(decision(NODE.pass())).isPresent();
  }

  @Test
  void conditionHasTheMaximumAndTheForecast() {
    says(90, CAPACITY);
    NodePass full = node("10Gi").pass();
    poller.observe(full);
    poll();
    assertThat(resized(full).message())
        .isEqualTo(
            "claim data-node has 10Gi, the most that spec.dataVolume.storage.autoGrow allows, and"
                + " its usedPercent is reached; raise its maxSize");

    volumes.put(
        new ClaimName("default", "data-node"),
        new VolumeUsage(CAPACITY, CAPACITY * 0.4, Optional.of(CAPACITY * 0.4 / 100_000)));
    NodePass filling = NODE.pass();
    poller.observe(filling);
    poll();
    Condition said = resized(filling);
    assertThat(said.reason()).isEqualTo("Filling");
    assertThat(said.message())
        .isEqualTo(
            "claim data-node has 10Gi; at the pace of the last six hours it is full within a week");
  }

  @Test
  void withoutPrometheusThePercentIsShownToHaveNoEffect() {
    var unable = new DataVolumeResized(growth(OfflineNode.usagePoller()));
    NodePass pass = NODE.pass();

    unable.report(pass);

    assertThat(condition(pass).reason()).isEqualTo("UsageUnknown");
    assertThat(condition(pass).message()).contains("set its SEI_PROMETHEUS_URL");
  }

  private Optional<GrowthDecision> decision(NodePass pass) {
    return growth(poller).decision(pass, pass.view().claim().orElseThrow());
  }

  private AutoGrowth growth(UsagePoller usage) {
    return new AutoGrowth(usage, memory);
  }

  private Condition resized(NodePass pass) {
    new DataVolumeResized(growth(poller)).report(pass);
    return condition(pass);
  }

  private static Condition condition(NodePass pass) {
    return Conditions.find(pass.draft().conditions(), NodeConditionType.DATA_VOLUME_RESIZED)
        .orElseThrow();
  }

  private void says(double percent, double capacity) {
    volumes.put(
        new ClaimName("default", "data-node"),
        new VolumeUsage(capacity, capacity * (100 - percent) / 100, Optional.empty()));
  }

  private Duration poll() {
    Later next = scheduled.remove();
    next.task().run();
    return next.pause();
  }

  private void pollAt(Duration later) {
    now = NOW.plus(later).plusMillis(999);
    poll();
  }

  private CompletableFuture<Map<ClaimName, VolumeUsage>> read() {
    asked++;
    return fault.isPresent()
        ? CompletableFuture.failedFuture(new IllegalArgumentException(fault.get()))
        : CompletableFuture.completedFuture(Map.copyOf(volumes));
  }

  private static FillingNode node(String maxSize) {
    return FillingNode.of(new AutoGrow(80, null, new Quantity(maxSize)), "10Gi", true);
  }
}
