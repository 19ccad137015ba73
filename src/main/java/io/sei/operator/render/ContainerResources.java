package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;

/**
 * Requests and limits of the containers beside seid. None has a CPU limit: the kernel would halt a
 * container for the rest of a period of 100 ms, and every start, probe and task of a node goes
 * through the proxy and the sidecar. Under load the CPU is divided by the requests, of which those
 * of seid are the largest by far.
 */
public final class ContainerResources {

  /** Resources of the proxy, which holds one connection per request and no body. */
  static final ResourceRequirements PROXY = of("10m", "32Mi", "128Mi");

  /**
   * Resources of the sidecar where the node sets none. It uploads and restores snapshots of
   * terabytes in parts that it holds in memory.
   */
  static final ResourceRequirements SIDECAR = of("50m", "128Mi", "2Gi");

  /** Resources of a container that runs before seid: a shell, or {@code seid init}. */
  static final ResourceRequirements INIT = of("50m", "128Mi", "1Gi");

  private ContainerResources() {}

  /** Requests for CPU and memory, and a limit of memory. */
  public static ResourceRequirements of(String cpu, String memory, String memoryLimit) {
    return new ResourceRequirementsBuilder()
        .addToRequests("cpu", new Quantity(cpu))
        .addToRequests("memory", new Quantity(memory))
        .addToLimits("memory", new Quantity(memoryLimit))
        .build();
  }
}
