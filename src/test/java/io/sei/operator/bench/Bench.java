package io.sei.operator.bench;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.api.CrdFile;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorHarness;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.util.List;

/**
 * Measures the operator on a real control plane with simulated kubelet and sidecars, side by side
 * with plain StatefulSets in the same run.
 *
 * <p>Arguments: how often each measurement is repeated (3 if left out).
 */
public final class Bench {

  private static final String NAMESPACE = "bench";

  private Bench() {}

  /** Runs every measurement and prints a table of medians and spreads. */
  public static void main(String[] args) {
    int runs = args.length > 0 ? Integer.parseInt(args[0]) : 3;
    var table = new Table();
    try (var plane = ControlPlane.start();
        var client = KubernetesClients.create(plane.config(ControlPlane.ADMIN));
        var sidecars = new SidecarSimulator();
        var kubelet = new KubeletSimulator(client, sidecars);
        var operator =
            new OperatorHarness(
                plane.config(ControlPlane.OPERATOR), NAMESPACE, sidecars.urlTemplate())) {
      prepare(client);
      operator.start();
      var plain = new PlainStatefulSets(client, NAMESPACE);
      var nodes = new Nodes(client, NAMESPACE);
      var fleet = new Fleet(client, NAMESPACE);
      new RolloutCost(nodes, operator.requests(), table).run(runs);
      new ManyAtOnce(nodes, plain, table, 50).run(runs);
      for (String maxUnavailable : List.of("1", "25%", "100%")) {
        new FleetRollout(fleet, nodes, table, 20, maxUnavailable).run(runs);
      }
      new PlainRollout(plain, table, 20).run(runs);
    }
    table.print(System.out);
    System.exit(0);
  }

  private static void prepare(KubernetesClient client) {
    CrdFile.installAll(client);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
  }
}
