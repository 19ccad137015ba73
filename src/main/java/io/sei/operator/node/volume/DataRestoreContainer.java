package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.render.HomeScript;
import io.sei.operator.render.Volumes;
import java.util.Optional;

/**
 * The init container that makes a volume from a VolumeSnapshot the node's own. It comes before all
 * others: a sidecar would go on with the tasks of the node that the snapshot was taken of, and seid
 * with its identity.
 */
final class DataRestoreContainer {

  private static final String NAME = "data-restore";

  /**
   * Begins again where it died, as nothing else has run on the volume until the marker is there. A
   * marker of another snapshot came with the copy. A node key of its own is made here, since nodes
   * that are each other's peers ask for it before any of them starts; the keys and the signing
   * state that go with it are those of any new home. The chain id needs no quotes: the schema
   * allows lower-case letters, digits and dashes.
   */
  private static final String SCRIPT =
      """
      set -eu
      cd "$HOME"
      marker=.sei-operator-restored
      new=.sei-operator-new-home
      state=data/priv_validator_state.json
      if [ -f $marker ] && [ "$(cat $marker)" = "$SNAPSHOT_UID" ]; then
        echo "the volume is the node's own already"
        exit 0
      fi
      echo "removing what belongs to the node that the snapshot was taken of"
      rm -rf config/node_key.json config/priv_validator_key.json config/addrbook.json $state
      rm -rf keyring-* sidecar.db* .sei-sidecar-* .sei-operator-*
      seid init %1$s --chain-id %1$s --home "$HOME/$new" --overwrite
      mkdir -p config data
      mv $new/config/node_key.json $new/config/priv_validator_key.json config
      mv $new/$state $state
      rm -rf $new
      sync
      echo "$SNAPSHOT_UID" > $marker.new
      sync
      mv $marker.new $marker
      sync
      """;

  private DataRestoreContainer() {}

  /** The container, if the node's claim was made from a VolumeSnapshot. */
  static Optional<Container> render(SeiNode node) {
    return Optional.ofNullable(node.getStatus())
        .map(SeiNodeStatus::restoredFrom)
        .map(RestoredFrom::uid)
        .map(
            uid ->
                HomeScript.of(
                        NAME, node.getSpec().image(), SCRIPT.formatted(node.getSpec().chainId()))
                    .addToEnv(
                        new EnvVar("TMPDIR", Volumes.HOME, null),
                        new EnvVar("SNAPSHOT_UID", uid, null))
                    .build());
  }
}
