package io.sei.operator.testkit;

import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A fault for every reason a node can be stalled for. */
public final class Faults {

  private static final String NEXT = "ghcr.io/sei-protocol/sei:v6.5.2";
  private static final String FIXED = "ghcr.io/sei-protocol/sei:v6.6.2";
  private static final String MARK_READY = "mark-ready";

  /** The height of {@link #standstill()}. */
  public static final long STANDSTILL = 5000;

  private static final String PEERS_BY_TAGS =
      "{\"image\":\"%s\",\"peers\":[{\"ec2Tags\":{\"region\":\"eu-1\",\"tags\":{\"a\":\"b\"}}}]}"
          .formatted(NEXT);
  private static final String MORE_IN_PLACE =
      "{\"updatePolicy\":{\"pod\":\"InPlaceIfPossible\"},"
          + "\"resources\":{\"requests\":{\"cpu\":\"64\",\"memory\":\"1Gi\"}}}";
  private static final String PEERS_BY_NAME =
      "{\"peers\":[{\"static\":{\"addresses\":[\"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:26656\"]}}]}";

  /** Evidence that takes its time: a grace period, or a pod that must be missing for a while. */
  private static final int PATIENT_SECONDS = 8;

  /** A sidecar that has just been started is not called unreachable. */
  private static final int SIDECAR_START_SECONDS = 15;

  /** Causes that may go by themselves. */
  private static final Set<StallReason> AT_DEADLINE =
      Set.of(
          StallReason.DISK_FULL,
          StallReason.DATA_LOCKED,
          StallReason.MACHINE_LIMIT_REACHED,
          StallReason.NAME_NOT_RESOLVED,
          StallReason.PORT_TAKEN,
          StallReason.REMOTE_SIGNER_MISSING,
          StallReason.STATE_SYNC_FAILED,
          StallReason.PEERS_NONE);

  private Faults() {}

  /** All of them, in the order of the reasons. */
  public static List<Fault> all() {
    return Stream.of(
            ofImages(),
            ofDeaths(),
            ofSignatures(),
            ofPlaces(),
            ofSidecars(),
            ofObjects(),
            InputFaults.all())
        .flatMap(List::stream)
        .toList();
  }

  /** The fault of this name. */
  public static Optional<Fault> named(String name) {
    return all().stream().filter(fault -> fault.name().equals(name)).findFirst();
  }

  /** The one of a node that is Ready all the while: it takes minutes, and a chain. */
  public static Fault standstill() {
    return Fault.of(
            StallReason.HEIGHT_STANDS_STILL,
            "The node gets no further, and its peers go on.",
            stage -> stage.peers().standAt(STANDSTILL),
            List.of("seid runs at height " + STANDSTILL, "went on to", "restart the node once"),
            "The node goes on.",
            stage -> stage.peers().goOn())
        .atOnce();
  }

  /** The one of a node that has served: it takes a chain whose RPC falls silent. */
  public static Fault hang() {
    return Fault.of(
            StallReason.SEID_NOT_RESPONDING,
            "seid of the node hangs.",
            stage -> {
              stage.inject(PodFault.NEVER_READY);
              stage.silence();
            },
            List.of("the process of seid runs", "has not answered since", "does not restart it"),
            "seid goes on.",
            stage -> {
              stage.endSilence();
              stage.clear();
            })
        .atOnce();
  }

  private static List<Fault> ofImages() {
    return List.of(
        Fault.of(
                StallReason.IMAGE_PULL,
                "The node is given an image that does not exist.",
                update(PodFault.IMAGE_PULL),
                List.of("container seid", NEXT, "check spec.image"),
                "The image is pushed.",
                stage -> stage.kubelet().clearImage(NEXT))
            .atOnce(),
        Fault.of(
                StallReason.CRASH_LOOP,
                "The node is given an image whose seid exits with code 42.",
                update(new PodFault.CrashLoop(42)),
                List.of(
                    "container seid crashes",
                    "exit code 42",
                    "Error: error starting node",
                    "see kubectl"),
                "The image is set back.",
                stage -> stage.setImage(Fault.IMAGE))
            .atOnce(),
        Fault.of(
            StallReason.HALTED_AT_UPGRADE,
            "The chain halts for upgrade v6.2, and the node is given an image that does not"
                + " perform it.",
            halt().andThen(update(new PodFault.HaltedAtUpgrade("v6.2", 190000000))),
            List.of("v6.2", "190000000", "set spec.image to the version that has this upgrade"),
            "The image is set to the version that performs the upgrade.",
            stage -> stage.setImage(FIXED)),
        Fault.of(
                StallReason.IMAGE_TOO_EARLY,
                "The node is given the image of upgrade v7 before the chain is there.",
                update(new PodFault.ImageTooEarly("v7")),
                List.of(
                    "v7", "the chain has not reached", "set spec.image to the previous version"),
                "The image is set back.",
                stage -> stage.setImage(Fault.IMAGE))
            .atOnce(),
        Fault.of(
            StallReason.HALTED_BY_CONFIGURATION,
            "The node is updated, and its seid halts at a height that its configuration names.",
            update(new PodFault.HaltedByConfiguration(160)),
            List.of("height=160", "one more block at each restart", "remove chain.halt_height"),
            "The height is removed.",
            stage -> stage.kubelet().clearImage(NEXT)));
  }

  /** One of each cause that a line tells, the first that is known of it. */
  private static List<Fault> ofDeaths() {
    Map<StallReason, SeidDeaths.Death> first = new EnumMap<>(StallReason.class);
    SeidDeaths.causes().forEach(death -> first.putIfAbsent(death.reason(), death));
    return first.values().stream().map(Faults::ofDeath).toList();
  }

  private static Fault ofDeath(SeidDeaths.Death death) {
    Fault fault =
        Fault.of(
            death.reason(),
            "The node is updated, and its seid %s.".formatted(end(death.reason())),
            update(death.fault()),
            List.of("container seid crashes", death.line()),
            "What it dies of is put right.",
            stage -> stage.kubelet().clearImage(NEXT));
    return AT_DEADLINE.contains(death.reason()) ? fault : fault.atOnce();
  }

  /** Describes an end of seid without names from its code. */
  private static String end(StallReason reason) {
    return switch (reason) {
      case APP_HASH_MISMATCH -> "ends, as it computes another state than the chain has";
      case DATA_CORRUPT -> "ends, as a database is damaged";
      case DISK_FAILING -> "ends, as the disk answers with an error";
      case GENESIS_MISMATCH -> "ends, as the volume has the genesis of another chain";
      case SIGNING_ELSEWHERE -> "ends, as the chain has signatures of its key that it did not make";
      case SIGNING_KEY_CHANGED -> "is not started, as the Secret has another signing key";
      case REMOTE_SIGNER_MISSING -> "ends, as no remote signer dials in";
      case SIGNING_STATE_UNREADABLE -> "ends, as the record of what it has signed is missing";
      case CONFIG_INVALID -> "ends, as it does not understand its configuration";
      case FILES_MISSING -> "ends, as a file that it needs is missing";
      case RUNTIME_CRASH -> "crashes in the Go runtime";
      case OUT_OF_MEMORY -> "ends, as it gets no more memory";
      case MACHINE_LIMIT_REACHED -> "ends, as the machine has no file handle left";
      case DISK_FULL -> "ends, as its volume is full";
      case DATA_LOCKED -> "ends, as another process uses the data";
      case PORT_TAKEN -> "ends, as another process listens on one of its ports";
      case NAME_NOT_RESOLVED -> "ends, as a host name does not resolve yet";
      case STATE_SYNC_FAILED -> "ends, as state sync comes to no state";
      case PEERS_NONE -> "ends, as state sync has no peer left to ask";
      default -> throw new IllegalArgumentException("no words for " + reason);
    };
  }

  private static List<Fault> ofSignatures() {
    return List.of(
        Fault.of(
            StallReason.WAITING_OUT_OWN_SIGNATURES,
            "A validator is updated, and its seid finds its own signatures in the latest blocks.",
            update(SeidDeaths.foundSignature().fault()),
            List.of("found signature from the same key", "seid starts by itself"),
            "The chain goes past them.",
            stage -> stage.kubelet().clearImage(NEXT)));
  }

  private static List<Fault> ofPlaces() {
    return List.of(
        Fault.of(
            StallReason.UNSCHEDULABLE,
            "The node's pod is replaced, and no machine has room for the new one.",
            update(PodFault.UNSCHEDULABLE),
            List.of("Insufficient memory", "add capacity"),
            "A machine is added.",
            stage -> stage.kubelet().clearImage(NEXT)),
        Fault.of(
                StallReason.POD_RESIZE_PENDING,
                "The node's running pod is to get more than its machine has.",
                stage -> {
                  stage.inject(PodFault.RESIZE_INFEASIBLE);
                  stage.patchSpec(MORE_IN_PLACE);
                },
                List.of("requests.cpu of seid", "Infeasible", "request less"),
                "The machine is given more.",
                FaultStage::clear)
            .atOnce(),
        Fault.of(
                StallReason.VOLUME_PENDING,
                "A node is created, and nothing provides its volume.",
                stage -> stage.kubelet().holdVolumeBinding(true),
                List.of(
                    "unbound immediate PersistentVolumeClaims", "check the default StorageClass"),
                "The volume is provided.",
                stage -> stage.kubelet().holdVolumeBinding(false))
            .thereFirst(),
        Fault.of(
                StallReason.SIGNING_STATE_UNKNOWN,
                "The claim of a validator is deleted, with the record of what it has signed.",
                FaultStage::loseSigningState,
                List.of("nothing records what the validator has signed", "acceptSigningStateLoss"),
                "The loss is accepted, and the validator starts over.",
                FaultStage::acceptSigningStateLoss)
            .atOnce(),
        Fault.of(
                StallReason.POD_TERMINATING,
                "The node's pod is to be replaced and does not end.",
                stage -> {
                  stage.inject(PodFault.HANGING_TERMINATION);
                  stage.setImage(NEXT);
                },
                List.of("should have been gone", "check the kubelet"),
                "The pod ends.",
                FaultStage::clear)
            .withDeadline(PATIENT_SECONDS),
        Fault.of(
            StallReason.NODE_LOST,
            "The machine under the node falls silent.",
            stage -> stage.kubelet().loseNode(),
            List.of(" is NotReady", "taint the node"),
            "The machine is back.",
            stage -> stage.kubelet().recoverNode()));
  }

  private static List<Fault> ofSidecars() {
    return List.of(
        Fault.of(
                StallReason.SIDECAR_UNREACHABLE,
                "The node is updated, and its new sidecar does not answer.",
                sidecar(SidecarFaults::down),
                List.of("does not respond", "check the logs of container"),
                "The sidecar answers.",
                stage -> stage.sidecarFaults().clear())
            .withDeadline(SIDECAR_START_SECONDS),
        Fault.of(
            StallReason.SIDECAR_FORBIDDEN,
            "The node is updated, and its new sidecar refuses the operator.",
            sidecar(SidecarFaults::forbidden),
            List.of("may not use the sidecar", "may get, create and delete seinodes/sidecar"),
            "The operator is given its rights, and asked to try again.",
            stage -> {
              stage.sidecarFaults().clear();
              stage.retry();
            }),
        Fault.of(
            StallReason.SIDECAR_TASK_FAILED,
            "The node is updated, and a task of its sidecar fails.",
            sidecar(faults -> faults.failAlways(MARK_READY, "disk is full")),
            List.of("task mark-ready", "disk is full", "the operator retries"),
            "The task no longer fails.",
            stage -> stage.sidecarFaults().clear()),
        Fault.of(
                StallReason.SIDECAR_UNSUPPORTED,
                "The node is given peers by EC2 tags, for which its new sidecar does not look.",
                stage -> {
                  stage.sidecar().version(SidecarVersion.V0_0_62);
                  stage.patchSpec(PEERS_BY_TAGS);
                },
                List.of("does not support the task type discover-peers", "v0.0.56 or older"),
                "The peers are named.",
                stage -> stage.patchSpec(PEERS_BY_NAME))
            .atOnce());
  }

  private static List<Fault> ofObjects() {
    return List.of(
        Fault.of(
                StallReason.QUOTA_EXCEEDED,
                "The node's pod is deleted, and a quota forbids a new one.",
                stage -> {
                  stage.forbidPods();
                  stage.deletePod();
                },
                List.of("exceeded quota", "raise the quota"),
                "The quota is raised.",
                FaultStage::allowPods)
            .withDeadline(PATIENT_SECONDS),
        Fault.of(
                StallReason.APPLY_REFUSED,
                "A node is created, and an admission policy refuses its StatefulSet.",
                FaultStage::forbidStatefulSet,
                List.of("StatefulSet ", "the platform team says no", "fix the policy"),
                "The policy is lifted.",
                FaultStage::allowStatefulSet)
            .thereFirst()
            .atOnce(),
        Fault.of(
                StallReason.STATEFUL_SET_CONFLICT,
                "A node is created, and there is a StatefulSet of its name that is not its own.",
                FaultStage::createForeignStatefulSet,
                List.of("lacks what this operator writes", "delete that object"),
                "The other StatefulSet is deleted.",
                stage -> {
                  stage.deleteForeignStatefulSet();
                  stage.retry();
                })
            .thereFirst()
            .atOnce(),
        Fault.of(
                StallReason.START_DEADLINE_EXCEEDED,
                "The node is given an image whose seid migrates its data for longer than it may.",
                stage -> {
                  stage.patchSpec("{\"startDeadlineSeconds\":2}");
                  update(PodFault.SLOW_SEID).accept(stage);
                },
                List.of("has been starting since", "raise spec.startDeadlineSeconds"),
                "seid listens.",
                stage -> stage.kubelet().clearImage(NEXT))
            .atOnce(),
        Fault.of(
            StallReason.UNKNOWN,
            "The node is given an image whose seid runs and never becomes ready.",
            update(PodFault.NEVER_READY),
            List.of("not Ready yet", "check the events and logs of pod"),
            "seid becomes ready.",
            stage -> stage.kubelet().clearImage(NEXT)));
  }

  /** The node is given the next image, which has a fault. */
  private static Consumer<FaultStage> update(PodFault fault) {
    return stage -> {
      stage.kubelet().injectForImage(NEXT, fault);
      stage.setImage(NEXT);
    };
  }

  private static Consumer<FaultStage> halt() {
    return stage -> stage.kubelet().halt(stage.namespace(), stage.node() + "-0", "v6.2", 190000000);
  }

  private static Consumer<FaultStage> sidecar(Consumer<SidecarFaults> fault) {
    return stage -> {
      fault.accept(stage.sidecarFaults());
      stage.setImage(NEXT);
    };
  }
}
