package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.ImagePull;
import java.time.Instant;

/**
 * An image that a Job is to have pulled.
 *
 * @param purpose what it is pulled for; part of the Job's name
 * @param kubernetesNode where it is pulled
 * @param program what the image has
 * @param always whether the registry is asked although the image may be there
 * @param startedAt when that began; null if it is not known
 */
public record PullJob(
    String purpose,
    PulledProgram program,
    String image,
    String kubernetesNode,
    boolean always,
    Instant startedAt) {

  /** Of the image of an upgrade: a tag may have been moved since; a digest says what it is. */
  public static PullJob of(ImagePull pull) {
    return new PullJob(
        pull.upgrade(),
        PulledProgram.SEID,
        pull.image(),
        pull.kubernetesNode(),
        pull.image() == null || !pull.image().contains("@"),
        pull.startedAt());
  }

  /** Of an image that a pod is to run: as a kubelet would pull it for that pod. */
  public static PullJob of(
      String purpose,
      PulledProgram program,
      String image,
      String kubernetesNode,
      Instant startedAt) {
    return new PullJob(
        purpose, program, image, kubernetesNode, PullPolicy.isAlways(image), startedAt);
  }
}
