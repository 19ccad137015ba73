package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.node.GoOperator;
import io.sei.operator.testkit.KubeRbacProxy;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorTestCase;
import io.sei.operator.testkit.SidecarRequest;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tenant with the ClusterRole {@code edit} in one namespace collects the tokens that its pods are
 * sent, and uses each against the API server and against the real proxy of a neighbour. The
 * operator has the rights of the chart; the namespace of the tenant is being taken over.
 */
class StolenTokensTest extends OperatorTestCase {

  private static final String OURS = "ours";
  private static final String ADOPTED = "adopted";
  private static final String FORGED = "forged";
  private static final String VICTIM = "val";
  private static final String FLAG = "--auth-token-audiences=";

  @TempDir Path directory;

  private String neighbour;
  private String installation;
  private KubernetesClient tenant;
  private KubeletSimulator neighboursKubelet;
  private final List<KubeRbacProxy> proxies = new ArrayList<>();

  @Override
  protected void startOperator() throws IOException {
    neighbour = namespace + "-b";
    installation = namespace + "-op";
    for (String name : List.of(neighbour, installation)) {
      client
          .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
          .create();
    }
    neighboursKubelet = KubeletSimulator.inNamespace(client, sidecar, neighbour);
    install();
    tenant = tenant();
    sidecar.reviewTokens(client);
    operatorAs(installed())
        .with("SEI_WATCH_NAMESPACES", namespace + "," + neighbour)
        .with("SEI_TAKEOVER_NAMESPACES", namespace)
        .with("SEI_SIDECAR_SERVICE_ACCOUNT", installation + "/sei-sidecar-client");
  }

  @AfterEach
  void close() {
    proxies.forEach(KubeRbacProxy::close);
    neighboursKubelet.close();
    tenant.close();
  }

  @Test
  void tokensThatATenantCanGetOpenNothingOfOthers() {
    createOfTheGoOperator(ADOPTED);
    createOfTheGoOperator(FORGED);
    replacePodByTemplate(FORGED, args -> with(args, FLAG + audienceOfVictim()));
    operator.start();
    tenant.resource(Samples.node(namespace, OURS, spec(A))).create();
    client.resource(Samples.node(neighbour, VICTIM, spec(A))).create();
    awaitReady(namespace, OURS);
    awaitReady(neighbour, VICTIM);
    call(ADOPTED);
    call(FORGED);
    KubeRbacProxy own = proxyOf(namespace, OURS);
    KubeRbacProxy victims = proxyOf(neighbour, VICTIM);
    KubeRbacProxy theirs = proxyOf(namespace, ADOPTED);

    assertThat(tokens(OURS)).hasSize(1).allMatch(token -> passes(own, token));
    assertThat(tokens(ADOPTED)).hasSize(1).allMatch(token -> passes(theirs, token));
    assertThat(tokens(FORGED)).isEmpty();

    relabel(OURS);
    replacePodByTemplate(OURS, args -> without(args));
    for (String flag :
        List.of(
            "--v=0", FLAG, FLAG + "https://kubernetes.default.svc", FLAG + audienceOfVictim())) {
      replacePodByOwn(OURS, flag);
      replacePodByOwn(ADOPTED, flag);
    }
    forgeStatus(ADOPTED);

    Set<String> stolen = new LinkedHashSet<>();
    List.of(OURS, ADOPTED, FORGED).forEach(node -> stolen.addAll(tokens(node)));
    assertThat(stolen).hasSizeGreaterThanOrEqualTo(2);
    for (String token : stolen) {
      // A review of oneself stores nothing, and the API server asks no policy about it.
      assertThat(opened(token))
          .isSubsetOf("GET /api", "GET /apis", "who am I", "get own SeiNodeTask");
      assertThat(victims.answer("POST", "/v0/tasks", token)).isIn(401, 403);
      assertThat(victims.answer("GET", "/v0/tasks", token)).isIn(401, 403);
    }
    assertThat(victims.passed()).isEmpty();
    assertThat(tokens(ADOPTED)).noneMatch(token -> passes(own, token));
    assertThat(tokens(ADOPTED)).anyMatch(text -> opened(text).contains("get own SeiNodeTask"));
  }

  // What the installation gives whom.

  /** The chart's accounts, rights and policies; nothing runs its Deployment. */
  private void install() throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            """
            fullnameOverride: sei
            watchNamespaces: [%1$s, %2$s]
            takeover: {enabled: true, namespaces: [%1$s]}
            """
                .formatted(namespace, neighbour));
    String rendered =
        HelmChart.template()
            .withName("sei")
            .withNamespace(installation)
            .set("crds.create", false)
            .withValuesFile(values)
            .call();
    for (var document : Manifest.parse(rendered).documents()) {
      HasMetadata object = Serialization.unmarshal(document.text());
      if (!"Deployment".equals(object.getKind())) {
        client.resource(object).create();
      }
    }
  }

  /** The operator's ServiceAccount. */
  private Config installed() {
    String token =
        client
            .serviceAccounts()
            .inNamespace(installation)
            .withName("sei")
            .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build())
            .getStatus()
            .getToken();
    return withToken(token);
  }

  private KubernetesClient tenant() {
    String user = namespace + "-tenant";
    client
        .resource(
            new RoleBindingBuilder()
                .withNewMetadata()
                .withName("tenant")
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "edit")
                .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                .build())
        .create();
    KubernetesClient asTenant =
        KubernetesClients.create(
            new ConfigBuilder(controlPlane.config(ControlPlane.ADMIN))
                .withImpersonateUsername(user)
                .build());
    // The controller manager aggregates the chart's rights to SeiNodes into edit.
    eventually(() -> asTenant.resources(SeiNode.class).inNamespace(namespace).list());
    return asTenant;
  }

  // What the tenant does.

  private void createOfTheGoOperator(String node) {
    var goOperator = new GoOperator(client, namespace, node);
    goOperator.create(spec(A));
    eventually(() -> assertThat(isRunning(node)).isTrue());
    goOperator.writeStatus("{'phase':'Running','currentImage':'%s'}".formatted(A));
  }

  private void relabel(String node) {
    Pod pod = pod(node);
    String changes =
        "{'metadata':{'annotations':{'sei.io/sidecar-audience':'https://kubernetes.default.svc',"
            + "'sei.io/spec-hash':null},'labels':{'sei.io/chain':'other','sei.io/role':null}}}";
    tenantPatches(pod, changes);
    tenantPatches(
        read(SeiNode.class, node),
        "{'metadata':{'annotations':{'sei.io/sidecar-audience':''},'labels':{'any':'x'}}}");
    tenantPatches(
        read(ConfigMap.class, node + "-rbac-proxy-config"),
        "{'data':{'config.yaml':'authorization: {}'}}");
    call(node);
  }

  /** Has the StatefulSet make a pod with other arguments of the proxy, before that is put right. */
  private void replacePodByTemplate(String node, UnaryOperator<List<String>> arguments) {
    StatefulSet changed = read(StatefulSet.class, node);
    changed.getMetadata().setManagedFields(null);
    changed.getMetadata().setResourceVersion(null);
    changed.getSpec().getTemplate().getSpec().getInitContainers().stream()
        .filter(container -> "kube-rbac-proxy".equals(container.getName()))
        .forEach(proxy -> proxy.setArgs(arguments.apply(proxy.getArgs())));
    long generation = tenant.resource(changed).update().getMetadata().getGeneration();
    eventually(
        () ->
            assertThat(read(StatefulSet.class, node).getStatus().getObservedGeneration())
                .isGreaterThanOrEqualTo(generation));
    String uid = pod(node).getMetadata().getUid();
    tenant.pods().inNamespace(namespace).withName(node + "-0").withGracePeriod(0).delete();
    eventually(
        () -> {
          assertThat(pod(node).getMetadata().getUid()).isNotEqualTo(uid);
          assertThat(isRunning(node)).isTrue();
        });
    if (operator.isRunning()) {
      call(node);
    }
  }

  /** Makes a pod in the name of the StatefulSet that has any arguments, or program, for a proxy. */
  private void replacePodByOwn(String node, String argument) {
    Pod before = pod(node);
    PodSpec spec = before.getSpec();
    spec.setNodeName(null);
    spec.getInitContainers().stream()
        .filter(container -> "kube-rbac-proxy".equals(container.getName()))
        .forEach(proxy -> proxy.setArgs(List.of(argument)));
    Pod own =
        new PodBuilder()
            .withNewMetadata()
            .withName(node + "-0")
            .withNamespace(namespace)
            .withLabels(before.getMetadata().getLabels())
            .withAnnotations(before.getMetadata().getAnnotations())
            .withOwnerReferences(
                new OwnerReferenceBuilder()
                    .withApiVersion("apps/v1")
                    .withKind("StatefulSet")
                    .withName(node)
                    .withUid(read(StatefulSet.class, node).getMetadata().getUid())
                    .withController(true)
                    .build())
            .endMetadata()
            .withSpec(spec)
            .build();
    eventually(
        () -> {
          tenant.pods().inNamespace(namespace).withName(node + "-0").withGracePeriod(0).delete();
          tenant.resource(own).create();
        });
    eventually(() -> assertThat(isRunning(node)).isTrue());
    call(node);
  }

  private void forgeStatus(String node) {
    assertThatThrownBy(
            () ->
                tenant
                    .resource(read(SeiNode.class, node))
                    .subresource("status")
                    .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"status\":{\"podBaseline\":{\"podUid\":\"%s\"}}}"
                            .formatted(pod(node).getMetadata().getUid())))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("seinodes/status");
  }

  /** Makes the operator want to call a sidecar, and waits until it has done so or may not. */
  private void call(String node) {
    sidecar.restart(namespace, node);
    eventually(() -> assertThat(sidecar.isReady(namespace, node) || isNotAsked(node)).isTrue());
  }

  private boolean isNotAsked(String node) {
    return Optional.ofNullable(read(SeiNode.class, node).getStatus().plan())
        .flatMap(TaskPlan::currentTask)
        .filter(task -> StallReason.SIDECAR_NOT_ASKED.is(task.reason()))
        .isPresent();
  }

  // What becomes of it.

  /** The tokens that a node of the tenant was sent. */
  private Set<String> tokens(String node) {
    Set<String> tokens = new TreeSet<>();
    for (SidecarRequest request : sidecar.requests(namespace, node)) {
      if (!request.authorization().isEmpty()) {
        tokens.add(request.authorization().replaceFirst("^Bearer ", ""));
      }
    }
    return tokens;
  }

  /** Which requests to the API server a token is good for. */
  private List<String> opened(String token) {
    String theirs = "/apis/sei.io/v1alpha1/namespaces/" + neighbour;
    String own = "/apis/sei.io/v1alpha1/namespaces/" + namespace;
    var map = new ConfigMapBuilder().withNewMetadata().withName("stolen").endMetadata().build();
    client.resource(task("any")).createOr(NonDeletingOperation::update);
    Map<String, Consumer<KubernetesClient>> attempts = new LinkedHashMap<>();
    attempts.put("GET /api", api -> api.raw("/api"));
    attempts.put("GET /apis", api -> api.raw("/apis"));
    attempts.put("get own SeiNodeTask", api -> api.raw(own + "/seinodetasks/any"));
    attempts.put("list own SeiNodeTasks", api -> api.raw(own + "/seinodetasks"));
    attempts.put("create SeiNodeTask", api -> api.resource(task("stolen")).create());
    attempts.put("delete SeiNodeTask", api -> api.resource(task("any")).delete());
    attempts.put("list own SeiNodes", api -> api.raw(own + "/seinodes"));
    attempts.put("get own SeiNode", api -> api.raw(own + "/seinodes/" + OURS));
    attempts.put(
        "command a sidecar", api -> api.raw(own + "/seinodes/" + OURS + "/sidecar", "POST", map));
    attempts.put("get their SeiNodeTask", api -> api.raw(theirs + "/seinodetasks/any"));
    attempts.put("list their SeiNodes", api -> api.raw(theirs + "/seinodes"));
    attempts.put("get their Secret", api -> api.raw(secretOf(neighbour)));
    attempts.put("list their Secrets", api -> api.secrets().inNamespace(neighbour).list());
    attempts.put("list own Secrets", api -> api.secrets().inNamespace(namespace).list());
    attempts.put("list pods", api -> api.pods().inAnyNamespace().list());
    attempts.put(
        "create ConfigMap", api -> api.configMaps().inNamespace(namespace).resource(map).create());
    attempts.put(
        "token of the operator",
        api ->
            api.serviceAccounts()
                .inNamespace(installation)
                .withName("sei")
                .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build()));
    attempts.put(
        "who am I",
        api ->
            api.raw(
                "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                "POST",
                Map.of("apiVersion", "authentication.k8s.io/v1", "kind", "SelfSubjectReview")));
    List<String> opened = new ArrayList<>();
    try (var thief = KubernetesClients.create(withToken(token))) {
      attempts.forEach(
          (name, attempt) -> {
            try {
              attempt.accept(thief);
              opened.add(name);
            } catch (KubernetesClientException e) {
              // The API server serves no subresource sidecar; only proxies check the right to it.
              assertThat(e.getCode()).as(name).isIn(401, 403, 404);
            }
          });
    }
    return opened;
  }

  private static String secretOf(String namespace) {
    return "/api/v1/namespaces/%s/secrets/any".formatted(namespace);
  }

  private SeiNodeTask task(String name) {
    return client
        .getKubernetesSerialization()
        .unmarshal(
            """
            apiVersion: sei.io/v1alpha1
            kind: SeiNodeTask
            metadata: {name: %s, namespace: %s}
            spec: {kind: RestartSeid, restartSeid: {}, target: {nodeRef: {name: none}}}
            """
                .formatted(name, namespace),
            SeiNodeTask.class);
  }

  private Config withToken(String token) {
    return new ConfigBuilder(controlPlane.config(ControlPlane.ADMIN))
        .withOauthToken(token)
        .withAutoOAuthToken(token)
        .build();
  }

  private boolean passes(KubeRbacProxy proxy, String token) {
    return proxy.answer("GET", "/v0/tasks", token) == 200;
  }

  private KubeRbacProxy proxyOf(String in, String node) {
    var proxy =
        new KubeRbacProxy(
            controlPlane,
            in + "-" + node,
            readIn(in, Pod.class, node + "-0").getSpec(),
            readIn(in, ConfigMap.class, node + "-rbac-proxy-config"));
    proxies.add(proxy);
    return proxy;
  }

  private void awaitReady(String in, String node) {
    eventually(
        () ->
            assertThat(
                    Conditions.find(
                            readIn(in, SeiNode.class, node).getStatus().conditions(),
                            NodeConditionType.UP_TO_DATE)
                        .orElseThrow()
                        .isTrue())
                .isTrue());
  }

  private String audienceOfVictim() {
    return "sei.io/sidecar/%s/%s".formatted(neighbour, VICTIM);
  }

  private Pod pod(String node) {
    return read(Pod.class, node + "-0");
  }

  private boolean isRunning(String node) {
    return Optional.ofNullable(pod(node).getStatus())
        .filter(status -> "Running".equals(status.getPhase()))
        .isPresent();
  }

  private void tenantPatches(HasMetadata object, String patch) {
    tenant.resource(object).patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"'));
  }

  private static List<String> without(List<String> arguments) {
    return arguments.stream().filter(argument -> !argument.startsWith(FLAG)).toList();
  }

  private static List<String> with(List<String> arguments, String flag) {
    List<String> changed = new ArrayList<>(without(arguments));
    changed.add(flag);
    return changed;
  }
}
