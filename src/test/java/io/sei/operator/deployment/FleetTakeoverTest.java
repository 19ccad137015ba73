package io.sei.operator.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpec;
import io.sei.operator.node.GoOperator;
import io.sei.operator.render.TemplateHash;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A fleet that the Go operator made is taken over without restarting a pod. */
class FleetTakeoverTest extends FleetTestCase {

  private static final String ADDRESS = "host:26656";

  @BeforeEach
  void stopOurs() {
    operator.stop();
  }

  @Test
  void nothingRestartsAndALaterImageRolls() {
    List<List<String>> before = leaveBehind(2);

    operator.start();

    awaitUpToDate(2, A);
    assertThat(podUids(2)).isEqualTo(before);
    assertThat(TemplateHash.isKnownFormat(status().templateHash())).isTrue();
    // The hash is recorded first; a node that is up to date need not have its new label yet.
    eventually(
        () ->
            assertThat(node(0).getMetadata().getLabels())
                .containsEntry("sei.io/revision", status().templateHash()));
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();

    setImage(B);

    awaitUpToDate(2, B);
    assertThat(podImages(0)).containsExactly(A, B);
    assertThat(podImages(1)).containsExactly(A, B);
    awaitEvents("RolloutComplete", 1);
  }

  @Test
  void whatItWroteAndTheTemplateNoLongerSaysReallyGoes() {
    leaveBehind(1);
    operator.start();
    awaitUpToDate(1, A);
    assertThat(node(0).getSpec().externalAddress()).isEqualTo(ADDRESS);

    patch("{'spec':{'template':{'spec':{'externalAddress':null}}}}");

    eventually(() -> assertThat(node(0).getSpec().externalAddress()).isNull());
    assertThat(pods(0)).hasSize(1);
  }

  @Test
  void aRolloutItHadBegunIsFinished() {
    leaveBehind(2);
    setImage(B);
    for (SeiNode node : nodes()) {
      patch(node, "{'spec':{'image':'%s'}}".formatted(B));
    }
    writeStatus(
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

  /** Leaves a running fleet behind; returns its pods. */
  private List<List<String>> leaveBehind(int replicas) {
    SeiNodeDeploymentSpec spec = fleetSpec(replicas, A);
    SeiNodeDeployment fleet =
        create(
            spec.withTemplate(
                spec.template().withSpec(spec.template().spec().withExternalAddress(ADDRESS))));
    for (int ordinal = 0; ordinal < replicas; ordinal++) {
      leaveNode(fleet, ordinal);
    }
    writeStatus(
        "{'status':{'observedGeneration':1,'templateHash':'0123456789abcdef','phase':'Ready'}}");
    eventually(
        () ->
            assertThat(client.pods().inNamespace(namespace).list().getItems())
                .hasSize(replicas)
                .allMatch(
                    pod ->
                        pod.getStatus().getConditions().stream()
                            .anyMatch(
                                it ->
                                    it.getType().equals("Ready")
                                        && it.getStatus().equals("True"))));
    return podUids(replicas);
  }

  private void writeStatus(String patch) {
    client
        .resource(fleet())
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch.replace('\'', '"'));
  }

  private void leaveNode(SeiNodeDeployment fleet, int ordinal) {
    String name = FLEET + "-" + ordinal;
    Map<String, String> podLabels = Map.of("sei.io/nodedeployment", FLEET, "sei.io/revision", "1");
    var node = new SeiNode();
    node.getMetadata().setName(name);
    node.getMetadata().setNamespace(namespace);
    node.getMetadata()
        .setLabels(
            Map.of(
                "sei.io/nodedeployment",
                FLEET,
                "sei.io/nodedeployment-ordinal",
                String.valueOf(ordinal),
                "sei.io/revision",
                "1",
                "sei.io/chain",
                "atlantic-2"));
    node.getMetadata().setOwnerReferences(List.of(owner(fleet)));
    node.addFinalizer("sei.io/seinode-finalizer");
    node.setSpec(fleet.getSpec().template().spec().withPodLabels(podLabels));
    // fabric8 has no way to create under the name of a field manager.
    client.raw(
        "/apis/sei.io/v1alpha1/namespaces/" + namespace + "/seinodes?fieldManager=manager",
        "POST",
        node);
    var goOperator = new GoOperator(client, namespace, name);
    goOperator.createObjects(node(ordinal), name);
    goOperator.writeStatus("{'phase':'Running','currentImage':'" + A + "'}");
    eventually(() -> goOperator.markReady(sidecar));
  }

  private static OwnerReference owner(HasMetadata fleet) {
    return new OwnerReferenceBuilder()
        .withApiVersion("sei.io/v1alpha1")
        .withKind("SeiNodeDeployment")
        .withName(fleet.getMetadata().getName())
        .withUid(fleet.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }
}
