package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.Container;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.render.HomeScript;
import java.util.Optional;

/**
 * The init container that wipes the chain data once. It comes before all others, in a pod that
 * there is only once the pod before it is gone, so nothing has the volume open.
 */
final class DataResetContainer {

  private static final String NAME = "data-reset";

  /**
   * Ends where it was interrupted: the signing state is outside {@code data} before anything is
   * removed, and is not read from there again once it is gone. What was done is on the volume, so
   * that no pod repeats it.
   */
  private static final String SCRIPT =
      """
      set -eu
      cd "$HOME"
      generation=%d
      marker=.sei-operator-data-reset
      state=data/priv_validator_state.json
      saved=.sei-operator-signing-state-$generation.json
      copy() {
        cp "$1" "$2.new"
        sync
        [ "$(cat "$2.new")" = "$(cat "$1")" ]
        mv "$2.new" "$2"
        sync
      }
      if [ -f $marker ] && [ "$(cat $marker)" -ge $generation ]; then
        echo "the data was reset already"
        rm -f .sei-operator-signing-state-*
        exit 0
      fi
      if [ -f $state ]; then
        copy $state $saved
      fi
      echo "removing the chain data"
      rm -rf data wasm sidecar.db* .sei-sidecar-*
      mkdir data
      if [ -f $saved ]; then
        copy $saved $state
      fi
      echo $generation > $marker.new
      sync
      mv $marker.new $marker
      sync
      rm -f .sei-operator-signing-state-*
      """;

  private DataResetContainer() {}

  /** The container, if a reset was recorded for the number that the spec has. */
  static Optional<Container> render(SeiNode node) {
    return Optional.ofNullable(node.getStatus())
        .map(SeiNodeStatus::dataReset)
        .filter(reset -> reset.claimUid() != null)
        .map(DataReset::generation)
        .filter(generation -> generation.equals(node.getSpec().dataResetGeneration()))
        .map(
            generation ->
                HomeScript.of(NAME, node.getSpec().image(), SCRIPT.formatted(generation)).build());
  }
}
