package io.sei.operator.render;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Job that pulls images on a Kubernetes node, or looks into files of the node's volume there.
 *
 * @param slot the try that it is: another try is another Job, by another name
 * @param images one container each; the first one is that of the containers for files
 * @param files one container each, instead of those for images
 */
public record PullJob(
    String slot, String kubernetesNode, List<PulledImage> images, List<GatedFile> files) {

  public PullJob {
    images = List.copyOf(images);
    files = List.copyOf(files);
  }

  /** A Job that pulls images. */
  public PullJob(String slot, String kubernetesNode, List<PulledImage> images) {
    this(slot, kubernetesNode, images, List.of());
  }

  /** Returns whether the image is inspected once it is there. */
  public boolean inspects() {
    return images.getFirst().program() == PulledProgram.INSPECTED_SEID;
  }

  /** Returns whether the Job looks into files instead of pulling images. */
  public boolean isGate() {
    return !files.isEmpty();
  }

  /** Names of the containers, in their order. */
  public Stream<String> containers() {
    return isGate()
        ? files.stream().map(GatedFile::container)
        : IntStream.range(0, images.size()).mapToObj(PullJob::container);
  }

  /** Name of the container that an image is pulled for. */
  public static String container(int index) {
    return index == 0 ? Names.PULL : Names.PULL + "-" + index;
  }
}
