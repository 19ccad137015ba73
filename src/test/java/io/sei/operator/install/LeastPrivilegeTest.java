package io.sei.operator.install;

import static io.sei.operator.testkit.Patience.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleRef;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotBuilder;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.fleet.GoNetworking;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.SnapshotRenderer;
import io.sei.operator.testkit.AuditLog;
import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.FaultStage;
import io.sei.operator.testkit.Faults;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.SnapshotController;
import io.sei.operator.testkit.SnapshotController.Driver;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.SnapshotCrds;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The operator's process as {@code manifests/install.yaml} would run it: its rights suffice. */
class LeastPrivilegeTest {

  private static final String NAMESPACE = "default";
  private static final Path SAMPLES = Path.of("manifests", "samples");
  private static final String NODE = "atlantic";

  /** Rights that this test gives no occasion to use. */
  private static final Set<String> FOR_OTHER_OCCASIONS =
      Set.of(
          // An event that repeats within ten minutes; the next two are for an admission plugin.
          "events patch",
          "seinodes/finalizers update",
          "seinodedeployments/finalizers update",
          // A node that has lost its owner while the fleet is there.
          "seinodedeployments get",
          // The Lease of another operator of all namespaces.
          "subjectaccessreviews create",
          // A VolumeSnapshot with bad data, and a fleet that has seen more templates than are kept.
          "volumesnapshots patch",
          "controllerrevisions delete",
          // A task that has outlived its end.
          "seinodetasks delete",
          // A simulated kubelet has no logs, and gives the whole of them as termination message.
          "pods/log get",
          // Caches answer instead, unless they are behind.
          "seinodes get",
          "services get",
          "configmaps get",
          "persistentvolumeclaims get",
          "pods get");

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private SidecarSimulator sidecar;
  private KubeletSimulator kubelet;

  @BeforeEach
  void install() {
    controlPlane = ControlPlane.start(ControlPlane.Options.defaults().withAuditLog());
    client = KubernetesClients.create(controlPlane.config(ControlPlane.ADMIN));
    for (HasMetadata object : InstallManifest.objects()) {
      client.resource(object).createOr(NonDeletingOperation::update);
    }
    CrdFile.installAll(client);
    sidecar = new SidecarSimulator();
    kubelet = new KubeletSimulator(client, sidecar);
  }

  @AfterEach
  void remove() {
    kubelet.close();
    sidecar.close();
    client.close();
    controlPlane.close();
  }

  @Tag("long")
  @Test
  void rightsAreEnoughAndNoneIsTooMuch() throws Exception {
    try (var operator =
        InstalledOperator.start(
            controlPlane, client, sidecar, Path.of("target", "least-privilege.log"))) {
      liveAsNode();
      liveAsBootstrapped();
      liveAsRestored();
      liveAsValidator();
      liveAsFleet();
    }

    AuditLog log = AuditLog.of(controlPlane.auditLog(), InstalledOperator.USER);
    assertThat(log.requests()).isNotEmpty().noneMatch(AuditLog.Request::isForbidden);
    Set<String> unused = granted();
    unused.removeAll(used(log));
    unused.removeAll(FOR_OTHER_OCCASIONS);
    assertThat(unused).as("rights nobody used").isEmpty();
  }

  /** {@link AdmissionPoliciesTest} has what else they refuse, to a user with every right. */
  @Tag("long")
  @Test
  void rightsAreNotEnoughForAPrivilegedPod() {
    Config thief =
        new ConfigBuilder(controlPlane.config(ControlPlane.OPERATOR))
            .withOauthToken(InstalledOperator.token(client, InstalledOperator.NAME))
            .build();
    Job harmless =
        new JobBuilder()
            .withNewMetadata()
            .withName("harmless")
            .addToLabels("sei.io/node", NODE)
            .addNewOwnerReference()
            .withApiVersion("sei.io/v1alpha1")
            .withKind("SeiNode")
            .withName(NODE)
            .withUid("made-up")
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .withNewSpec()
            .withNewTemplate()
            .withNewSpec()
            .withRestartPolicy("Never")
            .addNewContainer()
            .withName("a")
            .withImage("a")
            .endContainer()
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();
    Job privileged =
        new JobBuilder(harmless)
            .editSpec()
            .editTemplate()
            .editSpec()
            .editFirstContainer()
            .withNewSecurityContext()
            .withPrivileged(true)
            .endSecurityContext()
            .endContainer()
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();
    try (KubernetesClient token = KubernetesClients.create(thief)) {
      token.resource(harmless).inNamespace(NAMESPACE).dryRun().create();
      assertRefused(() -> token.resource(privileged).inNamespace(NAMESPACE).dryRun().create());
      assertRefused(() -> token.resource(harmless).inNamespace("kube-system").dryRun().create());
    }
  }

  private static void assertRefused(ThrowingCallable request) {
    eventually(
        () -> assertThatThrownBy(request).hasMessageContaining("-of-sei-operator' with binding"));
  }

  private static Set<String> used(AuditLog log) {
    Set<String> used = new TreeSet<>();
    for (AuditLog.Request request : log.requests()) {
      used.add(request.resource() + " " + request.verb());
      // An apply that creates is checked for both and logged as one.
      if (request.verb().equals("patch") && request.code() == HttpURLConnection.HTTP_CREATED) {
        used.add(request.resource() + " create");
      }
    }
    return used;
  }

  /** One, for which an older one is deleted. */
  private void takeSnapshot() {
    SnapshotCrds.install(client);
    var snapshots = client.resources(VolumeSnapshot.class).inNamespace(NAMESPACE);
    var older = new VolumeSnapshotBuilder().withNewMetadata().withName("older");
    snapshots
        .resource(
            older
                .withLabels(SnapshotRenderer.labels(fleet()))
                .endMetadata()
                .withNewSpec()
                .withNewSource("any", null)
                .endSpec()
                .build())
        .create();
    patch(
        fleet(),
        ("{'spec':{'dataVolume':{'snapshots':{'schedule':'0 0 1 1 *','keep':1,"
                + "'volumeSnapshotClassName':'%s'}}}}")
            .formatted(SnapshotController.CLASS));
    eventually(() -> assertThat(fleet().getStatus().snapshots()).isNotNull());
    try (var driver = new SnapshotController(client, NAMESPACE, Driver.TAKES)) {
      SnapshotController.makeDue(client, fleet());
      eventually(() -> assertThat(fleet().getStatus().snapshots().latest()).isNotNull());
      eventually(() -> assertThat(snapshots.withName("older").get()).isNull());
    }
    eventually(() -> assertUpToDate(fleet().getStatus().conditions(), fleet()));
  }

  /** All that happens to a node. */
  private void liveAsNode() throws IOException {
    createSample("seinode.yaml");
    awaitUpToDate();
    patch("{'spec':{'progressDeadlineSeconds':8,'updatePolicy':{'pod':'InPlaceIfPossible'}}}");
    patch("{'spec':{'image':'sei:other'}}");
    awaitUpToDate();
    // A resize in place can change the requests and limits that a pod has, and remove none.
    patch(
        "{'spec':{'sidecar':{'resources':{'requests':{'cpu':'1','memory':'128Mi'},"
            + "'limits':{'memory':'2Gi'}}}}}");
    awaitUpToDate();
    sufferFrom("quota-exceeded");
    sufferFrom("node-lost");
    recreateStatefulSet();
    awaitUpToDate();
    patch("{'spec':{'paused':true,'dataVolume':{'onDelete':'Retain'}}}");
    eventually(() -> assertThat(client.pods().inNamespace(NAMESPACE).list().getItems()).isEmpty());
    patch("{'spec':{'paused':false}}");
    awaitUpToDate();
    patch("{'spec':{'maintenance':{'hold':'Immediate'}}}");
    eventually(() -> assertThat(condition(node(), NodeConditionType.HELD).isTrue()).isTrue());
    patch("{'spec':{'maintenance':null}}");
    awaitUpToDate();
    client.resource(node()).delete();
    eventually(() -> assertThat(node()).isNull());
  }

  /** Breaks an object: some rights are used to explain a fault and at no other time. */
  private void sufferFrom(String name) {
    var stage = new FaultStage(client, kubelet, sidecar, NAMESPACE, NODE);
    Fault fault = Faults.named(name).orElseThrow();
    fault.begin().accept(stage);
    eventually(
        () -> {
          Condition stalled = condition(node(), NodeConditionType.STALLED);
          assertThat(stalled.reason()).isEqualTo(fault.reason().toString());
        });
    fault.end().accept(stage);
    awaitUpToDate();
  }

  /** A node whose volume a Job has first. */
  private void liveAsBootstrapped() throws IOException {
    createSample("full-node-bootstrap.yaml");
    var node =
        client.resources(SeiNode.class).inNamespace(NAMESPACE).withName("atlantic-bootstrapped");
    eventually(() -> assertUpToDate(node.get().getStatus().conditions(), node.get()));
    node.delete();
    eventually(() -> assertThat(node.get()).isNull());
  }

  /** A node that looks for a VolumeSnapshot, in a cluster that does not have the kind. */
  private void liveAsRestored() throws IOException {
    createSample("full-node-volume-snapshot.yaml");
    var node = client.resources(SeiNode.class).inNamespace(NAMESPACE).withName("atlantic-restored");
    eventually(
        () ->
            assertThat(condition(node.get(), NodeConditionType.DATA_VOLUME_RESTORED).message())
                .startsWith("the VolumeSnapshot CRDs are not installed"));
    node.delete();
    eventually(() -> assertThat(node.get()).isNull());
  }

  /** A node whose keys are looked at before it starts. */
  private void liveAsValidator() throws IOException {
    SeiNode sample =
        client
            .resources(SeiNode.class)
            .load(SAMPLES.resolve("validator-with-keys.yaml").toFile())
            .item();
    Samples.keysOf(sample.getSpec().validator())
        .forEach(secret -> client.resource(secret).inNamespace(NAMESPACE).create());
    var validator = client.resource(sample).inNamespace(NAMESPACE);
    validator.create();
    eventually(() -> assertUpToDate(validator.get().getStatus().conditions(), validator.get()));
    createSample("validator-vote.yaml");
    var vote = client.resources(SeiNodeTask.class).inNamespace(NAMESPACE).withName("vote-on-5");
    eventually(() -> assertThat(vote.get().getStatus().finished()).isTrue());
    validator.delete();
    eventually(() -> assertThat(validator.get()).isNull());
  }

  /** All that happens to a fleet. */
  private void liveAsFleet() throws IOException {
    createSample("seinodedeployment.yaml");
    eventually(() -> assertUpToDate(fleet().getStatus().conditions(), fleet()));
    // A node that has no chain to catch up with counts only after 30 seconds.
    patch(fleet(), "{'spec':{'updateStrategy':{'inPlace':{'minReadySeconds':0}}}}");
    patch(fleet(), "{'spec':{'template':{'spec':{'image':'sei:other'}}}}");
    eventually(() -> assertUpToDate(fleet().getStatus().conditions(), fleet()));
    takeSnapshot();
    GoNetworking.installRoutes(client);
    var left = new GoNetworking(client, NAMESPACE);
    left.leaveBehind(fleet());
    patch(fleet(), "{'spec':{'replicas':1,'deletionPolicy':'Retain'}}");
    eventually(() -> assertThat(client.resources(SeiNode.class).list().getItems()).hasSize(1));
    eventually(() -> assertUpToDate(fleet().getStatus().conditions(), fleet()));
    eventually(() -> assertThat(left.names()).doesNotContain("Service atlantic-fleet-1-p2p"));
    client.resource(fleet()).delete();
    eventually(() -> assertThat(fleet()).isNull());
    assertThat(client.resources(SeiNode.class).list().getItems()).hasSize(1);
    assertThat(left.objects())
        .hasSize(5)
        .allMatch(object -> object.getMetadata().getOwnerReferences().isEmpty());
  }

  private void createSample(String name) throws IOException {
    try (InputStream sample = Files.newInputStream(SAMPLES.resolve(name))) {
      client.load(sample).inNamespace(NAMESPACE).create();
    }
  }

  /** A StatefulSet that is not the recorded one is deleted, and made again. */
  private void recreateStatefulSet() {
    String uid = statefulSetUid();
    client
        .resource(node())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE), json("{'status':{'statefulSet':{'uid':'x'}}}"));
    patch("{'metadata':{'annotations':{'sei.io/retry':'1'}}}");
    eventually(() -> assertThat(statefulSetUid()).isNotEqualTo(uid));
  }

  private void awaitUpToDate() {
    eventually(() -> assertUpToDate(node().getStatus().conditions(), node()));
  }

  private static void assertUpToDate(List<Condition> conditions, HasMetadata of) {
    assertThat(List.of(NodeConditionType.READY, NodeConditionType.UP_TO_DATE))
        .allSatisfy(
            type -> {
              Condition condition = Conditions.find(conditions, type).orElseThrow();
              assertThat(condition.isTrue()).isTrue();
              assertThat(condition.observedGeneration())
                  .isEqualTo(of.getMetadata().getGeneration());
            });
  }

  private static Condition condition(SeiNode node, NodeConditionType type) {
    return Conditions.find(node.getStatus().conditions(), type).orElseThrow();
  }

  private SeiNodeDeployment fleet() {
    return client
        .resources(SeiNodeDeployment.class)
        .inNamespace(NAMESPACE)
        .withName("atlantic-fleet")
        .get();
  }

  private SeiNode node() {
    return client.resources(SeiNode.class).inNamespace(NAMESPACE).withName(NODE).get();
  }

  private String statefulSetUid() {
    return client
        .apps()
        .statefulSets()
        .inNamespace(NAMESPACE)
        .withName(NODE)
        .get()
        .getMetadata()
        .getUid();
  }

  private void patch(String patch) {
    patch(node(), patch);
  }

  private void patch(HasMetadata object, String patch) {
    client.resource(object).patch(PatchContext.of(PatchType.JSON_MERGE), json(patch));
  }

  private static String json(String quoted) {
    return quoted.replace('\'', '"');
  }

  /** The rights of the roles that are bound to the operator's ServiceAccount. */
  private Set<String> granted() {
    List<HasMetadata> objects = InstallManifest.objects();
    Set<String> bound =
        objects.stream().map(LeastPrivilegeTest::boundRole).collect(Collectors.toSet());
    Set<String> rights = new TreeSet<>();
    for (HasMetadata object : objects) {
      if (bound.contains(object.getKind() + " " + object.getMetadata().getName())) {
        rules(object)
            .forEach(
                rule ->
                    rule.getResources()
                        .forEach(
                            resource ->
                                rule.getVerbs()
                                    .forEach(verb -> rights.add(resource + " " + verb))));
      }
    }
    return rights;
  }

  private static String boundRole(HasMetadata object) {
    if (object instanceof ClusterRoleBinding binding) {
      return boundRole(binding.getRoleRef(), binding.getSubjects());
    }
    return object instanceof RoleBinding binding
        ? boundRole(binding.getRoleRef(), binding.getSubjects())
        : "";
  }

  private static String boundRole(RoleRef role, List<Subject> subjects) {
    boolean ours =
        subjects.stream()
            .anyMatch(
                subject ->
                    subject.getKind().equals("ServiceAccount")
                        && subject.getName().equals(InstalledOperator.NAME));
    return ours ? role.getKind() + " " + role.getName() : "";
  }

  private static Stream<PolicyRule> rules(HasMetadata object) {
    return object instanceof ClusterRole role
        ? role.getRules().stream()
        : ((Role) object).getRules().stream();
  }
}
