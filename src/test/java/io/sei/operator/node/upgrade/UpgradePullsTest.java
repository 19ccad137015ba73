package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration.State;
import io.sei.operator.api.v1alpha1.UpgradePolicy;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.testkit.PullCluster;
import io.sei.operator.testkit.samples.End;
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
 * The schedule of pulls over hours and days, with an operator that reconciles every second that is
 * worth it, and a kubelet that needs none:
 *
 * <pre>
 * | outcome of the last try          | next try                                        |
 * |----------------------------------|-------------------------------------------------|
 * | none                             | at once                                         |
 * | pulled                           | a day later, or when the last hour begins       |
 * | pulled within the last hour      | an hour later                                   |
 * | failed, a template is left       | at once, with the image of that                 |
 * | failed                           | ten minutes later, with the image of the first  |
 * | failed, the digest is known      | ten minutes later, with the same image          |
 * </pre>
 */
class UpgradePullsTest {

  private static final Duration DAY = Duration.ofDays(1);

  private final PullCluster cluster = new PullCluster();
  private NodeSample node =
      aNode("sei:v7.0.0").metadata(metadata -> metadata.withUid("node-1")).running();
  private Pod pod = aPod(node).namespace("default").on("m1").ready().build();
  private UpgradePulls pulls = pulls();
  private SeiNodeStatus status = node.status();
  private Instant now = NodeSample.NOW;

  /** The version that the node's RPC reports. */
  private Optional<SeidVersion> rpc = Optional.empty();

  /** The volume of the node's claim; null if it may not be read. */
  private PersistentVolume volume =
      new PersistentVolumeBuilder().withNewMetadata().endMetadata().withNewSpec().endSpec().build();

  private Optional<Instant> expected = Optional.empty();

  @BeforeEach
  void listV2() {
    cluster.put(pod);
    node = node.spec(spec -> spec.withUpgrades(List.of(new Upgrade("v2", 100L, "sei:v2", null))));
  }

  @Test
  void aDayOfTheSchedule() {
    cluster.push("sei:v2", "sha256:1");

    run(DAY.multipliedBy(3).minusMinutes(1));

    assertThat(cluster.images()).as("pulled once a day").containsExactly(times(3, "sei:v2"));
    assertThat(cluster.names()).as("each pull is a Job of its own").hasSize(3);
    assertThat(cluster.jobs()).as("deleted once their outcome is written").isEmpty();
    assertThat(upgrade().pullError()).isNull();
  }

  @Test
  void imageIsPulledAgainWhenTheLastHourBegins() {
    cluster.push("sei:v2", "sha256:1");
    expected = Optional.of(now.plus(Duration.ofHours(5)));

    run(Duration.ofHours(5).minusMinutes(1));

    assertThat(cluster.images()).hasSize(2);
    assertThat(upgrade().pulledAt()).isAfterOrEqualTo(expected.get().minus(Duration.ofHours(1)));
  }

  @Test
  void pullInProgressIsNotGivenUpForAnEntryThatIsNew() {
    cluster.push("sei:v2", "sha256:1");
    cluster.push("sei:v3", "sha256:3");
    run(Duration.ofMinutes(1));
    now = upgrade().pulledAt().plus(DAY);
    advance();
    node =
        node.spec(
            spec ->
                spec.withUpgrades(
                    List.of(
                        new Upgrade("v2", 100L, "sei:v2", null),
                        new Upgrade("v3", 200L, "sei:v3", null))));

    run(Duration.ofMinutes(1));

    assertThat(cluster.images()).containsExactly("sei:v2", "sei:v2", "sei:v3");
    assertThat(cluster.jobs()).isEmpty();
  }

  @Test
  void pullInProgressIsNotGivenUpWhenTheHeightIsExpectedLater() {
    cluster.push("sei:v2", "sha256:1");
    run(Duration.ofMinutes(1));
    now = upgrade().pulledAt().plus(Duration.ofHours(3));
    expected = Optional.of(now.plus(Duration.ofMinutes(30)));
    advance();
    expected = Optional.of(now.plus(Duration.ofHours(10)));
    Instant began = now;

    run(Duration.ofMinutes(1));

    assertThat(cluster.images()).hasSize(2);
    assertThat(upgrade().pulledAt()).isAfterOrEqualTo(began);
    assertThat(cluster.jobs()).isEmpty();
  }

  @Test
  void registryThatIsDownForAnHourIsAskedEveryTenMinutes() {
    cluster.push("sei:v2", "sha256:1");
    cluster.registryAnswers(false);
    run(Duration.ofHours(1));
    assertThat(cluster.names()).as("two tries of one image are two Jobs").hasSize(6);
    assertThat(upgrade().pullError()).contains("i/o timeout");

    cluster.registryAnswers(true);
    run(Duration.ofMinutes(10));

    assertThat(cluster.names()).hasSize(7);
    assertThat(upgrade().pullError()).isNull();
    assertThat(upgrade().imageID()).isEqualTo("sei:v2@sha256:1");
    assertThat(cluster.jobs()).isEmpty();
  }

  @Test
  void planThatWaitsForLongHoldsUpNoPull() {
    cluster.push("sei:v2", "sha256:1");
    status = status.withPlan(aPlan(PlanKind.UPDATE, "sei:v8", "replace-pod").build());
    run(Duration.ofMinutes(10));
    assertThat(cluster.names()).as("the plan may move the pod").isEmpty();

    run(Duration.ofMinutes(1));

    assertThat(upgrade().imageID()).isEqualTo("sei:v2@sha256:1");
  }

  @Test
  void planThatPullsAnImageItselfIsNotDisturbed() {
    cluster.push("sei:v2", "sha256:1");
    TaskPlan plan = aPlan(PlanKind.UPDATE, "sei:v8", "replace-pod").build();
    for (Reason own : List.of(TaskReason.IMAGE_PULLING, StallReason.IMAGE_PULL)) {
      status =
          status.withPlan(
              plan.withTasks(List.of(plan.tasks().getFirst().withReason(own.toString()))));

      run(Duration.ofHours(1));

      assertThat(cluster.names()).as("%s", own).isEmpty();
    }
  }

  @Test
  void tagThatWasMovedIsSeenTheNextDay() {
    cluster.push("sei:v2", "sha256:1");
    run(Duration.ofHours(1));
    cluster.push("sei:v2", "sha256:2");

    run(DAY);

    assertThat(upgrade().imageID()).isEqualTo("sei:v2@sha256:2");
    assertThat(upgrade().previousImageID()).isEqualTo("sei:v2@sha256:1");
  }

  @Test
  void templatesAreTriedInTheirOrderAndTheDigestIsPinned() {
    listByTheChain("one:{name}", "two:{name}", "three:{name}");
    String digest = "sha256:" + "1".repeat(64);
    cluster.push("three:v9", digest);

    run(Duration.ofMinutes(1));

    String pinned = "three:v9@" + digest;
    assertThat(cluster.images()).containsExactly("one:v9", "two:v9", "three:v9", pinned);
    assertThat(upgrade().image()).isEqualTo(pinned);

    cluster.push("three:v9", "sha256:" + "2".repeat(64));
    run(DAY);

    assertThat(upgrade().imageID()).as("a tag that moves later changes nothing").isEqualTo(pinned);
    assertThat(upgrade().image()).isEqualTo(pinned);
  }

  @Test
  void entryKeepsTheImageOfItsDigestWhileTheRegistryIsDown() {
    listByTheChain("one/sei:{name}", "two/sei:{name}");
    String digest = "sha256:" + "1".repeat(64);
    cluster.push("one/sei:v9", digest);
    run(Duration.ofMinutes(1));
    UpgradeStatus pulled = upgrade();
    expected = Optional.of(now.plus(Duration.ofHours(3)));
    cluster.removeImages();
    cluster.registryAnswers(false);

    while (now.isBefore(expected.get())) {
      reconcile();
      assertThat(upgrade().image()).isEqualTo("one/sei:v9@" + digest);
    }

    assertThat(pulled.imageID()).isNotNull();
    assertThat(upgrade().imageID()).isEqualTo(pulled.imageID());
    assertThat(upgrade().pullError()).startsWith("i/o timeout; check the registry, and the DNS");
  }

  @Test
  void templatesThatAllFailAreTriedAgainInTheirOrder() {
    listByTheChain("one:{name}", "two:{name}");

    run(Duration.ofMinutes(15));

    assertThat(cluster.images()).containsExactly("one:v9", "two:v9", "one:v9", "two:v9");
    assertThat(cluster.names()).hasSize(4);
    assertThat(upgrade().image()).isEqualTo("one:v9");
    assertThat(upgrade().pullError())
        .isEqualTo(
            "tried one:v9, two:v9; the last answer: not found; check the image and its pull"
                + " secret");
  }

  @Test
  void templateThatIsTriedOutlivesTheOperator() {
    listByTheChain("one:{name}", "two:{name}");
    while (!cluster.images().contains("two:v9")) {
      reconcile();
    }
    pulls = pulls();

    reconcile();

    assertThat(cluster.images()).containsExactly("one:v9", "two:v9");
  }

  @Test
  void upgradeThatIsNotListedAnyMoreLeavesNoJob() {
    reconcile();
    assertThat(cluster.jobs()).hasSize(1);
    node = node.spec(spec -> spec.withUpgrades(null));

    reconcile();

    assertThat(cluster.jobs()).isEmpty();
  }

  @Test
  void evictedPodIsTriedAgainTenMinutesLater() {
    cluster.push("sei:v2", "sha256:1");
    reconcile();
    cluster.evict();
    now = now.plusSeconds(2);
    advance();
    assertThat(upgrade().pullError()).contains("Evicted");

    run(Duration.ofMinutes(11));

    assertThat(upgrade().pullError()).isNull();
    assertThat(cluster.names()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void operatorThatDiesAtAnyRequestLeavesNothingASlotLater(boolean afterwards) {
    int request = 0;
    boolean died;
    do {
      var fresh = new UpgradePullsTest();
      fresh.listV2();
      died = fresh.diesAt(request++, afterwards);
    } while (died);
    assertThat(request).as("live pod, Job, poll, deletion, and none").isEqualTo(5);
  }

  /** docs/benchmarks.md has these numbers; ImagePullerTest has that of a seid that hangs. */
  @Test
  void nodeWithoutAnUpgradeAheadCostsNoRequestAndAnInspectedImageFour() {
    node = node.spec(spec -> spec.withUpgrades(null));
    run(Duration.ofHours(1));
    assertThat(cluster.requests()).as("nothing is listed").isEmpty();

    listV2();
    cluster.push("sei:v2", "sha256:1");
    run(DAY.minusMinutes(1));

    assertThat(upgrade().seidVersion()).isEqualTo("v2.0.0");
    String job = cluster.names().getFirst();
    assertThat(cluster.requests())
        .as("live pod, Job, one look and the deletion, once a day")
        .containsExactly("GET node-0", "POST " + job, "LIST", "DELETE " + job);
  }

  /** Live pod, Job, one look and the deletion; a day later again. */
  @Test
  void filesAreComparedWithWhatTheNextImageNeedsWithFourRequests() {
    listV72();
    cluster.answer("app.toml", "keys 1");
    cluster.answer("config.toml", "keys 1");
    runUntilPulled();
    int before = cluster.requests().size();

    run(Duration.ofMinutes(1));

    assertThat(upgrade().configuration().state()).isEqualTo(State.REFUSED);
    assertThat(cluster.requests())
        .as("the deletion of the pull, and four for the files")
        .hasSizeLessThanOrEqualTo(before + 1 + 4);
    assertThat(cluster.jobs()).isEmpty();
    cluster.answer("app.toml", "keys 0");
    run(Duration.ofMinutes(11));
    assertThat(upgrade().configuration().state()).isEqualTo(State.ACCEPTED);
    assertThat(cluster.jobs()).isEmpty();
    assertThat(now)
        .as("nothing is due before the next pull")
        .isAfterOrEqualTo(upgrade().pulledAt().plus(DAY));
  }

  @Test
  void correctedFilesAreComparedThoughNoPassHasSeenThePodNotReady() {
    listV72();
    cluster.answer("app.toml", "keys 1");
    cluster.answer("config.toml", "keys 1");
    runUntilPulled();
    while (upgrade().configuration() == null) {
      reconcile();
    }
    assertThat(upgrade().configuration().state()).isEqualTo(State.REFUSED);
    cluster.answer("app.toml", "keys 0");

    pod = aPod(node).namespace("default").on("m1").condition("Ready", "True", now).build();
    cluster.put(pod);
    run(Duration.ofMinutes(1));

    assertThat(upgrade().configuration().state()).isEqualTo(State.ACCEPTED);
  }

  @Test
  void findingGoesOnceTheNodeRunsAReleaseThatNeedsNoMore() {
    listV72();
    runUntilPulled();
    run(Duration.ofMinutes(1));
    assertThat(upgrade().configuration()).isNotNull();
    node = node.spec(spec -> spec.withImage("sei:v7.2.0"));
    pod = aPod(node).namespace("default").on("m1").ready().build();
    cluster.put(pod);

    run(Duration.ofMinutes(11));

    assertThat(upgrade().configuration()).isNull();
  }

  @Test
  void imageThatHasAnsweredIsNotDoubtedOnABusyMachine() {
    listV72();
    runUntilPulled();
    cluster.inspectionsEnd(null);

    run(DAY.plusMinutes(5));

    assertThat(upgrade().seidVersion()).isEqualTo("v7.2.0");
    assertThat(upgrade().inspectionError()).isNull();
  }

  @Test
  void versionThatRunsCountsMoreThanTheTagOfItsImage() {
    listV72();
    rpc = SeidVersion.parse("v7.2.0");
    runUntilPulled();

    run(Duration.ofMinutes(1));

    assertThat(upgrade().configuration()).as("nothing to compare").isNull();
    assertThat(cluster.names()).as("the pull alone").hasSize(1);
  }

  @Test
  void missingFileIsAFinding() {
    listV72();
    cluster.answer("config.toml", "keys 1");

    runUntilPulled();
    run(Duration.ofMinutes(1));

    assertThat(upgrade().configuration().state()).isEqualTo(State.FILE_MISSING);
    assertThat(upgrade().imageID()).as("nothing else is lost").isNotNull();
  }

  private record Obstacle(String reason, Consumer<UpgradePullsTest> arrange) {
    @Override
    public String toString() {
      return reason;
    }
  }

  static Stream<Obstacle> obstacles() {
    return Stream.of(
        new Obstacle(
            "its claim is ReadWriteOncePod",
            test ->
                test.node =
                    test.node.claim(
                        aClaim()
                            .edit(
                                claim ->
                                    claim
                                        .editSpec()
                                        .withAccessModes("ReadWriteOncePod")
                                        .endSpec()))),
        new Obstacle(
            "the node is not Ready on its volume",
            test -> test.pod = aPod(test.node).namespace("default").on("m1").build()),
        new Obstacle(
            "the claim of its volume is imported",
            test -> test.node = test.node.claim((PersistentVolumeClaim) null)),
        new Obstacle(
            "PersistentVolume pv is of type hostPath, which is writable in every pod",
            test ->
                test.volume =
                    new PersistentVolumeBuilder()
                        .withNewMetadata()
                        .withName("pv")
                        .endMetadata()
                        .withNewSpec()
                        .withNewHostPath("/data", null)
                        .endSpec()
                        .build()),
        new Obstacle(
            "cannot be read, and one of type hostPath is writable in every pod; grant",
            test -> test.volume = null));
  }

  @ParameterizedTest
  @MethodSource("obstacles")
  void filesAreLeftAloneWithTheReason(Obstacle obstacle) {
    listV72();
    obstacle.arrange().accept(this);

    runUntilPulled();
    run(Duration.ofMinutes(1));

    assertThat(upgrade().configuration().state()).isEqualTo(State.UNCHECKED);
    assertThat(upgrade().configuration().message()).contains(obstacle.reason());
    assertThat(cluster.names()).as("the pull alone").hasSize(1);
  }

  private void listV72() {
    cluster.push("sei:v7.2.0", "sha256:1");
    cluster.inspectionsEnd(End.exit(0, "version: v7.2.0"));
    node =
        node.spec(spec -> spec.withUpgrades(List.of(new Upgrade("v7.2", 100L, "sei:v7.2.0", null))))
            .claim(aClaim());
  }

  private void runUntilPulled() {
    while (status.upgrades() == null || upgrade().pulledAt() == null) {
      reconcile();
    }
  }

  private boolean diesAt(int request, boolean afterwards) {
    cluster.push("sei:v2", "sha256:1");
    cluster.killAt(request, afterwards);
    boolean died = false;
    try {
      run(Duration.ofMinutes(1));
    } catch (PullCluster.OperatorDied e) {
      died = true;
    }
    cluster.revive();
    pulls = pulls();

    now = now.plus(DAY);
    run(Duration.ofMinutes(1));

    assertThat(upgrade().imageID()).isEqualTo("sei:v2@sha256:1");
    assertThat(cluster.jobs()).as("died at request %d", request).isEmpty();
    return died;
  }

  private void listByTheChain(String... templates) {
    node =
        node.spec(
            spec ->
                spec.withUpgrades(null).withUpgradePolicy(new UpgradePolicy(List.of(templates))));
    status =
        status.withUpgrades(
            List.of(ChainEntries.sought("v9", 100, templates[0].replace("{name}", "v9"))));
  }

  /** Reconciles until then. */
  private void run(Duration length) {
    Instant end = now.plus(length);
    while (now.isBefore(end)) {
      reconcile();
    }
  }

  /** Reconciles once, and moves the clock to the next reconcile that is due. */
  private void reconcile() {
    NodePass pass = advance();
    cluster.runKubelet();
    now = now.plus(pass.recheck().orElse(Duration.ofSeconds(1)));
  }

  private NodePass advance() {
    NodePass pass = node.status(status).withPod(pod).now(now).pass();
    pulls.advance(pass, expected);
    status = pass.draft();
    return pass;
  }

  private UpgradeStatus upgrade() {
    return status.upgrades().getFirst();
  }

  private UpgradePulls pulls() {
    return new UpgradePulls(
        new ImagePuller(cluster.api(), new PerObjectState<>(), () -> now),
        () -> ConfigurationGateTest.RELEASES,
        pass -> rpc,
        read -> Optional.ofNullable(volume).map(VolumeFacts::of));
  }

  private static String[] times(int count, String image) {
    return java.util.Collections.nCopies(count, image).toArray(String[]::new);
  }
}
