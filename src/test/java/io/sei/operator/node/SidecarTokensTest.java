package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.LabelPeers;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.SidecarRequest;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.PodSample;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whom the operator gives which of its tokens; the proxies have them reviewed. */
class SidecarTokensTest extends RolloutTestCase {

  private static final String ACCOUNT = "operator";
  private static final String NOT_ASKED = "SidecarNotAsked";

  @TempDir Path directory;

  private String apiToken;
  private String sidecarToken;

  @Override
  protected void startOperator() throws IOException {
    var account =
        new ServiceAccountBuilder()
            .withNewMetadata()
            .withName(ACCOUNT)
            .withNamespace(namespace)
            .endMetadata()
            .build();
    client.resource(account).create();
    apiToken = token(List.of());
    sidecarToken = token(List.of(audience()));
    Files.writeString(directory.resolve("api"), apiToken);
    Files.writeString(directory.resolve("sidecar"), sidecarToken);
    sidecar.reviewTokens(client);
    start(operatorAs(controlPlane.config(ControlPlane.OPERATOR)));
  }

  @Test
  void podOfOursGetsTheTokenOfItsAudienceOnly() {
    createRunning();
    sidecar.restart(namespace, NODE);
    eventually(() -> assertThat(markReadyRuns()).isEqualTo(2));
    awaitUpToDate(A);

    assertThat(shown()).containsExactlyInAnyOrder("", "Bearer " + sidecarToken);
    assertThat(sidecar.requests(namespace, NODE))
        .filteredOn(request -> request.path().equals("/v0/healthz"))
        .isNotEmpty()
        .extracting(SidecarRequest::authorization)
        .containsOnly("");
  }

  @Test
  void apiServerDoesNotTakeTheTokenForSidecars() {
    assertThat(isTakenByTheApiServer(apiToken)).isTrue();
    assertThat(isTakenByTheApiServer(sidecarToken)).isFalse();
  }

  @Test
  void podOfTheGoOperatorGetsTheTokenOfTheApi() {
    operator.stop();
    var goOperator = new GoOperator(client, namespace, NODE);
    goOperator.create(spec(A));
    eventually(() -> assertThat(pod().getStatus().getPhase()).isEqualTo("Running"));
    goOperator.writeStatus("{'phase':'Running','currentImage':'%s'}".formatted(A));

    operator.start();

    awaitUpToDate(A);
    assertThat(shown()).containsExactlyInAnyOrder("", "Bearer " + apiToken);
  }

  @Test
  void withoutATokenOfItsAudienceAPodGetsNoneAndTheStatusSaysWhatToDo() throws IOException {
    createRunning(2);
    Files.delete(directory.resolve("sidecar"));
    int before = requests().size();

    sidecar.restart(namespace, NODE);

    awaitStalled(StallReason.SIDECAR_FORBIDDEN);
    assertThat(condition(NodeConditionType.STALLED).message())
        .contains("401 Unauthorized; no token was sent", "sidecar does not exist")
        .contains(audience(), "SEI_SIDECAR_AUDIENCE_TOKEN_FILE");
    assertThat(requests().subList(before, requests().size()))
        .extracting(SidecarRequest::authorization)
        .containsOnly("");
  }

  @Test
  void nothingIsSentWhileTheWatchOfPodsIsBroken() {
    start(operatorBehindADoor());
    createRunning();
    door.inject(SidecarTokensTest::isWatchOfPods, ApiFault.error(503, "ServiceUnavailable"));
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
            PodSample.named("peer-0")
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
    harness
        .with("SEI_SIDECAR_TOKEN_FILE", directory.resolve("api").toString())
        .with("SEI_SIDECAR_AUDIENCE_TOKEN_FILE", directory.resolve("sidecar").toString())
        .start();
  }

  /** The API server's own audience, if none is named. */
  private String token(List<String> audiences) {
    return client
        .serviceAccounts()
        .inNamespace(namespace)
        .withName(ACCOUNT)
        .tokenRequest(
            new TokenRequestBuilder()
                .withNewSpec()
                .withAudiences(audiences)
                .withExpirationSeconds(3600L)
                .endSpec()
                .build())
        .getStatus()
        .getToken();
  }

  /** A review for no audience in particular is one for the API server's own. */
  private boolean isTakenByTheApiServer(String token) {
    TokenReview review =
        client
            .tokenReviews()
            .create(new TokenReviewBuilder().withNewSpec().withToken(token).endSpec().build());
    return Boolean.TRUE.equals(review.getStatus().getAuthenticated());
  }

  private String audience() {
    return "sei.io/sidecar/%s/%s".formatted(namespace, NODE);
  }

  private List<SidecarRequest> requests() {
    return sidecar.requests(namespace, NODE);
  }

  private Set<String> shown() {
    return requests().stream().map(SidecarRequest::authorization).collect(Collectors.toSet());
  }

  private void changeConfiguration(String value) {
    patch("{'spec':{'overrides':{'mempool.size':'%s'}}}".formatted(value));
  }

  private void awaitNotAsked(String why) {
    eventually(
        () -> {
          assertThat(currentTask().reason()).isEqualTo(NOT_ASKED);
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
