package io.sei.operator.node.objects;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.diagnosis.SeidInspection;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PulledImage;
import io.sei.operator.testkit.PullCluster;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pulls of one node, by these rules:
 *
 * <pre>
 * | found of the try                 | done                      | reported |
 * |----------------------------------|---------------------------|----------|
 * | nothing                          | Job created               | Pulling  |
 * | Job of a process that died       | followed, none created    | Pulling  |
 * | Job, pod pulls                   | polled later              | Pulling  |
 * | Job, pod has the images          | kept until end            | Pulled   |
 * | Job, image does not say its seid | given up in two minutes   | Pulled   |
 * | Job, pod cannot get an image     | kept until end            | Failed   |
 * | Job, pod evicted                 | kept until end            | Untried  |
 * | Job, no pod for a minute         | kept until end            | Untried  |
 * | Job that reached its deadline    | kept until end            | Failed   |
 * | Job that failed with its pod     | kept until end            | Untried  |
 * | Job deleted by a user or its TTL | Job created again         | Pulling  |
 * | Job of another image or machine  | deleted, and created      | Pulling  |
 * | pod of a Job that was deleted    | Job created again         | Pulling  |
 * | Job of another owner             | left alone                | Untried  |
 * | Job denied                       | none created              | Untried  |
 * | Job of another try               | deleted                   |          |
 * </pre>
 */
class ImagePullerTest {

  private static final PullJob FIRST = pull("1");
  private static final PullJob SECOND = pull("2");
  private static final Pod POD =
      aPod(aNode("sei:a").running()).namespace("default").on("m1").build();

  private final PullCluster cluster = new PullCluster();
  private ImagePuller puller = puller();
  private Instant now = NodeSample.NOW;
  private Duration wallClockError = Duration.ZERO;

  @BeforeEach
  void push() {
    cluster.put(POD);
    cluster.push("sei:b", "sha256:b");
  }

  private record Row(
      String found, Consumer<PullCluster> change, Class<? extends PullReport> report, int jobs) {
    @Override
    public String toString() {
      return found;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row("pod pulls", cluster -> {}, PullReport.Pulling.class, 1),
        new Row("pod has the image", PullCluster::runKubelet, PullReport.Pulled.class, 1),
        new Row("image is missing", ImagePullerTest::registryIsDown, PullReport.Failed.class, 1),
        new Row("pod evicted", PullCluster::evict, PullReport.Untried.class, 1),
        new Row("deadline", PullCluster::expireJobs, PullReport.Failed.class, 1),
        new Row("pod drained", PullCluster::deletePods, PullReport.Untried.class, 1),
        new Row("deleted by a user", PullCluster::deleteJobs, PullReport.Pulling.class, 1));
  }

  private static void registryIsDown(PullCluster cluster) {
    cluster.registryAnswers(false);
    cluster.runKubelet();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void jobIsFollowedAndDeletedOnceItsOutcomeIsNotNeeded(Row row) {
    assertThat(follow(FIRST)).isInstanceOf(PullReport.Pulling.class);
    row.change().accept(cluster);

    later(2);

    assertThat(follow(FIRST)).isInstanceOf(row.report());
    assertThat(cluster.jobs()).hasSize(row.jobs());
    puller.end(pass());
    assertThat(cluster.jobs()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("rows")
  void processThatTakesOverFindsTheJobByItsName(Row row) {
    follow(FIRST);
    row.change().accept(cluster);
    puller = puller();

    follow(FIRST);
    later(2);

    assertThat(follow(FIRST)).isInstanceOf(row.report());
    assertThat(cluster.names()).hasSize(1);
    puller.end(pass());
    assertThat(cluster.jobs()).isEmpty();
  }

  /** The image is there, so that nothing else waits for the inspection. */
  @Test
  void inspectionThatHangsIsGivenUpAfterFourMoreRequests() {
    cluster.inspectionsEnd(null);
    follow(FIRST);
    cluster.runKubelet();
    later(2);
    assertThat(follow(FIRST)).isInstanceOf(PullReport.Pulling.class);
    int requests = cluster.requests().size();

    PullReport report = new PullReport.Pulling();
    for (int second = 3; second < 120 && report instanceof PullReport.Pulling; second++) {
      later(second);
      report = follow(FIRST);
    }

    assertThat(report)
        .isEqualTo(
            new PullReport.Pulled(List.of("sei:b@sha256:b"), Optional.of(SeidInspection.HANGS)));
    assertThat(cluster.requests()).hasSizeLessThanOrEqualTo(requests + 4);
    puller.end(pass());
    assertThat(cluster.jobs()).isEmpty();
  }

  @Test
  void jobWithoutAPodForAMinuteSaysNothingOfTheImage() {
    follow(FIRST);
    cluster.withoutPods();
    later(59);
    assertThat(follow(FIRST)).isInstanceOf(PullReport.Pulling.class);

    later(120);

    assertThat(follow(FIRST)).isInstanceOf(PullReport.Untried.class);
  }

  @Test
  void jobThatIsDeniedSaysNothingOfTheImageAndIsNotAskedForAgain() {
    cluster.denyJobs();

    assertThat(follow(FIRST)).isInstanceOf(PullReport.Untried.class);
    int requests = cluster.requests().size();
    assertThat(follow(FIRST)).isInstanceOf(PullReport.Untried.class);

    assertThat(cluster.requests()).hasSize(requests);
  }

  @Test
  void jobOfAnotherOwnerIsLeftAlone() {
    follow(FIRST);
    cluster.disown();
    puller = puller();

    assertThat(follow(FIRST))
        .isInstanceOfSatisfying(
            PullReport.Untried.class,
            untried -> assertThat(untried.why()).contains("belongs to another owner"));
    puller.end(pass());
    assertThat(cluster.jobs()).hasSize(1);
  }

  @Test
  void outcomeIsRepeatedWithoutARequestUntilItIsNotNeeded() {
    follow(FIRST);
    cluster.runKubelet();
    later(2);
    PullReport pulled = follow(FIRST);
    int requests = cluster.requests().size();

    assertThat(follow(FIRST)).isEqualTo(pulled);

    assertThat(cluster.requests()).hasSize(requests);
  }

  @Test
  void anotherTryHasAnotherJobAndTakesThePlaceOfTheFirst() {
    follow(FIRST);

    follow(SECOND);

    assertThat(cluster.names()).hasSize(2);
    assertThat(cluster.jobs()).hasSize(1);
  }

  @Test
  void jobThatAProcessLeftWhenItDiedIsDeletedByTheNextTry() {
    follow(FIRST);
    puller = puller();

    follow(SECOND);
    later(2);
    follow(SECOND);

    assertThat(cluster.jobs()).hasSize(1);
    assertThat(cluster.names()).contains(cluster.jobs().get(0).getMetadata().getName());
    cluster.runKubelet();
    later(4);
    assertThat(follow(SECOND)).isInstanceOf(PullReport.Pulled.class);
  }

  @Test
  void clockOfTheSystemThatIsSetBackDelaysNoPoll() {
    follow(FIRST);
    cluster.runKubelet();
    wallClockError = Duration.ofHours(-1);
    later(2);

    assertThat(follow(FIRST)).isInstanceOf(PullReport.Pulled.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void jobOfAnotherPullThatHasTheNameIsReplaced(boolean isOfAnotherImage) {
    follow(FIRST);
    PodSpec other = cluster.jobs().getFirst().getSpec().getTemplate().getSpec();
    if (isOfAnotherImage) {
      other.getContainers().getFirst().setImage("sei:z");
    } else {
      other.setNodeName("m2");
    }
    puller = puller();

    follow(FIRST);
    later(2);
    follow(FIRST);

    PodSpec own = cluster.jobs().getFirst().getSpec().getTemplate().getSpec();
    assertThat(own.getNodeName()).isEqualTo("m1");
    assertThat(own.getContainers().getFirst().getImage()).isEqualTo("sei:b");
    cluster.runKubelet();
    later(4);
    assertThat(follow(FIRST)).isInstanceOf(PullReport.Pulled.class);
  }

  @Test
  void podOfADeletedJobOfTheNameIsNotRead() {
    follow(FIRST);
    registryIsDown(cluster);
    cluster.deleteJobsBeforePods();
    puller = puller();
    follow(FIRST);
    later(2);

    assertThat(follow(FIRST)).isInstanceOf(PullReport.Pulling.class);
    assertThat(cluster.jobs()).hasSize(1);
  }

  @Test
  void pollsAreFurtherAndFurtherApart() {
    follow(FIRST);
    int requests = cluster.requests().size();

    for (int second = 1; second <= 600; second++) {
      later(second);
      follow(FIRST);
    }

    assertThat(cluster.requests().subList(requests, cluster.requests().size()))
        .as("after 2, 4, 8, 16, 32 and 64 seconds, then every minute")
        .hasSize(6 + 8)
        .containsOnly("LIST");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void operatorThatDiesAtAnyRequestLeavesWhatTheNextOneFinishes(boolean afterwards) {
    int request = 0;
    boolean died;
    do {
      var fresh = new ImagePullerTest();
      fresh.push();
      died = fresh.diesAt(request++, afterwards);
    } while (died);
    assertThat(request).as("live pod, Job, poll, deletion, and none").isEqualTo(5);
  }

  private boolean diesAt(int request, boolean afterwards) {
    cluster.killAt(request, afterwards);
    boolean died = false;
    try {
      pullOnce();
    } catch (PullCluster.OperatorDied e) {
      died = true;
    }
    cluster.revive();
    puller = puller();

    assertThat(pullOnce())
        .isEqualTo(
            new PullReport.Pulled(
                List.of("sei:b@sha256:b"), Optional.of(new SeidInspection("v2.0.0", null))));

    assertThat(cluster.names()).as("Jobs of one try, died at %d", request).hasSize(1);
    assertThat(cluster.jobs()).isEmpty();
    return died;
  }

  private PullReport pullOnce() {
    follow(FIRST);
    cluster.runKubelet();
    now = now.plusSeconds(2);
    PullReport report = follow(FIRST);
    puller.end(pass());
    return report;
  }

  private void later(long seconds) {
    now = NodeSample.NOW.plusSeconds(seconds);
  }

  private PullReport follow(PullJob pull) {
    return puller.follow(pass(), pull, POD);
  }

  private NodePass pass() {
    return aNode("sei:a")
        .metadata(metadata -> metadata.withUid("node-1"))
        .running()
        .withPod(POD)
        .now(now.plus(wallClockError))
        .pass();
  }

  private ImagePuller puller() {
    return new ImagePuller(cluster.api(), new PerObjectState<ResourceID>(), () -> now);
  }

  private static PullJob pull(String slot) {
    return new PullJob(slot, "m1", List.of(PulledImage.ofUpgrade("sei:b")));
  }
}
