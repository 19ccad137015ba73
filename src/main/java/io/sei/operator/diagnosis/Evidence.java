package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;

/**
 * Evidence about one SeiNode at one moment. Everything may be absent.
 *
 * @param pod the node's pod; null if there is none
 * @param newPod whether that pod runs what the active plan asks for, so that its crashes speak
 *     against the plan's target and not against the past
 * @param stalePod whether that pod is of another spec than what is wanted now
 * @param image the image that seid was asked to run in that pod; null if that is not known
 * @param upgrade name of the listed upgrade whose image seid is to run; null if it is that of
 *     {@code imageField}
 * @param imageField the field that has the image of seid; null for spec.image
 * @param imageRewrite which image admission put in place of the one that seid was asked to run;
 *     null if it put none
 * @param listed the upgrades that the spec lists, with those that the operator has listed itself
 * @param upgradesPaused whether the node is to keep its image at a halt, listed or not
 * @param refusal what the API server refuses of the node; null if nothing
 * @param claim the node's data claim; null if there is none
 * @param claimName name the data claim has or should have; null if the claim is not looked at
 * @param lostSignatures what became of the claim that had the record of what a validator has
 *     signed, such as "is gone"; null if nothing did
 * @param ownSignatures whether the validator itself may have made the signatures that keep its seid
 *     from starting
 * @param awaited what the node waits for that none of its objects shows; null if nothing
 * @param events core/v1 events about the pod, its controller and the claim, in any order
 * @param node the Kubernetes node the pod is bound to; null if unknown
 * @param sidecarTrouble what is wrong with the sidecar
 * @param sidecarMessage what the sidecar or the connection to it said
 * @param retried whether what failed is tried again by itself
 * @param statefulSetConflict owner of the StatefulSet in place of this node; null if the node owns
 *     it
 * @param currentTask type of the plan's task that waits; null without a plan
 */
@RecordBuilder
public record Evidence(
    Pod pod,
    boolean newPod,
    boolean stalePod,
    String image,
    String upgrade,
    String imageField,
    String imageRewrite,
    List<Upgrade> listed,
    boolean upgradesPaused,
    Finding refusal,
    PersistentVolumeClaim claim,
    String claimName,
    String lostSignatures,
    boolean ownSignatures,
    Finding awaited,
    List<Event> events,
    NodeFacts node,
    SidecarTrouble sidecarTrouble,
    String sidecarMessage,
    boolean retried,
    String statefulSetConflict,
    String currentTask)
    implements EvidenceBuilder.With {

  public Evidence {
    imageField = imageField == null ? "spec.image" : imageField;
    listed = listed == null ? List.of() : List.copyOf(listed);
    events = events == null ? List.of() : events.stream().filter(Objects::nonNull).toList();
    sidecarTrouble = sidecarTrouble == null ? SidecarTrouble.NONE : sidecarTrouble;
  }

  /** Returns empty evidence, to which {@code with} methods add. */
  public static Evidence none() {
    return EvidenceBuilder.builder().build();
  }
}
