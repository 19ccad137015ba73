package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.SnapshotStorage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Runs a real snapshot controller and provisioner; {@code testkit.SnapshotController} repeats the
 * values. The operator has no part in it.
 */
@Execution(ExecutionMode.CONCURRENT)
class SnapshotStorageTest extends MachineTestCase {

  private static final String CLAIM = "data";
  private static final String SNAPSHOT = "backup";
  private static final String WRITE = "echo hello >/data/file";
  private static final String BOUND =
      "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
  private static final String SOURCE = "snapshot.storage.kubernetes.io/pvc-as-source-protection";

  @BeforeEach
  void startStorage() {
    machine.startSnapshotStorage();
  }

  @Test
  void claimMadeOfASnapshotHasItsFilesAndOutlivesIt() {
    makeVolume(CLAIM, "", WRITE);

    takeSnapshot(SnapshotStorage.CLASS);
    awaitSnapshot("readyToUse", "true");
    assertThat(snapshot("status.restoreSize")).isEqualTo("1Gi");
    assertThat(snapshot("status.boundVolumeSnapshotContentName"))
        .isEqualTo("snapcontent-" + snapshot("metadata.uid"));
    eventually(() -> assertThat(finalizersOfClaim()).doesNotContain(SOURCE));
    kubectl("exec", CLAIM, "--", "sh", "-c", "echo later >/data/file");
    makeVolume("restored", from(SNAPSHOT), "");
    assertThat(kubectl("exec", "restored", "--", "cat", "/data/file")).isEqualTo("hello\n");

    kubectl("delete", "volumesnapshot", SNAPSHOT, "--timeout=1m");
    assertThat(kubectl("exec", "restored", "--", "cat", "/data/file")).isEqualTo("hello\n");
  }

  @Test
  void snapshotThatIsUploadedIsTakenBeforeItIsReady() {
    makeVolume(CLAIM, "", WRITE);

    try (var statuses = new SnapshotStatuses(machine.client(), namespace)) {
      takeSnapshot(makeClass("readyAfter: 10s"));
      awaitSnapshot("readyToUse", "true");
      eventually(
          () ->
              assertThat(statuses.said())
                  .containsExactly(
                      "no status",
                      "bound ready=false",
                      "bound taken sized ready=false",
                      "bound taken sized ready=true"));
    }
  }

  @Test
  void snapshotThatTheDriverRefusesIsTakenOnceItCan() {
    makeVolume(CLAIM, "", WRITE);

    takeSnapshot(makeClass("fault: full"));
    eventually(
        () ->
            assertThat(snapshot("status.error.message"))
                .startsWith("Failed to ")
                .contains("code = ResourceExhausted desc = no room for another snapshot"));
    assertThat(snapshot("status.readyToUse")).isEqualTo("false");
    assertThat(snapshot("status.creationTime")).isEmpty();
    assertThat(finalizersOfClaim()).contains(SOURCE);
    makeClass("");

    awaitSnapshot("readyToUse", "true");
    assertThat(snapshot("status.error")).isEmpty();
  }

  @Test
  @Tag("long")
  void snapshotOfAMissingClassIsTakenOnceThereIsOne() {
    makeVolume(CLAIM, "", WRITE);
    String missing = namespace + "-class";

    takeSnapshot(missing);
    awaitSnapshot(
        "error.message",
        "Failed to get snapshot class with error volumesnapshotclass.snapshot.storage.k8s.io"
            + " \"%s\" not found".formatted(missing));
    assertThat(snapshot("status.readyToUse")).isEmpty();
    makeClass("");

    awaitSnapshot("readyToUse", "true");
    assertThat(snapshot("status.error")).isEmpty();
  }

  @Test
  void snapshotOfADriverThatDoesNotAnswerIsNotGoneOnceDeleted() {
    makeVolume(CLAIM, "", WRITE);

    takeSnapshot(makeClass("fault: never"));
    eventually(
        () ->
            assertThat(snapshot("status.error.message"))
                .contains("code = DeadlineExceeded desc = context deadline exceeded"));
    kubectl("delete", "volumesnapshot", SNAPSHOT, "--wait=false");
    eventually(() -> assertThat(finalizersOfClaim()).doesNotContain(SOURCE));
    assertThat(snapshot("metadata.finalizers")).contains(BOUND);

    // How many spaces are between fields depends on the build of the driver: Go wants nobody to
    // rely on it.
    String taken =
        "CreateSnapshot: snapshot:.* snapshot_id:\"snapshot-%s\""
            .formatted(snapshot("metadata.uid"));
    makeClass("");
    eventually(
        () ->
            assertThat(machine.logs().resolve("csi.log"))
                .as("it is taken, although it was deleted")
                .content()
                .containsPattern(taken));
  }

  @Test
  @Tag("long")
  void claimWaitsForItsSnapshotAndKeepsIt() {
    makeVolume(CLAIM, "", WRITE);

    apply(volume("restored", from(SNAPSHOT), ""));
    awaitProvisioningFailure("volumesnapshots.snapshot.storage.k8s.io \"backup\" not found");
    takeSnapshot(makeClass("fault: full"));
    awaitProvisioningFailure("snapshot backup is not Ready");
    makeClass("");
    awaitPod("restored");
    assertThat(kubectl("exec", "restored", "--", "cat", "/data/file")).isEqualTo("hello\n");

    apply(volume("small", from(SNAPSHOT), "").replace("storage: 1Gi", "storage: 1Mi"));
    awaitProvisioningFailure("is less than the size 1073741824 for the source snapshot backup");
    kubectl("delete", "volumesnapshot", SNAPSHOT, "--wait=false");
    eventually(
        () ->
            assertThat(kubectl("get", "events"))
                .contains("Snapshot is being used to restore a PVC"));
    kubectl("delete", "pod,pvc", "small", "--timeout=1m");
    kubectl("wait", "--for=delete", "volumesnapshot/" + SNAPSHOT, "--timeout=1m");
  }

  /** A claim, and a pod of the same name that runs a command on it. */
  private void makeVolume(String name, String source, String command) {
    apply(volume(name, source, command));
    awaitPod(name);
  }

  private void awaitPod(String name) {
    kubectl("wait", "pod/" + name, "--for=condition=Ready", "--timeout=2m");
  }

  private static String volume(String name, String source, String command) {
    return """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: %1$s}
        spec:
          storageClassName: %2$s
          accessModes: [ReadWriteOnce]
          resources: {requests: {storage: 1Gi}}
          %3$s
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: %1$s}
        spec:
          terminationGracePeriodSeconds: 0
          containers:
          - name: shell
            image: %4$s
            command: [sh, -c, "%5$s; echo >/done; exec sleep 100000"]
            readinessProbe: {exec: {command: [cat, /done]}, periodSeconds: 1}
            volumeMounts: [{name: data, mountPath: /data}]
          volumes: [{name: data, persistentVolumeClaim: {claimName: %1$s}}]
        """
        .formatted(
            name,
            SnapshotStorage.CLASS,
            source,
            Chain.V1.image(),
            command.isEmpty() ? ":" : command);
  }

  private static String from(String snapshot) {
    return "dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: %s}"
        .formatted(snapshot);
  }

  private void takeSnapshot(String snapshotClass) {
    apply(
        """
        apiVersion: snapshot.storage.k8s.io/v1
        kind: VolumeSnapshot
        metadata: {name: %s}
        spec:
          volumeSnapshotClassName: %s
          source: {persistentVolumeClaimName: %s}
        """
            .formatted(SNAPSHOT, snapshotClass, CLAIM));
  }

  /** Makes a VolumeSnapshotClass for this test alone, or changes it, and returns its name. */
  private String makeClass(String parameters) {
    String name = namespace + "-class";
    apply(SnapshotStorage.snapshotClass(name, parameters));
    return name;
  }

  private void awaitSnapshot(String field, String value) {
    eventually(() -> assertThat(snapshot("status." + field)).isEqualTo(value));
  }

  private String snapshot(String field) {
    return field("volumesnapshots", SNAPSHOT, field);
  }

  private String finalizersOfClaim() {
    return field("persistentvolumeclaims", CLAIM, "metadata.finalizers");
  }

  private void awaitProvisioningFailure(String message) {
    eventually(
        () ->
            assertThat(kubectl("get", "events", "--field-selector=reason=ProvisioningFailed"))
                .contains(message));
  }
}
