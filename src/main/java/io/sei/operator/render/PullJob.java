package io.sei.operator.render;

import java.util.List;

/**
 * A Job that pulls images on a Kubernetes node.
 *
 * @param slot the try that it is: another try is another Job, by another name
 * @param images one container each
 */
public record PullJob(String slot, String kubernetesNode, List<PulledImage> images) {

  public PullJob {
    images = List.copyOf(images);
  }

  /** Returns whether the image is inspected once it is there. */
  public boolean inspects() {
    return images.getFirst().program() == PulledProgram.INSPECTED_SEID;
  }

  /** Name of the container that an image is pulled for. */
  public static String container(int index) {
    return index == 0 ? Names.PULL : Names.PULL + "-" + index;
  }
}
