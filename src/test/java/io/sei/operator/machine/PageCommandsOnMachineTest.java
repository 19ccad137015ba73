package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.docs.PageCommands;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Manifests;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands of runbooks and pages, on a fleet that is well; what they write is a dry run. */
@Tag("long")
class PageCommandsOnMachineTest extends MachineTestCase {

  private static final String FLEET = "rpc";

  private static final String THINGS_THEY_NAME =
      """
      apiVersion: snapshot.storage.k8s.io/v1
      kind: VolumeSnapshot
      metadata: {name: snapshot}
      spec: {source: {persistentVolumeClaimName: data-rpc-0}}
      ---
      apiVersion: v1
      kind: ResourceQuota
      metadata: {name: quota}
      spec: {hard: {pods: "10"}}
      ---
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: theirs}
      spec:
        replicas: 0
        selector: {matchLabels: {app: theirs}}
        template:
          metadata: {labels: {app: theirs}}
          spec: {containers: [{name: manager, image: theirs}]}
      """;

  /**
   * Answers of a healthy fleet without keys and exporter, of a full node without a snapshot, and of
   * a cluster without the Prometheus operator and a Go operator.
   */
  private static final Pattern UNDERSTOOD =
      Pattern.compile(
          "previous terminated container \"\\S+\" in pod \"\\S+\" not found"
              + "|\"sei-node(s-\\S+)?\" already exists"
              + "|container cosmos-exporter is not valid for pod"
              + "|leases.coordination.k8s.io \"bc1f5b0a.sei.io\" not found"
              + "|exactly one of (fullNode, archive, replayer, seed, or validator|s3 or stateSync)"
              + " must be set"
              + "|(secrets|services|jobs.batch) \"(secret|rpc-0-account|rpc-0-signer|rpc-genesis)\""
              + " not found"
              + "|seisigningkeys.sei.io \"DIGEST\" not found"
              + "|the server doesn't have a resource type \"servicemonitor\"");

  @Test
  void everyCommandIsUnderstood() {
    machine.startSnapshotStorage();
    apply(Manifests.fleet(FLEET, Chain.V1.image()));
    apply(THINGS_THEY_NAME);
    awaitHeight(FLEET + "-0-0", 1);
    List<PageCommands.Command> commands = PageCommands.all(names(), namespace);
    assertThat(commands).hasSizeGreaterThan(100);

    List<String> failed = new ArrayList<>();
    for (PageCommands.Command command : commands) {
      KubectlResult result = machine.shell(command.text());
      if (result.exitCode() != 0 && !UNDERSTOOD.matcher(result.stderr()).find()) {
        failed.add(command.page() + ": " + command.text() + "\n  " + result.stderr());
      }
    }
    assertThat(failed).isEmpty();
  }

  private Map<String, String> names() {
    Map<String, String> names = new LinkedHashMap<>();
    names.put("KUBE_NODE", Machine.NAME);
    names.put("NODE|atlantic", FLEET + "-0");
    names.put("FLEET", FLEET);
    names.put("NAMESPACE|NS|THEIRS", namespace);
    names.put("THEIR_DEPLOYMENT", "theirs");
    names.put("THEIR_CRDS", "crds/");
    names.put("SNAPSHOT", "snapshot");
    names.put("QUOTA", "quota");
    names.put("SECRET", "secret");
    names.put("CONFIGMAP", "configmap");
    names.put("FILE", "SECURITY.md");
    names.put("KEYRING", "hack/site");
    names.put("OTHER", FLEET + "-1");
    names.put("ID(?=@HOST)", "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8");
    names.put("REGISTRY/IMAGE:(OLD_)?TAG", Chain.V2.image());
    return names;
  }
}
