package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Names;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.SidecarVersion;
import io.sei.operator.testkit.samples.Samples;
import org.junit.jupiter.api.Test;

/** Runs a node that serves nothing but its P2P port. */
class SeedNodeTest extends ConfigTestCase {

  private static final String OTHER = "follower";
  private static final String STATE_SYNC = "'fullNode':{'snapshot':{'stateSync':{}}},";
  private static final String BY_CHAIN =
      "'peers':[{'label':{'selector':{'sei.io/chain':'atlantic-2'}}}]";

  @Test
  void seedRunsAndRollsAndIsAskedNothingButItsPort() {
    sidecar.version(SidecarVersion.V0_0_70);
    create(specOf("'seed':{},'overrides':{'network.p2p.max_connections':'900'}"));
    awaitUpToDate(A);

    assertThat(seid().getReadinessProbe().getTcpSocket().getPort().getIntVal()).isEqualTo(26656);
    assertThat(seid().getPorts())
        .extracting(ContainerPort::getName)
        .containsExactly("p2p", "metrics");
    assertThat(pod().getSpec().getContainers()).hasSize(1);
    assertThat(pod().getMetadata().getLabels()).containsEntry("sei.io/role", "seed");
    assertThat(node().getStatus().endpoint()).isNull();

    client.resource(Samples.node(namespace, OTHER, specOf(STATE_SYNC + BY_CHAIN))).create();
    eventually(
        () ->
            assertThat(other().getStatus().plan().currentTask().orElseThrow())
                .extracting(PlannedTask::reason, PlannedTask::message)
                .asString()
                .contains("WitnessesMissing", "there is none"));
    patch(other(), "{'spec':{'fullNode':{'snapshot':{'rpcServers':['a:1','b:2']}}}}");
    eventually(() -> assertThat(other().getStatus().phase()).isEqualTo(NodePhase.RUNNING));
    assertThat(other().getStatus().resolvedPeers())
        .containsExactly(
            SidecarSimulator.nodeId(namespace, NODE) + "@" + Names.peerAddress(node()));

    patch("{'spec':{'overrides':{'network.p2p.max_connections':'950'}}}");
    eventually(
        () ->
            assertThat(submitted())
                .contains(task("restart-seid {'upCheck':{'scheme':'tcp','port':26656}}")));
    awaitUpToDate(A);

    patch("{'spec':{'image':'%s'}}".formatted(B));
    awaitUpToDate(B);
    assertThat(Conditions.find(node().getStatus().conditions(), NodeConditionType.CAUGHT_UP))
        .isEmpty();
  }

  private SeiNode other() {
    return readIn(namespace, SeiNode.class, OTHER);
  }

  private Container seid() {
    return pod().getSpec().getContainers().stream()
        .filter(container -> container.getName().equals(Names.SEID))
        .findFirst()
        .orElseThrow();
  }
}
