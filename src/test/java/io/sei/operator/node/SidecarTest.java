package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.LabelPeers;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SidecarSpec;
import io.sei.operator.api.v1alpha1.SidecarStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.SidecarRequest;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sidecars that restart, that are older than their operator, or that are called with a token. */
class SidecarTest extends RolloutTestCase {

  private static final String DISCOVER_PEERS = "discover-peers";
  private static final PeerSource.Ec2Tags BY_TAGS =
      new PeerSource.Ec2Tags("eu-1", Map.of("chain", "atlantic-2"));

  private static final String ACCOUNT = "sidecar-client";

  @Test
  void restartedSidecarIsMarkedReadyAndThePodLives() {
    createRunning();
    String pod = podUid();
    int runs = markReadyRuns();
    try (var versions = new NodeVersions(client, namespace)) {
      sidecar.restart(namespace, NODE);

      eventually(() -> assertThat(markReadyRuns()).isEqualTo(runs + 1));
      awaitUpToDate(A);
      assertThat(versions.seen(SeiNodeStatus::plan).stream().map(TaskPlan::kind).distinct())
          .containsExactly(PlanKind.MARK_READY);
    }
    eventually(() -> assertCondition(NodeConditionType.SIDECAR_READY, ConditionStatus.TRUE));
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podDeletes()).isZero();
    assertThat(markReadyRuns()).isEqualTo(runs + 1);
  }

  @Test
  void taskThatTheSidecarDoesNotKnowIsNotSubmittedAgainToTheSameImage() {
    sidecar.version(SidecarVersion.V0_0_62);
    create(spec(A).withPeers(List.of(new PeerSource(BY_TAGS, null, null))));
    awaitUnsupported();
    String first = plan().id();
    SidecarStatus known = node().getStatus().sidecar();
    assertThat(known.image()).isEqualTo(node().getStatus().currentSidecarImage());
    assertThat(known.unknownTaskTypes()).containsExactly(DISCOVER_PEERS);

    operator.restart();
    patch("{'spec':{'overrides':{'mempool.size':'10'}}}");

    eventually(() -> assertThat(plan().id()).isNotEqualTo(first));
    awaitUnsupported();
    assertThat(node().getStatus().sidecar()).isEqualTo(known);
    assertThat(
            sidecar.requests(namespace, NODE).stream()
                .filter(request -> request.is("POST", "/v0/tasks"))
                .filter(request -> request.body().contains(DISCOVER_PEERS)))
        .hasSize(1);

    sidecar.version(SidecarVersion.V0_0_50);
    patch("{'spec':{'sidecar':{'image':'seictl:older'}}}");

    awaitUpToDate(A);
    assertThat(node().getStatus().sidecar()).isNull();
  }

  /** It has no program seictl, and its entry point says {@code serve} itself. */
  @Tag("long")
  @Test
  void sidecarOfTheGoOperatorsTreeIsStartedToo() {
    sidecar.version(SidecarVersion.IN_TREE);
    create(spec(A).withSidecar(new SidecarSpec("sei-sidecar:186d65a", null, null)));

    awaitUpToDate(A);
    assertCondition(NodeConditionType.SIDECAR_READY, ConditionStatus.TRUE);
  }

  private void awaitUnsupported() {
    eventually(
        () -> {
          assertThat(plan().currentTask().orElseThrow().reason())
              .isEqualTo(StallReason.SIDECAR_UNSUPPORTED.toString());
          assertCondition(
              NodeConditionType.SIDECAR_READY,
              ConditionStatus.FALSE,
              NodeReason.SIDECAR_UNSUPPORTED);
        });
  }

  @Override
  protected void startOperator() {
    createAccount(ACCOUNT);
    sidecar.reviewTokens(client);
    start(operatorAs(controlPlane.config(ControlPlane.OPERATOR)));
  }

  /** Which tokens sidecars are called with; their proxies have each reviewed by the API server. */
  @Test
  void podIsCalledWithOneTokenForItsOwnAudience() {
    createRunning();
    sidecar.restart(namespace, NODE);
    eventually(() -> assertThat(markReadyRuns()).isEqualTo(2));
    awaitUpToDate(A);

    String audience = "sei.io/sidecar/%s/%s".formatted(namespace, NODE);
    assertThat(tokens())
        .singleElement()
        .satisfies(
            token -> {
              assertThat(reviewed(token, audience)).contains(user(ACCOUNT));
              assertThat(reviewed(token)).isEmpty();
              assertThat(reviewed(token, "sei.io/sidecar/%s/other".formatted(namespace))).isEmpty();
            });
    assertThat(requests("POST", "/serviceaccounts/" + ACCOUNT + "/token")).hasSize(1);
    assertThat(requests())
        .filteredOn(request -> request.path().equals("/v0/healthz"))
        .isNotEmpty()
        .extracting(SidecarRequest::authorization)
        .containsOnly("");
  }

  @Tag("long")
  @Test
  void podWithAnotherAudienceGetsNoTokenAndSaysThatItNeedsARestart() {
    createRunning(2);
    operator.stop();
    int before = tokens().size();
    replacePodByOneWith("--auth-token-audiences=sei.io/sidecar");

    operator.start();

    String command = "run: kubectl sei restart %s -n %s".formatted(NODE, namespace);
    awaitStalled(StallReason.SIDECAR_NOT_ASKED);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("--auth-token-audiences=sei.io/sidecar/%s/%s".formatted(namespace, NODE))
        .contains(command);
    assertThat(condition(NodeConditionType.READY).message()).contains(command);
    assertThat(tokens()).hasSize(before);

    patch("{'metadata':{'annotations':{'%s':'now'}}}".formatted(Annotations.RESTART_REQUESTED_AT));
    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void adoptedPodOfAListedNamespaceIsCalledAsTheAccountOfTheNamespace() {
    operator.stop();
    String account = ACCOUNT + "-" + namespace;
    createAccount(account);
    var goOperator = new GoOperator(client, namespace, NODE);
    operator.with("SEI_TAKEOVER_NAMESPACES", namespace);
    goOperator.create(spec(A));
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    goOperator.writeStatus("{'phase':'Running','currentImage':'%s'}".formatted(A));

    operator.with("SEI_TAKEOVER_NAMESPACES", namespace).start();

    awaitUpToDate(A);
    assertThat(tokens())
        .singleElement()
        .satisfies(token -> assertThat(reviewed(token)).contains(user(account)));
  }

  @Test
  void tokenThatTheApiServerRefusesIsReportedWithTheMissingRight() {
    createRunning();
    start(
        operatorAs(
            new Rights(client, namespace)
                .without("serviceaccounts/token")
                .config(controlPlane.config(ControlPlane.ADMIN))));
    patch("{'spec':{'progressDeadlineSeconds':2}}");
    sidecar.restart(namespace, NODE);

    awaitStalled(StallReason.SIDECAR_FORBIDDEN);

    assertThat(condition(NodeConditionType.STALLED).message())
        .contains(
            "the operator may not create serviceaccounts/token of ServiceAccount %s/%s"
                .formatted(namespace, ACCOUNT))
        .contains("cannot create resource \"serviceaccounts/token\"");
  }

  @Test
  void nothingIsSentWhileTheWatchOfPodsIsBroken() {
    start(operatorBehindADoor());
    createRunning();
    door.inject(SidecarTest::isWatchOfPods, ApiFault.error(503, "ServiceUnavailable"));
    door.dropWatches();

    changeConfiguration("1");
    awaitNotAsked("watch of pods");
    int before = requests().size();
    awaitAnotherLookAtNodes();

    assertThat(requests()).hasSize(before);
    door.heal();
    eventually(
        Duration.ofMinutes(2),
        () ->
            assertThat(door.answered())
                .filteredOn(answered -> isWatchOfPods(answered.request()))
                .last()
                .returns(200, FaultyApiServer.Answered::status));
    // A watch over plain HTTP shows that it works by its first event.
    patch(pod(), "{'metadata':{'annotations':{'any':'event'}}}");
    awaitUpToDate(A);
  }

  @Test
  void peersPodThatIsNotItsStatefulSetsIsSentNothing() {
    var peer = Samples.node(namespace, "peer", spec(A).withPaused(true));
    peer.getMetadata().setLabels(Map.of("fleet", "x"));
    client.resource(peer).create();
    client
        .resource(
            aPod("peer-0")
                .namespace(namespace)
                .label("sei.io/node", "peer")
                .container("seid", A)
                .build())
        .create();
    eventually(
        () ->
            assertThat(client.pods().inNamespace(namespace).withName("peer-0").get().getStatus())
                .returns("Running", status -> status.getPhase()));

    create(
        spec(A)
            .withPeers(
                List.of(new PeerSource(null, null, new LabelPeers(Map.of("fleet", "x"), null)))));
    awaitUpToDate(A);

    assertThat(sidecar.requests(namespace, "peer")).isEmpty();
  }

  private void start(OperatorHarness harness) {
    harness.with("SEI_SIDECAR_SERVICE_ACCOUNT", namespace + "/" + ACCOUNT).start();
  }

  private void createAccount(String name) {
    client
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .endMetadata()
                .build())
        .create();
  }

  private String user(String account) {
    return "system:serviceaccount:%s:%s".formatted(namespace, account);
  }

  /** The user of a token to one who accepts these audiences; without any, to the API server. */
  private Optional<String> reviewed(String token, String... audiences) {
    TokenReviewStatus review =
        client
            .tokenReviews()
            .create(
                new TokenReviewBuilder()
                    .withNewSpec()
                    .withToken(token)
                    .withAudiences(audiences)
                    .endSpec()
                    .build())
            .getStatus();
    return Boolean.TRUE.equals(review.getAuthenticated())
        ? Optional.of(review.getUser().getUsername())
        : Optional.empty();
  }

  /** Replaces the pod, as if its StatefulSet had been rendered with this argument of its proxy. */
  private void replacePodByOneWith(String audiences) {
    StatefulSet changed = statefulSet();
    changed.getSpec().getTemplate().getSpec().getInitContainers().stream()
        .filter(container -> container.getName().equals("kube-rbac-proxy"))
        .forEach(
            container ->
                container.setArgs(
                    container.getArgs().stream()
                        .map(text -> text.startsWith("--auth-token-audiences=") ? audiences : text)
                        .toList()));
    client.resource(changed).update();
    awaitControllerCaughtUp();
    String uid = podUid();
    client.pods().inNamespace(namespace).withName(POD).delete();
    eventually(() -> assertThat(podUid()).isNotEqualTo(uid));
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
  }

  /** The tokens that the node's sidecar was sent. */
  private Set<String> tokens() {
    return requests().stream()
        .map(SidecarRequest::authorization)
        .filter(authorization -> !authorization.isEmpty())
        .map(authorization -> authorization.replaceFirst("^Bearer ", ""))
        .collect(Collectors.toSet());
  }

  private List<SidecarRequest> requests() {
    return sidecar.requests(namespace, NODE);
  }

  private void changeConfiguration(String value) {
    patch("{'spec':{'overrides':{'mempool.size':'%s'}}}".formatted(value));
  }

  private void awaitNotAsked(String why) {
    eventually(
        () -> {
          assertThat(currentTask().reason()).isEqualTo(StallReason.SIDECAR_NOT_ASKED.toString());
          assertThat(currentTask().message()).contains(why);
        });
  }

  private PlannedTask currentTask() {
    return plan().currentTask().orElseThrow();
  }

  private static boolean isWatchOfPods(Request request) {
    return request.isWatch() && request.path().endsWith("/pods");
  }
}
