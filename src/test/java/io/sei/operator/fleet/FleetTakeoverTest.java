package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.Networking;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.StaticPeers;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.node.GoOperator;
import io.sei.operator.render.TemplateHash;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.MicroTime;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A fleet that the Go operator made is taken over without restarting a pod, and not while that
 * operator renews its Lease.
 */
class FleetTakeoverTest extends FleetTestCase {

  private static final String ADDRESS = "host:26656";
  private static final String LONG_AGO = "2026-06-01T00:00:00Z";
  private static final List<PeerSource> PEERS =
      List.of(
          new PeerSource(
              null,
              new StaticPeers(
                  List.of("0123456789abcdef0123456789abcdef01234567@fleet-0-0.fleet-0:26656")),
              null));

  private static final String NODE = "node";

  @BeforeEach
  void stopOurs() {
    operator.stop();
    operator.with("SEI_TAKEOVER_NAMESPACES", namespace);
  }

  @Test
  void fleetIsLeftAloneUntilTakeoverIsEnabledThenNothingRestartsAndALaterImageRolls() {
    List<List<String>> before = leaveBehind(2);
    operator.with("SEI_TAKEOVER_NAMESPACES", "").start();
    assertLeftAlone();
    operator.stop();
    setImage(A);

    operator.with("SEI_TAKEOVER_NAMESPACES", namespace).start();

    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(before);
    assertThat(TemplateHash.isKnownFormat(status().completedTemplateHash())).isTrue();
    // The hash is recorded first; a node that is up to date need not have its new label yet.
    eventually(
        () ->
            assertThat(nodes())
                .allMatch(
                    node ->
                        status()
                            .completedTemplateHash()
                            .equals(node.getMetadata().getLabels().get("sei.io/revision"))));
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    assertThat(addresses()).containsExactly(address(0), address(1));

    setImage(B);

    awaitUpToDate(2, B);
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(addresses()).containsExactly(address(0), address(1));
    assertThat(announced(0)).containsOnly(address(0));
    assertThat(announced(1)).containsOnly(address(1));
    awaitEvents("RolloutComplete", 1);
  }

  private void assertLeftAlone() {
    eventually(
        () ->
            assertCondition(
                FleetConditionType.READY,
                ConditionStatus.UNKNOWN,
                FleetReason.TAKEOVER_NOT_ENABLED));
    assertThat(condition(FleetConditionType.READY).message())
        .contains("SeiNodeDeployment fleet", namespace + " in takeover.namespaces");
    setImage(B);
    awaitAnotherLookAtNodes();
    assertThat(specImages()).containsExactly(A, A);
    assertThat(
            operator
                .requests()
                .matching(request -> request.isWrite() && !request.path().endsWith("/status")))
        .isEmpty();
  }

  @Tag("long")
  @Test
  void nodesKeepTheirAddressesThroughARollbackAndScaling() {
    leaveBehind(2);
    patch(
        "{'spec':{'updateStrategy':{'inPlace':{'progressDeadlineSeconds':2,'onStall':'Rollback'}}}}");
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    operator.start();
    awaitUpToDate(2, A);

    setImage(B);

    eventually(
        () -> {
          assertCondition(
              FleetConditionType.ROLLOUT_IN_PROGRESS,
              ConditionStatus.FALSE,
              FleetReason.ROLLED_BACK);
          assertThat(specImages()).containsExactly(A, A);
        });
    assertThat(podImages(1)).containsExactly(A, B, A);
    assertThat(addresses()).containsExactly(address(0), address(1));

    setImage(A);
    patch("{'spec':{'replicas':3}}");
    awaitUpToDate(3, A);
    assertThat(addresses()).containsExactly(address(0), address(1), null);
    patch("{'spec':{'replicas':1}}");
    awaitUpToDate(1, A);
    assertThat(addresses()).containsExactly(address(0));
  }

  @Test
  @Tag("long")
  void nodesThatTheTemplateHasLeftBehindKeepTheirOwnAddresses() {
    List<List<String>> before = leaveBehind(2);
    patch(
        "{'spec':{'updateStrategy':{'type':'InPlace','paused':true},'template':{'spec':{'image':'%s'}}}}"
            .formatted(B));

    operator.start();

    eventually(
        () ->
            assertThat(nodes())
                .allMatch(
                    node ->
                        TemplateHash.isKnownFormat(
                            node.getMetadata().getLabels().get("sei.io/revision"))));
    stays(
        () -> {
          assertThat(specImages()).containsExactly(A, A);
          assertThat(addresses()).containsExactly(address(0), address(1));
          assertThat(podUids(2)).isEqualTo(before);
        });
    assertThat(revisions())
        .hasSize(2)
        .noneMatch(revision -> revision.getData().toString().contains("externalAddress"));

    patch("{'spec':{'updateStrategy':{'paused':null}}}");

    awaitUpToDate(2, B);
    assertThat(addresses()).containsExactly(address(0), address(1));
  }

  @Tag("long")
  @Test
  void whatItWroteAndTheTemplateNoLongerSaysReallyGoes() {
    SeiNodeSpec spec = spec(A).withExternalAddress(ADDRESS);
    leaveBehind(
        fleetSpec(1, A).withTemplate(new NodeTemplate(null, spec)), ordinal -> spec, "False");
    operator.start();
    awaitUpToDate(1, A);
    assertThat(node(0).getSpec().externalAddress()).isEqualTo(ADDRESS);

    patch("{'spec':{'template':{'spec':{'externalAddress':null}}}}");

    eventually(() -> assertThat(node(0).getSpec().externalAddress()).isNull());
    assertThat(pods(0)).hasSize(1);
  }

  static Stream<Boolean> ceremonies() {
    return Cases.of(1, false, true);
  }

  @Tag("long")
  @ParameterizedTest(name = "validators of a ceremony: {0}")
  @MethodSource("ceremonies")
  void aPauseThatItPassedOnEndsWithThatOfTheFleet(boolean ceremony) {
    if (ceremony) {
      leaveCeremonyBehind();
    } else {
      leaveBehind(2);
    }
    patch("{'spec':{'paused':true}}");
    for (int ordinal = 0; ordinal < 2; ordinal++) {
      goOperator(ordinal).updateNode("{'spec':{'paused':true}}");
    }
    operator.start();
    eventually(() -> assertCondition(FleetConditionType.PAUSED, ConditionStatus.TRUE));

    patch("{'spec':{'paused':null}}");

    awaitUpToDate(2, A);
    assertThat(nodes()).allMatch(node -> node.getSpec().paused() == null);
  }

  @Test
  @Tag("long")
  void aCeremonyThatItCompletedStaysComplete() {
    List<List<String>> before = leaveCeremonyBehind();

    operator.start();

    awaitUpToDate(2, A);
    stays(this::assertCeremonyComplete);
    assertThat(podUids(2)).isEqualTo(before);

    setImage(B);

    awaitUpToDate(2, B);
    stays(this::assertCeremonyComplete);
  }

  private void assertCeremonyComplete() {
    Condition condition = condition(FleetConditionType.GENESIS_CEREMONY_COMPLETE);
    assertThat(condition)
        .isEqualTo(
            new Condition(
                "GenesisCeremonyComplete",
                ConditionStatus.TRUE,
                fleet().getMetadata().getGeneration(),
                Instant.parse(LONG_AGO),
                "Complete",
                "as it was"));
    assertThat(nodes())
        .extracting(node -> node.getSpec().validator().genesisCeremony().index())
        .containsExactly(0, 1);
    assertThat(nodes()).allMatch(node -> node.getSpec().peers().equals(PEERS));
  }

  @Tag("long")
  @Test
  void aRolloutItHadBegunIsFinished() {
    leaveBehind(2);
    setImage(B);
    for (SeiNode node : nodes()) {
      patch(node, "{'spec':{'image':'%s'}}".formatted(B));
    }
    patchStatus(
        fleet(),
        """
        {'status':{'phase':'Upgrading',
          'rollout':{'targetHash':'fedcba9876543210','startedAt':'2026-06-01T12:00:00Z'},
          'plan':{'id':'1','phase':'Active','tasks':[
            {'type':'update-node-specs','id':'2','status':'Complete'},
            {'type':'await-spec-update','id':'3','status':'Pending'}]}}}
        """);

    operator.start();

    awaitUpToDate(2, B);
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    assertThat(status().rollout()).isNull();
    assertThat(status().plan()).isNull();
  }

  /** Leaves a running fleet behind whose nodes have addresses of their own; returns its pods. */
  private List<List<String>> leaveBehind(int replicas) {
    return leaveBehind(
        fleetSpec(replicas, A).withNetworking(new Networking(null, new Networking.Tcp())),
        ordinal -> spec(A).withExternalAddress(address(ordinal)),
        "False");
  }

  /** Leaves two running validators of a ceremony behind that is over; returns their pods. */
  private List<List<String>> leaveCeremonyBehind() {
    SeiNodeSpec template =
        spec(A).with(builder -> builder.fullNode(null).validator(validator(null)));
    return leaveBehind(
        fleetSpec(2, A)
            .with(
                builder ->
                    builder
                        .template(new NodeTemplate(null, template))
                        .genesis(new Genesis("atlantic-2", null, null, null, null, null))),
        ordinal ->
            template.with(
                builder ->
                    builder
                        .peers(PEERS)
                        .validator(
                            validator(
                                new GenesisCeremony(
                                    "atlantic-2",
                                    "10usei",
                                    "100usei",
                                    ordinal,
                                    null,
                                    null,
                                    null,
                                    null)))),
        "True");
  }

  private static Validator validator(GenesisCeremony ceremony) {
    return new Validator(null, ceremony, null, null, null, null, null, null);
  }

  private List<List<String>> leaveBehind(
      SeiNodeDeploymentSpec spec, IntFunction<SeiNodeSpec> node, String ceremonyComplete) {
    SeiNodeDeployment fleet = create(spec);
    for (int ordinal = 0; ordinal < spec.replicas(); ordinal++) {
      goOperator(ordinal).createChild(fleet, ordinal, node.apply(ordinal));
    }
    for (int ordinal = 0; ordinal < spec.replicas(); ordinal++) {
      GoOperator child = goOperator(ordinal);
      eventually(() -> child.markReady(sidecar));
    }
    patchStatus(
        fleet(),
        """
        {'status':{'observedGeneration':1,'templateHash':'0123456789abcdef','phase':'Ready',
          'conditions':[%s]}}
        """
            .formatted(
                String.join(
                    ",",
                    left("NodesReady", "True", "AllNodesReady"),
                    left("NetworkingReady", "False", "NetworkingDisabled"),
                    left("PlanInProgress", "False", "PlanComplete"),
                    left("RolloutInProgress", "False", "RolloutComplete"),
                    left("Paused", "False", "NotPaused"),
                    left(
                        "GenesisCeremonyComplete",
                        ceremonyComplete,
                        ceremonyComplete.equals("True") ? "Complete" : "NotApplicable"))));
    eventually(
        () ->
            assertThat(readAll(Pod.class))
                .hasSize(spec.replicas())
                .allMatch(
                    pod ->
                        pod.getStatus().getConditions().stream()
                            .anyMatch(
                                condition ->
                                    condition.getType().equals("Ready")
                                        && condition.getStatus().equals("True"))));
    return podUids(spec.replicas());
  }

  /** A condition as the Go operator left it. */
  private static String left(String type, String status, String reason) {
    return """
    {'type':'%s','status':'%s','reason':'%s','message':'as it was','observedGeneration':1,
     'lastTransitionTime':'%s'}\
    """
        .formatted(type, status, reason, LONG_AGO);
  }

  private GoOperator goOperator(int ordinal) {
    return new GoOperator(client, namespace, FLEET + "-" + ordinal);
  }

  /** The address that the Go operator gives a node where P2P is published. */
  private static String address(int ordinal) {
    return FLEET + "-" + ordinal + "-p2p.atlantic-2.p2p.example.com:26656";
  }

  private List<String> addresses() {
    return nodes().stream().map(node -> node.getSpec().externalAddress()).toList();
  }

  /** Returns the addresses that the sidecar of a node announces. */
  private List<String> announced(int ordinal) {
    return sidecar.tasks(namespace, FLEET + "-" + ordinal).stream()
        .filter(task -> task.type().equals("config-apply"))
        .map(task -> task.params().at("/overrides/network.p2p.external_address").asText())
        .toList();
  }

  /** A Go operator renews its Lease in a namespace of its own. */
  @Test
  void theNamespacesOfTheTakeoverAreLeftAloneUntilItStopsAndOthersAreManaged() {
    String theirs = createNamespace("theirs");
    String other = createNamespace("other");
    Lease lease = yaml(Lease.class, "metadata: {name: bc1f5b0a.sei.io, namespace: %s}", theirs);
    client.resource(lease).create();
    try (var renewals = Executors.newSingleThreadScheduledExecutor()) {
      renewals.scheduleWithFixedDelay(() -> renew(lease, "x_y"), 0, 1, TimeUnit.SECONDS);
      operator.stop();
      client.resource(Samples.node(namespace, NODE, spec(A))).create();
      client.resource(Samples.node(other, NODE, spec(A))).create();
      create(fleetSpec(1, A));

      operator
          .with("SEI_WATCH_NAMESPACES", namespace + "," + other)
          .with("SEI_TAKEOVER_NAMESPACES", namespace + "," + theirs)
          .start();

      eventually(() -> assertThat(readIn(other, StatefulSet.class, NODE)).isNotNull());
      eventually(
          () -> {
            assertStalled(read(SeiNode.class, NODE).getStatus().conditions(), theirs);
            assertStalled(status().conditions(), theirs);
          });
      assertThat(readAll(StatefulSet.class)).isEmpty();
      assertThat(nodes()).hasSize(1);
      assertThat(operator.scrape())
          .contains("sei_operator_hands_off{namespace=\"" + theirs + "\"} 1.0");
    }
    renew(lease, "");

    eventually(() -> assertThat(readAll(StatefulSet.class)).hasSize(2));
    assertThat(operator.scrape()).doesNotContain("sei_operator_hands_off{");
  }

  private static void assertStalled(List<Condition> conditions, String theirs) {
    assertThat(conditions)
        .anySatisfy(
            condition -> {
              assertThat(condition.reason())
                  .isEqualTo(StallReason.STATEFUL_SET_CONFLICT.toString());
              assertThat(condition.message())
                  .contains("pod x renews the Lease " + theirs, "--replicas=0");
            });
  }

  private String createNamespace(String suffix) {
    String name = namespace + "-" + suffix;
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
    return name;
  }

  private void renew(Lease lease, String identity) {
    patch(
        lease,
        "{'spec':{'holderIdentity':'%s','leaseDurationSeconds':15,'renewTime':'%s'}}"
            .formatted(identity, MicroTime.of(Instant.now())));
  }
}
