package io.sei.operator.fleet.genesis;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * PURE: whether a deployment may go on with the chain that an earlier one of its name has made:
 * only with each validator's keys and with its claim, which has what was signed with them.
 */
final class Inheritance {

  /**
   * Remaining objects of one validator.
   *
   * @param node its name
   * @param claim name of its claim
   * @param found Secrets, claim and node, by kind and name
   */
  record Remains(
      String node, KeySecretNames secrets, String claim, Map<String, HasMetadata> found) {

    <T extends HasMetadata> Optional<T> get(Class<T> type, String name) {
      return Optional.ofNullable(found.get(key(type, name))).map(type::cast);
    }

    /** Returns the key under which an object is found. */
    static String key(Class<? extends HasMetadata> type, String name) {
      return HasMetadata.getKind(type) + " " + name;
    }
  }

  private final List<String> lacking = new ArrayList<>();

  private Inheritance() {}

  /**
   * Returns the objects that are missing or differ; empty if there are none.
   *
   * @param genesis of the name that the deployment's own would have
   * @param remains of its validators, by ordinal
   */
  static List<String> lacking(SeiNodeDeployment fleet, ConfigMap genesis, List<Remains> remains) {
    Optional<FleetGenesis> record = GenesisConfigMap.record(genesis);
    Optional<String> maker = Annotations.of(genesis, GenesisConfigMap.GENESIS_OF);
    if (record.isEmpty() || maker.isEmpty() || genesis.isMarkedForDeletion()) {
      return List.of("it is no genesis of a deployment");
    }
    if (record.get().validators() != remains.size()) {
      return List.of("its chain has %d validators".formatted(record.get().validators()));
    }
    var inheritance = new Inheritance();
    remains.forEach(other -> inheritance.validator(other, maker.get()));
    if (inheritance.lacking.isEmpty()) {
      inheritance.keys(fleet, genesis, record.get(), remains);
    }
    return List.copyOf(inheritance.lacking);
  }

  private void validator(Remains remains, String maker) {
    for (String name : remains.secrets().all()) {
      boolean isOf =
          remains
              .get(Secret.class, name)
              .filter(secret -> !secret.isMarkedForDeletion())
              .filter(secret -> Annotations.has(secret, GenesisConfigMap.GENESIS_OF, maker))
              .isPresent();
      rejectIf(!isOf, "Secret " + name + " is gone, or of another chain");
    }
    boolean isKept =
        remains
            .get(PersistentVolumeClaim.class, remains.claim())
            .filter(claim -> !claim.isMarkedForDeletion())
            .filter(claim -> Ownership.controller(claim).isEmpty())
            .filter(claim -> Labels.isOfNode(claim, remains.node()))
            .isPresent();
    rejectIf(!isKept, "PersistentVolumeClaim " + remains.claim() + " is gone, or in use");
    rejectIf(
        remains.get(SeiNode.class, remains.node()).isPresent(),
        "SeiNode " + remains.node() + " is still there");
  }

  /** Annotations can be forged, and an immutable Secret deleted and recreated. */
  private void keys(
      SeiNodeDeployment fleet, ConfigMap genesis, FleetGenesis record, List<Remains> remains) {
    List<String> publicKeys =
        remains.stream()
            .map(other -> other.get(Secret.class, other.secrets().signingKey()).orElseThrow())
            .map(KeySecretNames::publicKey)
            .toList();
    List<String> nodeIds =
        remains.stream()
            .map(other -> other.get(Secret.class, other.secrets().nodeKey()).orElseThrow())
            .map(KeySecretNames::nodeId)
            .toList();
    try {
      Optional<GenesisDocument> document = GenesisConfigMap.document(genesis);
      rejectIf(document.isEmpty(), "it holds no genesis");
      document
          .flatMap(genesisDocument -> genesisDocument.defect(fleet.getSpec().genesis(), publicKeys))
          .ifPresent(lacking::add);
    } catch (BoundedJson.TooLarge e) {
      lacking.add("its genesis is too large: " + e.getMessage());
    }
    rejectIf(
        record.nodeIds() != null && !record.nodeIds().equals(nodeIds),
        "a validator of it has another node key than its Secret");
  }

  private void rejectIf(boolean broken, String why) {
    if (broken) {
      lacking.add(why);
    }
  }
}
