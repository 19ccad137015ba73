package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ContainerBuilder;

/**
 * Program of an image that is pulled ahead. The container of the pull runs it in a way that ends
 * with exit code 0: a failed pod would be a Warning in an update that succeeds.
 */
public enum PulledProgram {
  /** seid, which is named since its image has other programs too. */
  SEID {
    @Override
    void run(ContainerBuilder container) {
      container.withCommand("seid", "version");
    }
  },

  /** Its image has no shell, and begins with {@code seictl} or {@code sei-sidecar serve}. */
  SIDECAR {
    @Override
    void run(ContainerBuilder container) {
      container.withArgs("help");
    }
  },

  /** A program of which only its image knows the name, such as the proxy. */
  OTHER {
    @Override
    void run(ContainerBuilder container) {
      container.withArgs("--help");
    }
  };

  /** The program of a container of a node's pod. */
  static PulledProgram of(String container) {
    return switch (container) {
      case Names.SEID, Names.SEID_INIT -> SEID;
      case Names.SIDECAR -> SIDECAR;
      default -> OTHER;
    };
  }

  abstract void run(ContainerBuilder container);
}
