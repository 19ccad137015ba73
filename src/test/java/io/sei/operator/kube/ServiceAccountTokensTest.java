package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.testkit.AccessReviews;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.WrongClock;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Requests tokens of ServiceAccounts against a real API server. */
@RealControlPlane
@Execution(ExecutionMode.CONCURRENT)
class ServiceAccountTokensTest {

  private static final String ACCOUNT = "sidecar-client";
  private static final Optional<String> NODE = Optional.of("sei.io/sidecar/a/node");
  private static final Optional<String> OTHER = Optional.of("sei.io/sidecar/a/other");

  private final RequestLog requests = new RequestLog();
  private final WrongClock clock = new WrongClock();
  private KubernetesClient admin;
  private KubernetesClient client;
  private String namespace;
  private ServiceAccountTokens tokens;

  @BeforeEach
  void prepare(ControlPlane controlPlane, TestNamespace testNamespace) {
    admin = controlPlane.client();
    namespace = testNamespace.name();
    createAccount();
    use(controlPlane.config(ControlPlane.ADMIN));
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void tokenIsReusedUntilItIsValidForLessThanTwoMinutes() {
    String first = tokens.token(namespace, ACCOUNT, NODE);
    clock.jumpTo(Duration.ofMinutes(7));
    assertThat(tokens.token(namespace, ACCOUNT, NODE)).isEqualTo(first);
    assertThat(requests.all()).hasSize(1);

    clock.jumpTo(Duration.ofMinutes(8));
    tokens.token(namespace, ACCOUNT, NODE);

    assertThat(requests.all()).hasSize(2);
  }

  @Test
  void tokenIsForOneAccountAndOneAudience() {
    String one = tokens.token(namespace, ACCOUNT, NODE);
    String other = tokens.token(namespace, ACCOUNT, OTHER);
    String api = tokens.token(namespace, ACCOUNT, Optional.empty());

    assertThat(requests.all()).hasSize(3);
    assertThat(review(one, NODE.get()).getAudiences()).containsExactly(NODE.get());
    assertThat(review(one, NODE.get()).getUser().getUsername())
        .isEqualTo("system:serviceaccount:" + namespace + ":" + ACCOUNT);
    assertThat(review(one, OTHER.get()).getAuthenticated()).isNotEqualTo(true);
    assertThat(review(other, NODE.get()).getAuthenticated()).isNotEqualTo(true);
    assertThat(review(one).getAuthenticated()).isNotEqualTo(true);
    assertThat(review(api).getAuthenticated()).isTrue();
  }

  @Test
  void callersAtTheSameTimeShareOneRequest() throws Exception {
    Callable<String> call = () -> tokens.token(namespace, ACCOUNT, NODE);
    Set<String> returned = new HashSet<>();
    try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<String> token : callers.invokeAll(List.of(call, call, call, call, call))) {
        returned.add(token.get());
      }
    }

    assertThat(returned).hasSize(1);
    assertThat(requests.all()).hasSize(1);
  }

  @Test
  void rejectedTokenIsRequestedAgainOnceItIsAMinuteOld() {
    String token = tokens.token(namespace, ACCOUNT, NODE);
    tokens.rejected(token);
    assertThat(tokens.token(namespace, ACCOUNT, NODE)).isEqualTo(token);
    clock.jumpTo(Duration.ofMinutes(1));
    tokens.rejected("another");
    assertThat(tokens.token(namespace, ACCOUNT, NODE)).isEqualTo(token);

    tokens.rejected(token);
    tokens.token(namespace, ACCOUNT, NODE);

    assertThat(requests.all()).hasSize(2);
  }

  @Test
  void refusalIsRememberedForTenSecondsForAllNodes(ControlPlane controlPlane) {
    String user = namespace + "-without-rights";
    client.close();
    use(
        new ConfigBuilder(controlPlane.config(ControlPlane.ADMIN))
            .withImpersonateUsername(user)
            .build());

    assertRefused(NODE, 403);
    assertRefused(OTHER, 403);
    assertThat(requests.all()).hasSize(1);

    grantOnly(user, ACCOUNT);
    clock.jumpTo(Duration.ofSeconds(10));
    tokens.token(namespace, ACCOUNT, NODE);
    assertThatThrownBy(() -> tokens.token(namespace, "default", NODE))
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(403));
  }

  @Test
  void accountThatIsMissingIsFoundOnceItExists() {
    admin.serviceAccounts().inNamespace(namespace).withName(ACCOUNT).delete();
    assertRefused(NODE, 404);
    createAccount();

    assertRefused(NODE, 404);
    clock.jumpTo(Duration.ofSeconds(10));

    assertThat(review(tokens.token(namespace, ACCOUNT, NODE), NODE.get()).getAuthenticated())
        .isTrue();
  }

  /** Why tokens end by their age alone, and not with the operator's pod. */
  @Test
  void tokenCannotBeBoundToAPodOfAnotherServiceAccount() {
    var pod =
        admin
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withName("operator")
                    .withNamespace(namespace)
                    .endMetadata()
                    .withNewSpec()
                    .withServiceAccountName("default")
                    .addNewContainer()
                    .withName("any")
                    .withImage("any")
                    .endContainer()
                    .endSpec()
                    .build())
            .create();
    var bound =
        new TokenRequestBuilder()
            .withNewSpec()
            .withAudiences(NODE.get())
            .withExpirationSeconds(600L)
            .withNewBoundObjectRef("v1", "Pod", "operator", pod.getMetadata().getUid())
            .endSpec()
            .build();

    assertThatThrownBy(
            () ->
                admin
                    .serviceAccounts()
                    .inNamespace(namespace)
                    .withName(ACCOUNT)
                    .tokenRequest(bound))
        .hasMessageContaining("pod running with different serviceaccount name");
  }

  private void use(Config user) {
    client =
        KubernetesClients.builder(user)
            .withHttpClientBuilderConsumer(
                http -> http.addOrReplaceInterceptor("requests", requests))
            .build();
    tokens = new ServiceAccountTokens(client, clock);
  }

  private void assertRefused(Optional<String> audience, int code) {
    assertThatThrownBy(() -> tokens.token(namespace, ACCOUNT, audience))
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(e.getCode()).isEqualTo(code));
  }

  private TokenReviewStatus review(String token, String... audiences) {
    return admin
        .tokenReviews()
        .create(
            new TokenReviewBuilder()
                .withNewSpec()
                .withToken(token)
                .withAudiences(audiences)
                .endSpec()
                .build())
        .getStatus();
  }

  private void createAccount() {
    admin
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .build())
        .create();
  }

  private void grantOnly(String user, String account) {
    admin
        .resource(
            new RoleBuilder()
                .withNewMetadata()
                .withName("tokens")
                .withNamespace(namespace)
                .endMetadata()
                .addNewRule()
                .withApiGroups("")
                .withResources("serviceaccounts/token")
                .withResourceNames(account)
                .withVerbs("create")
                .endRule()
                .build())
        .create();
    admin
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName("tokens")
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "Role", "tokens")
                .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                .build())
        .create();
    AccessReviews.awaitRight(admin, user, namespace, "create", "serviceaccounts/token", account);
  }
}
