package io.sei.operator.fleet.genesis;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import java.util.List;
import java.util.Optional;

/** PURE: the ConfigMap that is created once all else of a ceremony is made. */
final class GenesisConfigMap {

  /** On an object that a ceremony made: uid of the fleet for which it was made. */
  static final String GENESIS_OF = "sei.io/genesis-of";

  private static final String VALIDATORS = "sei.io/genesis-validators";
  private static final String NODE_IDS = "sei.io/genesis-node-ids";

  private static final String KEY = "genesis.json.gz";

  private GenesisConfigMap() {}

  static String name(SeiNodeDeployment fleet) {
    return fleet.getMetadata().getName() + "-genesis";
  }

  /**
   * Renders the ConfigMap. It has no owner, as nodes of other resources may begin with it.
   *
   * @param stored as {@link GenesisDocument#stored} has it
   * @param nodeIds of the validators, by ordinal
   */
  static ConfigMap render(SeiNodeDeployment fleet, String stored, List<String> nodeIds) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name(fleet))
        .withNamespace(fleet.getMetadata().getNamespace())
        .addToLabels(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName())
        .addToAnnotations(GENESIS_OF, fleet.getMetadata().getUid())
        .addToAnnotations(VALIDATORS, String.valueOf(nodeIds.size()))
        .addToAnnotations(NODE_IDS, String.join(",", nodeIds))
        .endMetadata()
        .withImmutable(true)
        .addToBinaryData(KEY, stored)
        .build();
  }

  /** The record of a genesis that is there; empty if this is none of a ceremony. */
  static Optional<FleetGenesis> record(ConfigMap genesis) {
    return Annotations.of(genesis, VALIDATORS)
        .filter(text -> text.matches("[1-9][0-9]{0,2}"))
        .map(Integer::valueOf)
        .map(number -> new FleetGenesis(number, key(genesis), nodeIds(genesis)));
  }

  /**
   * The genesis in it; empty if it has none.
   *
   * @throws BoundedJson.TooLarge if the heap is too small for it
   */
  static Optional<GenesisDocument> document(ConfigMap genesis) throws BoundedJson.TooLarge {
    String stored = genesis.getBinaryData() == null ? null : genesis.getBinaryData().get(KEY);
    return stored == null ? Optional.empty() : GenesisDocument.ofStored(stored);
  }

  private static ConfigMapKey key(ConfigMap genesis) {
    return new ConfigMapKey(genesis.getMetadata().getName(), KEY);
  }

  private static List<String> nodeIds(ConfigMap genesis) {
    return Annotations.of(genesis, NODE_IDS).map(text -> List.of(text.split(","))).orElse(null);
  }
}
