package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.machine.Fields;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.MachineExtension;
import io.sei.operator.testkit.machine.Manifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The operator as a pod of real Kubernetes nodes, and what kubectl shows of SeiNodes there. */
@ExtendWith(MachineExtension.class)
abstract class RealNodeTestCase {

  protected static final String NODE = "atlantic";
  protected static final String POD = NODE + "-0";

  private static final Duration SOON = Duration.ofMinutes(5);
  private static final Pattern HEIGHT = Pattern.compile("\"latest_block_height\":\"(\\d+)\"");
  private static final Pattern NODE_ID = Pattern.compile("\"id\":\"([0-9a-f]{40})\"");

  private static final String NEW_CLAIM =
      """
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: data-%1$s, labels: {sei.io/node: %1$s}}
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: "%2$s"
        volumeName: %3$s
        resources: {requests: {storage: %4$s}}
      """;

  private static final String SIGNAL =
      """
      for process in /proc/[0-9]*; do
        read -r name <"$process/comm" && [ "$name" = %s ] && kill -%s "${process#/proc/}"
      done 2>/dev/null; true
      """;

  private static final String RECOVER =
      """
      kubectl -n %1$s get secret %2$s-account -o jsonpath='{.data.mnemonic}' | base64 -d \
        | kubectl -n %1$s exec -i %2$s-0 -c seid -- \
          seid keys add validator --recover --keyring-backend test --home /.sei
      """;

  @TempDir Path directory;

  protected Machine machine;
  protected String namespace;
  private Fields fields;

  @BeforeEach
  void makeNamespace(Machine machine) {
    this.machine = machine;
    fields = new Fields(machine.client());
    namespace = machine.createNamespace();
  }

  /** A chain that runs on takes a part of the machine that later tests need. */
  @AfterEach
  void removeNamespace() {
    machine.client().namespaces().withName(namespace).delete();
  }

  /** Runs kubectl in this test's namespace. */
  protected String kubectl(String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = namespace;
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return machine.kubectl(all);
  }

  protected void createNode(String image) {
    apply(Manifests.node(NODE, image));
  }

  protected void apply(String manifest) {
    try {
      Path file = Files.writeString(Files.createTempFile(directory, "", ".yaml"), manifest);
      kubectl("apply", "-f", file.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  protected void editImage(String image) {
    patch("{\"spec\":{\"image\":\"%s\"}}".formatted(image));
  }

  protected void patch(String patch) {
    kubectl("patch", "seinode", NODE, "--type=merge", "-p", patch);
  }

  /** Lists the upgrade of the test's chain, and nothing else. */
  protected void listUpgrade(int height, String image) {
    listUpgrade(height, image, false);
  }

  /** Lists an upgrade that, as a minor release, may run ahead of its height. */
  protected void listUpgrade(int height, String image, boolean early) {
    patch(
        "{\"spec\":{\"upgrades\":[{\"name\":\"v2\",\"height\":%d,\"image\":\"%s\",\"early\":%b}]}}"
            .formatted(height, image, early));
  }

  /** Waits until the node runs what its spec asks for and makes blocks. */
  protected void awaitBlocks(String image) {
    eventually(
        () -> {
          assertThat(status("status.currentImage")).isEqualTo(image);
          assertThat(condition("UpToDate")).startsWith("True/");
        });
    int before = awaitHeight(POD, 1);
    awaitHeight(POD, before + 1);
  }

  /** Waits until a pod's chain is at a height or above, and returns the height it has then. */
  protected int awaitHeight(String pod, int height) {
    int[] now = new int[1];
    eventually(
        () -> {
          now[0] = heightNow(pod);
          assertThat(now[0]).as("height of " + pod).isGreaterThanOrEqualTo(height);
        });
    return now[0];
  }

  /** Returns the present height of a pod's chain. */
  protected int heightNow(String pod) {
    Matcher matcher = HEIGHT.matcher(rpc(pod, "status"));
    assertThat(matcher.find()).isTrue();
    return Integer.parseInt(matcher.group(1));
  }

  /** Returns the answer of the RPC of a pod's seid, without blanks. */
  protected String rpc(String pod, String path) {
    String whole = "/api/v1/namespaces/%s/pods/%s:26657/proxy/%s".formatted(namespace, pod, path);
    return fields.raw(whole).replaceAll("\\s", "");
  }

  /** Returns the CometBFT node id of a pod's seid. */
  protected String nodeId(String pod) {
    Matcher matcher = NODE_ID.matcher(rpc(pod, "status"));
    assertThat(matcher.find()).isTrue();
    return matcher.group(1);
  }

  /** Connects a pod of {@code Chain.V1_DIALS} to a peer, and waits until it follows its chain. */
  protected void follow(String pod, String peer) {
    String address = nodeId(peer) + "@" + field("pods", peer, "status.podIP") + ":26656";
    rpc(pod, "dial_peers?peers=%5B%22" + address + "%22%5D");
    awaitHeight(pod, awaitHeight(peer, heightNow(pod) + 1) + 1);
  }

  /** Gives a fleet a schedule of snapshots; the next one is due within a minute. */
  protected void takeSnapshots(String fleet, String snapshotClass) {
    patchSnapshots(
        fleet,
        "{\"schedule\":\"* * * * *\",\"volumeSnapshotClassName\":\"%s\"}".formatted(snapshotClass));
  }

  /** Waits until a fleet has a snapshot, ends its schedule, and returns the snapshot's name. */
  protected String awaitSnapshot(String fleet) {
    String latest = "status.snapshots.latest.name";
    eventually(() -> assertThat(field("seinodedeployments", fleet, latest)).startsWith(fleet));
    patchSnapshots(fleet, "null");
    return field("seinodedeployments", fleet, latest);
  }

  private void patchSnapshots(String fleet, String snapshots) {
    kubectl(
        "patch",
        "snd",
        fleet,
        "--type=merge",
        "-p",
        "{\"spec\":{\"dataVolume\":{\"snapshots\":%s}}}".formatted(snapshots));
  }

  /** Sets the volume to Retain: step 1 of docs/runbooks/SeiDataVolumeAtRisk.md. */
  protected void retainVolume(String volume) {
    machine.kubectl(
        "patch", "pv", volume, "-p", "{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}");
    eventually(() -> assertThat(message("DataVolumeAtRisk")).contains("is kept"));
  }

  /** Binds a new claim to a volume whose claim is gone: the end of step 2, and step 3. */
  protected void bindNewClaim(String volume) {
    machine.kubectl(
        "patch",
        "pv",
        volume,
        "--type=merge",
        "-p",
        "{\"spec\":{\"claimRef\":{\"uid\":null,\"resourceVersion\":null}}}");
    String storageClass = volume(volume, "spec.storageClassName");
    String size = volume(volume, "spec.capacity.storage");
    apply(NEW_CLAIM.formatted(NODE, storageClass, volume, size));
  }

  /** A field of a PersistentVolume. */
  protected String volume(String name, String field) {
    return machine.kubectl("get", "pv", name, "-o", "jsonpath={." + field + "}");
  }

  /** Returns the metrics of the operator, of one replica or another. */
  protected String metrics() {
    return fields.raw(
        "/api/v1/namespaces/%1$s/services/%1$s-metrics:metrics/proxy/metrics"
            .formatted(Machine.OPERATOR));
  }

  /** A field of the node, such as {@code status.phase}. */
  protected String status(String field) {
    return field("seinodes", NODE, field);
  }

  /** A field of an object of the test's namespace; the kind by its plural. */
  protected String field(String plural, String name, String field) {
    return Fields.at(fields.object(namespace, plural, name), field);
  }

  /** Status and reason of a condition of the node, such as {@code False/CrashLoop}. */
  protected String condition(String type) {
    return condition(NODE, type);
  }

  /** Status and reason of a condition of a node of that name. */
  protected String condition(String name, String type) {
    JsonNode node = fields.object(namespace, "seinodes", name);
    String condition = "status.conditions[?(@.type=='" + type + "')].";
    String status = Fields.at(node, condition + "status");
    return status.isEmpty() ? "" : status + "/" + Fields.at(node, condition + "reason");
  }

  protected String message(String condition) {
    return status("status.conditions[?(@.type=='" + condition + "')].message");
  }

  protected String podUid() {
    return field("pods", POD, "metadata.uid");
  }

  /** A field of seid in a list of the pod's, such as {@code status.containerStatuses}. */
  protected String seid(String list, String field) {
    return container(list, "seid", field);
  }

  protected String container(String list, String name, String field) {
    return field("pods", POD, "%s[?(@.name=='%s')].%s".formatted(list, name, field));
  }

  /** Waits until the kubelet makes seid wait for its next start. */
  protected void awaitCrashLoopBackOff() {
    eventually(
        () ->
            assertThat(seid("status.containerStatuses", "state.waiting.reason"))
                .isEqualTo("CrashLoopBackOff"));
  }

  protected int podsEverCreated() {
    return podsEverCreated(POD);
  }

  /**
   * Returns the number of pods of that name so far. Events that say the same are one, with a count.
   */
  protected int podsEverCreated(String pod) {
    String events =
        kubectl(
            "get",
            "events",
            "--field-selector=reason=SuccessfulCreate,involvedObject.kind=StatefulSet",
            "-o",
            "jsonpath={range .items[*]}{.message}|{.count}{'\\n'}{end}");
    return events
        .lines()
        .filter(line -> line.startsWith("Create Pod " + pod + " "))
        .mapToInt(line -> Integer.parseInt(line.substring(line.indexOf('|') + 1)))
        .sum();
  }

  /** Returns the number of restarts of seid in the present pod. */
  protected int restarts() {
    String count = seid("status.containerStatuses", "restartCount");
    return count.isEmpty() ? 0 : Integer.parseInt(count);
  }

  protected void awaitReady() {
    eventually(() -> assertThat(condition("Ready")).startsWith("True/"));
  }

  /** A network leaves its accounts in Secrets: puts that of a validator into its keyring. */
  protected void recoverAccount(String node) {
    KubectlResult result = machine.shell(RECOVER.formatted(namespace, node));
    assertThat(result.exitCode()).as(result.stderr()).isZero();
  }

  /** Waits until the transaction of a task is in a block, and has succeeded. */
  protected void awaitConfirmed(String task) {
    eventually(
        () ->
            assertThat(field("seinodetasks", task, "status.conditions[?(@.type=='Ready')].reason"))
                .as(field("seinodetasks", task, "status.conditions[*].message"))
                .isEqualTo("Confirmed"));
  }

  /** Sends a signal to all processes of that name in the pod, whose containers see each other. */
  protected void signal(String signal, String process) {
    kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", SIGNAL.formatted(process, signal));
  }

  /** Waits; what is not there yet counts as not yet. */
  protected static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(500))
        .ignoreException(IllegalStateException.class)
        .untilAsserted(assertion);
  }
}
