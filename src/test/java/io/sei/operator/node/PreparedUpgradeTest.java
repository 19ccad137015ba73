package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpgradePolicy;
import io.sei.operator.api.v1alpha1.UpgradeSource;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.ChainSimulator.Fault;
import io.sei.operator.testkit.Denials;
import io.sei.operator.testkit.LocalHttps;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Upgrades before their height: what the chain has planned is reported and listed, and its image is
 * pulled and looked into.
 */
class PreparedUpgradeTest extends RolloutTestCase {

  /** Status writes before and after, the live pod, the Job, two looks, its deletion, an Event. */
  private static final int REQUESTS_OF_A_PULL = 9;

  private static final String WITNESS = "witness";
  private static final SeiNodeSpec LISTING =
      spec(A).withUpgradePolicy(new UpgradePolicy(List.of("mirror/sei:{name}", "sei:{name}")));

  @Tag("long")
  @Test
  void imageIsPulledOnceAndNothingIsLeft() {
    createRunning();
    eventually(() -> assertThat(events("PlanComplete")).hasSize(1));
    operator.requests().clear();

    list("v2", B);

    awaitReady();
    assertThat(upgrade().imageID()).contains("sha256:");
    assertThat(upgrade().seidVersion()).isEqualTo(B.substring(B.lastIndexOf(':') + 1));
    assertThat(upgrade().pulledOn()).isEqualTo(pod().getSpec().getNodeName());
    assertCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PREPARED);
    eventually(() -> assertThat(events("UpgradePrepared")).hasSize(1));
    eventually(() -> assertThat(pullPods()).isEmpty());
    // There is no log to read here, which is tried until it is put off.
    assertThat(operator.requests().matching(request -> !request.path().endsWith("/log")))
        .hasSizeLessThanOrEqualTo(REQUESTS_OF_A_PULL);
    operator.requests().clear();

    awaitAnotherLookAtNodes();

    assertThat(operator.requests().all())
        .as("a node that is prepared costs no more than one that is not to upgrade")
        .singleElement()
        .matches(request -> request.path().endsWith("/status"));
    assertThat(images()).containsExactly(A);
  }

  @Test
  void imageThatCannotBePulledIsToldAheadAndHealsInTheEntry() {
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    createRunning();

    list("v2", B);

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.UPGRADE_IMAGE_PULL);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains(B, "\"v2\"", "check the image and its pull secret");
    awaitUpToDate(A);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
    eventually(() -> assertThat(events("UpgradeImagePull")).hasSize(1));
    // On a busy machine the next try may be under way already.
    eventually(() -> assertThat(jobs()).isEmpty());

    list("v2", C);

    awaitReady();
    assertCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PREPARED);
  }

  @Tag("long")
  @Test
  void imageWithoutSeidIsToldAheadAndHealsInTheEntry() {
    kubelet.injectForImage(B, new PodFault.Answers("/bin/bash: line 2: exec: seid: not found", 0));
    createRunning();

    list("v2", B);

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.UPGRADE_IMAGE_UNUSABLE);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains(B, "\"v2\"", "no program seid");
    eventually(() -> assertThat(events("UpgradeImageUnusable")).hasSize(1));
    eventually(() -> assertThat(jobs()).isEmpty());

    list("v2", C);

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PREPARED);
    assertThat(upgrade().inspectionError()).isNull();
  }

  @Tag("long")
  @Test
  void nodeStaysHaltedRatherThanRunAForbiddenImage() {
    createRunning();
    list("v2", "sei:mock_balances");
    awaitCondition(
        NodeConditionType.UPGRADES_READY,
        ConditionStatus.FALSE,
        NodeReason.UPGRADE_IMAGE_FORBIDDEN);

    kubelet.halt(namespace, POD, "v2", 100);

    awaitCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.HALTED_AT_UPGRADE);
    assertThat(images()).containsExactly(A);
    list("v2", B);
    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B);
  }

  @Tag("long")
  @Test
  void podThatPullsIsNoPodOfTheNode() {
    kubelet.injectForImage(B, new PodFault.SlowStart(Duration.ofMinutes(5)));
    createRunning();
    list("v2", B);
    eventually(() -> assertThat(pullPods()).hasSize(1));

    Map<String, String> ofService = read(Service.class, NODE).getSpec().getSelector();
    assertThat(client.pods().inNamespace(namespace).withLabels(ofService).list().getItems())
        .as("what the node's Service and StatefulSet select")
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactly(POD);
    assertThat(statefulSet().getSpec().getSelector().getMatchLabels()).isEqualTo(ofService);
    awaitUpToDate(A);
    patch("{'spec':{'upgrades':null}}");
    eventually(() -> assertThat(jobs()).isEmpty());
  }

  @Tag("long")
  @Test
  void refusedJobIsToldAndDisturbsNothing() {
    var denials = new Denials(client, namespace);
    denials.forbidAny("count/jobs.batch");
    createRunning();

    list("v2", B);

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.UPGRADE_IMAGE_PULL);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("the API server refuses Job node-pull-", "exceeded quota");
    setImage(C);
    awaitUpToDate(C);
    assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE);
  }

  @Tag("long")
  @Test
  void missingRightToReadLogsIsReportedAheadAndForgottenOnceItIsGranted() {
    var rights = new Rights(client, namespace).without("pods/log");
    operatorAs(rights.config(controlPlane.config(ControlPlane.OPERATOR))).start();
    createRunning();

    list("v2", B);

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.LOGS_FORBIDDEN);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("cannot get resource \"pods/log\"", "grant it the verb get on pods/log");
    try (var logs = new LocalHttps(PreparedUpgradeTest::answerWithAnEmptyLog)) {
      kubelet.serveLogs(logs.port());
      rights.grant("pods/log");
      // A restart spares the ten minutes that LogProbeTest advances its clock by.
      operator.restart();

      awaitCondition(
          NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PREPARED);
    }
    awaitUpToDate(A);
  }

  private static void answerWithAnEmptyLog(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(HttpURLConnection.HTTP_OK, -1);
    exchange.close();
  }

  /** At a height that the chain, which makes two blocks a second, does not pass meanwhile. */
  private void list(String name, String image) {
    patch(
        "{'spec':{'upgrades':[{'name':'%s','height':100000,'image':'%s'}]}}"
            .formatted(name, image));
  }

  private void awaitReady() {
    eventually(() -> assertThat(upgrade().state()).isEqualTo(UpgradeState.READY));
    eventually(() -> assertThat(jobs()).isEmpty());
  }

  private UpgradeStatus upgrade() {
    return node().getStatus().upgrades().get(0);
  }

  private List<Job> jobs() {
    return readAll(Job.class);
  }

  private List<Pod> pullPods() {
    return client
        .pods()
        .inNamespace(namespace)
        .withLabel(Labels.IMAGE_PULL, NODE)
        .list()
        .getItems();
  }

  /** Lists a plan that two nodes of the chain report, if the spec asks for it. */
  @Test
  void planOfTwoNodesIsListedWithTheFirstImageThatIsThereAndRunsByItsDigestAfterTheHalt() {
    kubelet.injectForImage("mirror/sei:v2", PodFault.IMAGE_PULL);
    createListing();

    addWitness();

    eventually(() -> assertThat(upgrade().state()).isEqualTo(UpgradeState.READY));
    String image = upgrade().image();
    assertThat(image).matches("sei:v2@sha256:[0-9a-f]{64}");
    assertThat(upgrade().source()).isEqualTo(UpgradeSource.CHAIN);
    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PREPARED);
    operator.requests().clear();
    awaitAnotherLookAtNodes();
    assertThat(operator.requests().matching(request -> !request.path().endsWith("/log")))
        .as("one of each node, as of one without upgrades")
        .hasSize(2)
        .allMatch(request -> request.path().endsWith("/status"));
    assertThat(images()).as("nothing is early").containsExactly(A);

    kubelet.halt(namespace, POD, "v2", 100);

    awaitUpToDate(image);
    assertThat(images()).containsExactly(A, image);
    assertThat(upgrade().state()).isEqualTo(UpgradeState.APPLIED);
    assertThat(upgrade().source()).isEqualTo(UpgradeSource.CHAIN);
    assertThat(node().getSpec().upgrades()).isNull();
    assertThat(read(SeiNode.class, WITNESS).getStatus().upgrades()).as("without a policy").isNull();
  }

  /** The chain makes two blocks a second, and its nodes are asked every ten seconds. */
  @Tag("long")
  @Test
  void expeditedProposalIsToldDuringItsVoteAndListedBeforeItsHeight() {
    chain.chain().votesFor(Duration.ofDays(3), Duration.ofSeconds(40)).propose("v2", 5000, "");
    create(LISTING);
    client.resource(Samples.node(namespace, WITNESS, spec(A))).create();
    awaitUpToDate(A);
    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADE_PROPOSED);

    chain.chain().endVotes().plan("v2", 5000, "");

    eventually(() -> assertThat(upgrade().state()).isEqualTo(UpgradeState.READY));
    assertThat(upgrade().source()).isEqualTo(UpgradeSource.CHAIN);
    assertThat(images()).as("nothing is early").containsExactly(A);
  }

  @Tag("long")
  @Test
  void imageThatNoTemplateHasIsReportedAheadAndAPersonsEntryWins() {
    kubelet.injectForImage("mirror/sei:v2", PodFault.IMAGE_PULL);
    kubelet.injectForImage("sei:v2", PodFault.IMAGE_PULL);
    createListing();

    addWitness();

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.UPGRADE_IMAGE_PULL);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("\"v2\"", "tried mirror/sei:v2, sei:v2; the last answer: ");
    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));
    eventually(() -> assertThat(upgrade().state()).isEqualTo(UpgradeState.READY));
    assertThat(node().getStatus().upgrades())
        .singleElement()
        .satisfies(upgrade -> assertThat(upgrade.image()).isEqualTo(B))
        .satisfies(upgrade -> assertThat(upgrade.source()).isNull());
  }

  private void createListing() {
    chain.chain().at(50, Instant.now()).plan("v2", 100, "");
    create(LISTING);
    awaitUpToDate(A);
    awaitCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("no second node reports it yet");
  }

  /** Both can be asked before either answers, or the second would be asked in five minutes. */
  private void addWitness() {
    client.resource(Samples.node(namespace, WITNESS, spec(A))).create();
    eventually(
        () ->
            assertThat(
                    Conditions.isTrue(
                        read(SeiNode.class, WITNESS).getStatus().conditions(),
                        NodeConditionType.READY))
                .isTrue());
    chain.fault(namespace, NODE, Fault.ERROR);
    chain.fault(namespace, WITNESS, Fault.ERROR);
    operator.stop();
    int before = chain.asked().size();
    operator.start();
    eventually(
        () ->
            assertThat(chain.asked().stream().skip(before).distinct().toList())
                .contains(namespace + "/" + NODE, namespace + "/" + WITNESS));
    chain.chain().at(50, Instant.now());
    chain.fault(namespace, NODE, null);
    chain.fault(namespace, WITNESS, null);
  }

  /** Reports the chain's plan on its nodes, and acts on none. */
  @Tag("long")
  @Test
  void unlistedPlanIsToldUntilItIsListed() {
    chain.chain().at(50, Instant.now()).plan("v2", 100, "");
    createRunning();

    awaitCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);
    assertThat(condition(NodeConditionType.UPGRADES_READY).message())
        .contains("\"v2\" at height 100", "list it");
    assertThat(node().getStatus().reason()).isEqualTo("NotListed");
    assertThat(operator.scrape())
        .contains(
            "sei_chain_height{chain=\"atlantic-2\",namespace=\"%s\"} 50".formatted(namespace),
            "sei_chain_upgrade_height{chain=\"atlantic-2\",namespace=\"%s\",upgrade=\"v2\"} 100"
                .formatted(namespace),
            "sei_node_upgrades_not_ready{name=\"node\",namespace=\"%s\",reason=\"NotListed\"} 1"
                .formatted(namespace));
    assertThat(
            client
                .resources(SeiNode.class)
                .inNamespace(namespace)
                .withLabels(Map.of("sei.io/chain", "atlantic-2", "sei.io/role", "node"))
                .list()
                .getItems())
        .as("a node that no fleet has made is selected as those of fleets are")
        .hasSize(1);
    String before = podUid();

    patch("{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}".formatted(B));

    awaitCondition(
        NodeConditionType.UPGRADES_READY, ConditionStatus.TRUE, NodeReason.UPGRADES_PENDING);
    eventually(() -> assertThat(node().getStatus().reason()).isEqualTo("PodReady"));
    eventually(() -> assertThat(events("UpgradeNotListed")).hasSize(1));
    assertThat(podUid()).isEqualTo(before);
    assertThat(images()).containsExactly(A);
  }

  @Test
  void reportedPlanOutlivesARestartAfterWhichNoNodeAnswers() {
    chain.chain().at(50, Instant.now()).plan("v2", 100, "");
    createRunning();
    awaitCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);

    chain.fault(namespace, NODE, Fault.ENDLESS);
    operator.restart();
    eventually(() -> assertThat(chain.asked()).hasSize(2));
    awaitAnotherLook();

    assertCondition(NodeConditionType.UPGRADES_READY, ConditionStatus.FALSE, NodeReason.NOT_LISTED);
    assertThat(occurrences("UpgradeNotListed")).isEqualTo(1);
  }
}
