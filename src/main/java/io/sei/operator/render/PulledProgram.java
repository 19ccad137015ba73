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

  /**
   * seid, whose image is to say what it contains. What it prints becomes the termination message,
   * as far as it fits in 1 KiB: the version comes first, and hundreds of modules follow. seid makes
   * its files in the home directory before it answers, and bash is what a node's pod needs, too.
   */
  INSPECTED_SEID {
    @Override
    void run(ContainerBuilder container) {
      container
          .withCommand("/bin/bash", "-c", INSPECTION)
          // Of an image of another architecture only the log has the cause.
          .withTerminationMessagePolicy("FallbackToLogsOnError");
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

  /** First line of the termination message of a seid that did not end. */
  public static final String TIMEOUT = "timeout";

  private static final String INSPECTION =
      """
      LC_ALL=C
      read -r -t 30 -N 1024 said < <(exec seid version --long 2>&1)
      [ $? -le 128 ] || said="%s
      $said"
      printf %%s "$said" >/dev/termination-log
      """
          .formatted(TIMEOUT);

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
