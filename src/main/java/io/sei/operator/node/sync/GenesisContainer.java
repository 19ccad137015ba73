package io.sei.operator.node.sync;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.HomeScript;
import java.util.Objects;
import java.util.Optional;

/**
 * The init container that puts the genesis of a ConfigMap on a volume without blocks, where {@code
 * seid init} has left a genesis of its own, or on one whose genesis is missing.
 */
final class GenesisContainer {

  private static final String NAME = "genesis";
  private static final String PATH = "/etc/sei-genesis";
  private static final String DIFFERS = "differs";

  /**
   * Script that keeps the genesis with which seid began, whatever the ConfigMap holds later.
   * Databases are there since its first start, and {@code seid init} makes none. The names need no
   * quotes: the schema allows letters, digits, dashes, dots and underscores. Nothing is written
   * where nothing is to change, as the volume may be full.
   */
  private static final String SCRIPT =
      """
      set -eu
      cd "$HOME"
      given=%1$s/genesis
      own=config/genesis.json
      new=config/.sei-operator-genesis
      started=
      for file in data/*.db; do
        if [ -e "$file" ]; then started=1; fi
      done
      if [ ! -e $given ]; then
        if [ -n "$started" ]; then
          echo "the genesis on the volume stays; there is no %2$s to compare it with"
          exit 0
        fi
        echo "there is no %2$s"
        exit 1
      fi
      if [ -e $own ] && [ "$(%3$s $given)" = "$(cat $own)" ]; then
        echo "the volume has the genesis"
      elif [ -n "$started" ] && [ -e $own ]; then
        echo "the genesis on the volume is not that of %2$s, and stays"
        echo %4$s > /dev/termination-log
      else
        %3$s $given > $new
        sync
        mv $new $own
        sync
        echo "the volume has got the genesis"
      fi
      """;

  private GenesisContainer() {}

  static Container render(SeiNode node, ConfigMapKey given) {
    String reader = given.isCompressed() ? "gzip -dc" : "cat";
    String script = SCRIPT.formatted(PATH, given, reader, DIFFERS);
    return HomeScript.of(NAME, node.getSpec().image(), script)
        .addToVolumeMounts(
            new VolumeMountBuilder().withName(NAME).withMountPath(PATH).withReadOnly(true).build())
        .build();
  }

  /** The ConfigMap, which may be gone once the node has begun. */
  static Volume volume(ConfigMapKey given) {
    return new VolumeBuilder()
        .withName(NAME)
        .withNewConfigMap()
        .withName(given.name())
        .withItems(new KeyToPath(given.keyOrDefault(), null, NAME, null))
        .withOptional(true)
        .endConfigMap()
        .build();
  }

  /**
   * Whether the volume has the genesis of the ConfigMap, by the container of a pod that has ended
   * well; empty as long as none has.
   */
  static Optional<Boolean> isInstalled(Pod pod) {
    return pod.getStatus().getInitContainerStatuses().stream()
        .filter(container -> container.getName().equals(NAME) && container.getState() != null)
        .map(container -> container.getState().getTerminated())
        .filter(Objects::nonNull)
        .filter(terminated -> Integer.valueOf(0).equals(terminated.getExitCode()))
        .findFirst()
        .map(
            terminated ->
                terminated.getMessage() == null
                    || !terminated.getMessage().strip().equals(DIFFERS));
  }
}
