package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.MOUNT_SOURCE_MISSING;
import static io.sei.operator.api.v1alpha1.StallReason.NODE_LOST;
import static io.sei.operator.api.v1alpha1.StallReason.POD_FAILED;
import static io.sei.operator.api.v1alpha1.StallReason.POD_TERMINATING;
import static io.sei.operator.api.v1alpha1.StallReason.SIGNING_STATE_UNKNOWN;
import static io.sei.operator.api.v1alpha1.StallReason.UNSCHEDULABLE;
import static io.sei.operator.api.v1alpha1.StallReason.VOLUME_PENDING;
import static io.sei.operator.diagnosis.DiagnosisRow.PAST;
import static io.sei.operator.diagnosis.DiagnosisRow.SILENT;
import static io.sei.operator.diagnosis.DiagnosisRow.SOON;
import static io.sei.operator.diagnosis.DiagnosisRow.nothing;
import static io.sei.operator.diagnosis.DiagnosisRow.row;
import static io.sei.operator.diagnosis.DiagnosisRow.terminal;
import static io.sei.operator.diagnosis.PodSamples.NODE;
import static io.sei.operator.diagnosis.PodSamples.claim;
import static io.sei.operator.diagnosis.PodSamples.ended;
import static io.sei.operator.diagnosis.PodSamples.event;
import static io.sei.operator.diagnosis.PodSamples.of;
import static io.sei.operator.diagnosis.PodSamples.ofUid;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static io.sei.operator.diagnosis.PodSamples.ready;
import static io.sei.operator.diagnosis.PodSamples.running;
import static io.sei.operator.diagnosis.PodSamples.terminating;
import static io.sei.operator.diagnosis.PodSamples.unscheduled;
import static io.sei.operator.diagnosis.PodSamples.waiting;
import static io.sei.operator.testkit.samples.PodSample.aPod;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.testkit.samples.End;
import java.util.List;
import java.util.stream.Stream;

/** Findings from the scheduler, storage and Kubernetes nodes. */
final class PlacementRows {

  private static final NodeFacts GONE = new NodeFacts(NODE, NodeFacts.State.GONE);

  private PlacementRows() {}

  static Stream<DiagnosisRow> all() {
    return Stream.of(
            placement(), volumes(), signatures(), leaving(), leavingWithoutTheRightToSeeWhy())
        .flatMap(rows -> rows);
  }

  private static Stream<DiagnosisRow> placement() {
    String full = "0/3 nodes are available: 3 Insufficient memory.";
    return Stream.of(
        row("no room", of(unscheduled(full)), UNSCHEDULABLE, full, "add capacity"),
        row(
            "no room, known from the event only",
            of(unscheduled(null), event("Pod", "FailedScheduling", full, PAST)),
            UNSCHEDULABLE,
            full),
        row(
            "no room in the zone of the volume",
            of(unscheduled("0/3 nodes are available: 3 node(s) had volume node affinity conflict")),
            UNSCHEDULABLE,
            "uncordon that node"),
        row(
            "no room, and the claim waits for its first consumer",
            of(unscheduled(full)).withClaim(claim("Pending")).withClaimName("data-val"),
            UNSCHEDULABLE),
        nothing(
            "event of an earlier pod",
            of(
                unscheduled(null),
                ofUid("other-uid", event("Pod", "FailedScheduling", full, PAST)))),
        nothing("not looked at by the scheduler yet", of(unscheduled(null))));
  }

  private static Stream<DiagnosisRow> volumes() {
    Evidence starting = of(pod(waiting("seid", "ContainerCreating", null)));
    Evidence bound = starting.withClaim(claim("Bound")).withClaimName("data-val");
    var mount =
        event("Pod", "FailedMount", "MountVolume.SetUp failed: secret \"k\" not found", PAST);
    return Stream.of(
        row(
            "unbound claim",
            of(unscheduled("pod has unbound immediate PersistentVolumeClaims"))
                .withClaim(claim("Pending"))
                .withClaimName("data-val")
                .withEvents(
                    List.of(
                        event(
                            "PersistentVolumeClaim",
                            "ProvisioningFailed",
                            "storageclass \"gp9\" not found",
                            PAST))),
            VOLUME_PENDING,
            "storageclass \"gp9\" not found",
            "claim data-val"),
        row(
            "claim pending",
            bound.withClaim(claim("Pending")),
            VOLUME_PENDING,
            "claim data-val is Pending"),
        row("claim lost", bound.withClaim(claim("Lost")), VOLUME_PENDING, "pv-7"),
        row("claim missing", bound.withClaim(null), VOLUME_PENDING, "does not exist"),
        row(
            "cannot attach",
            bound.withEvents(
                List.of(
                    event(
                        "Pod",
                        "FailedAttachVolume",
                        "Multi-Attach error for volume \"pv-7\" Volume is already used by pod(s)"
                            + " val-0",
                        PAST))),
            VOLUME_PENDING,
            "FailedAttachVolume: Multi-Attach error for volume \"pv-7\"",
            "within six minutes",
            "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
        row(
            "cannot attach, in the words of Kubernetes 1.37",
            bound.withEvents(
                List.of(
                    event(
                        "Pod",
                        "FailedAttachVolume",
                        "Waiting for detach for volume \"pv-7\" Volume is already exclusively"
                            + " attached to one node, waiting on detach before it can be attached"
                            + " to another node",
                        PAST))),
            VOLUME_PENDING,
            "FailedAttachVolume: Waiting for detach for volume \"pv-7\"",
            "within six minutes",
            "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"),
        noSuchClass(),
        row(
            "nothing to mount",
            bound.withEvents(List.of(mount)),
            MOUNT_SOURCE_MISSING,
            "secret \"k\" not found; create that Secret or ConfigMap, or add the key that it lacks;"
                + " if a webhook added the mount, correct the webhook; the pod then starts by"
                + " itself"),
        row(
            "cannot mount",
            bound.withEvents(List.of(event("Pod", "FailedMount", "exit status 32", PAST))),
            VOLUME_PENDING,
            "exit status 32"),
        nothing("bound", bound),
        nothing("claim not looked at", starting),
        nothing("could not mount once, runs now", of(pod(running("seid")), mount)),
        nothing(
            "lost claim under a pod that serves",
            of(ready(pod(running("seid")))).withClaim(claim("Lost"))),
        nothing(
            "no pod yet", Evidence.none().withClaim(claim("Pending")).withClaimName("data-val")));
  }

  private static Stream<DiagnosisRow> signatures() {
    Evidence bound =
        of(pod(waiting("seid", "ContainerCreating", null)))
            .withClaim(claim("Bound"))
            .withClaimName("data-val");
    return Stream.of(
        terminal(
            "claim with signatures missing",
            bound.withClaim(null).withLostSignatures("is gone"),
            SIGNING_STATE_UNKNOWN,
            "claim data-val is gone",
            "has signed"),
        terminal(
            "claim made again",
            bound.withLostSignatures("is another one"),
            SIGNING_STATE_UNKNOWN,
            "claim data-val is another one"));
  }

  private static DiagnosisRow noSuchClass() {
    return row(
        "no such class",
        of(pod(waiting("seid", "ContainerCreating", null)))
            .withClaimName("data-val")
            .withClaim(
                new PersistentVolumeClaimBuilder(claim("Pending"))
                    .editSpec()
                    .withStorageClassName("gp9")
                    .endSpec()
                    .build()),
        VOLUME_PENDING,
        "check StorageClass gp9 and the events of claim data-val");
  }

  private static Stream<DiagnosisRow> leaving() {
    Pod running = pod(running("seid"));
    Pod held = terminating(running, PAST);
    held.getMetadata().setFinalizers(List.of("example.com/hold"));
    Pod failed = aPod(running).phase("Failed").build();
    String taint = "node.kubernetes.io/out-of-service";
    return Stream.of(
        row(
            "overdue",
            of(terminating(running, PAST)),
            POD_TERMINATING,
            "pod val-0 should have been gone 42 s ago",
            NODE),
        row("held by a finalizer", of(held), POD_TERMINATING, "example.com/hold"),
        nothing("within its grace period", of(terminating(running, SOON))),
        row(
            "overdue on a silent node",
            of(terminating(running, PAST)).withNode(SILENT),
            NODE_LOST,
            "worker-1 is NotReady",
            taint),
        row("running on a silent node", of(running).withNode(SILENT), NODE_LOST, taint),
        row(
            "running on a silent node, with a claim that is being deleted",
            of(running).withNode(SILENT).withClaim(deletedClaim()),
            NODE_LOST,
            "first keep the data: claim data-val is being deleted",
            taint),
        row(
            "running on a node that is gone, with a claim that is being deleted",
            of(running).withNode(GONE).withClaim(deletedClaim()),
            NODE_LOST,
            "first keep the data: claim data-val is being deleted"),
        row(
            "running on a node that is gone",
            of(running).withNode(GONE),
            NODE_LOST,
            "no longer exists",
            taint),
        nothing(
            "on a ready node", of(running).withNode(new NodeFacts(NODE, NodeFacts.State.READY))),
        nothing(
            "some other node",
            of(running).withNode(new NodeFacts("worker-2", NodeFacts.State.SILENT))),
        row(
            "within its grace period on a silent node, which cannot end it",
            of(terminating(running, SOON)).withNode(SILENT),
            NODE_LOST,
            "worker-1 is NotReady"),
        row("failed before its node was lost", of(failed).withNode(SILENT), POD_FAILED),
        row(
            "evicted, whatever seid ended with",
            of(
                aPod(pod(ended("seid", 0, End.exit(137, null))))
                    .phase("Failed")
                    .edit(
                        builder ->
                            builder
                                .editStatus()
                                .withReason("Evicted")
                                .withMessage("Pod ephemeral local storage usage exceeds 1Gi")
                                .endStatus())
                    .build()),
            POD_FAILED,
            "pod val-0 failed: Evicted: Pod ephemeral local storage usage exceeds 1Gi"),
        row(
            "rejected by the kubelet",
            of(
                aPod(pod())
                    .phase("Failed")
                    .edit(builder -> builder.editStatus().withReason("OutOfcpu").endStatus())
                    .build()),
            POD_FAILED,
            "pod val-0 failed: OutOfcpu; check the room that Kubernetes node worker-1 has"));
  }

  private static PersistentVolumeClaim deletedClaim() {
    return new PersistentVolumeClaimBuilder(claim("Bound"))
        .editMetadata()
        .withDeletionTimestamp(PAST.toString())
        .endMetadata()
        .build();
  }

  private static Stream<DiagnosisRow> leavingWithoutTheRightToSeeWhy() {
    Pod running = pod(running("seid"));
    Pod overruled = aPod(running).overruled().build();
    Pod gated =
        aPod(overruled)
            .edit(builder -> builder.editSpec().addNewReadinessGate("example.com/gate").endSpec())
            .build();
    return Stream.of(
        row(
            "overruled on a node that may not be read",
            of(overruled).withNode(NodeFacts.unreadable(NODE)),
            NODE_LOST,
            "Kubernetes node worker-1 is probably NotReady"),
        nothing(
            "ready on a node that may not be read",
            of(ready(running)).withNode(NodeFacts.unreadable(NODE))),
        nothing(
            "held by a readiness gate on a node that may not be read",
            of(gated).withNode(NodeFacts.unreadable(NODE))),
        row(
            "overdue on a node that may not be read",
            of(terminating(overruled, PAST)).withNode(NodeFacts.unreadable(NODE)),
            POD_TERMINATING));
  }
}
