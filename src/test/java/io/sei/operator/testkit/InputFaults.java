package io.sei.operator.testkit;

import io.sei.operator.api.v1alpha1.StallReason;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Faults of what a node is given: keys, a genesis, and nodes to sync state from. */
final class InputFaults {

  private static final String SIGNING = FaultStage.SIGNING;
  private static final String IDENTITY = FaultStage.IDENTITY;
  private static final String BY_ITSELF = "the node goes on by itself";

  private static final String TWO_PEERS =
      "{\"peers\":[{\"static\":{\"addresses\":[\"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h1:26656\",\"e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h2:26656\"]}}]}";

  private InputFaults() {}

  static List<Fault> all() {
    return Stream.of(ofSigningKeys(), ofOtherKeys(), ofGenesis(), ofWitnesses())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Fault> ofSigningKeys() {
    return List.of(
        Fault.of(
                StallReason.SIGNING_KEY_MISSING,
                "A validator is created before the Secret with its signing key.",
                stage -> stage.put(ThrowAwayKeys.nodeKey(IDENTITY)),
                List.of("Secret " + SIGNING + " does not exist", "create the Secret", BY_ITSELF),
                "The Secret is created.",
                stage -> stage.put(ThrowAwayKeys.signingKey(SIGNING)))
            .thereFirst(),
        Fault.of(
                StallReason.SIGNING_KEY_INVALID,
                "A validator is created, and the Secret with its signing key holds another file.",
                stage -> {
                  stage.put(ThrowAwayKeys.nodeKey(IDENTITY));
                  stage.put(ThrowAwayKeys.secret(SIGNING, Map.of("key.json", "{}")));
                },
                List.of(
                    "Secret " + SIGNING + " has no priv_validator_key.json",
                    "correct the Secret",
                    BY_ITSELF),
                "The Secret is corrected.",
                stage -> stage.put(ThrowAwayKeys.signingKey(SIGNING)))
            .thereFirst()
            .atOnce(),
        Fault.of(
                StallReason.SIGNING_KEY_IN_USE,
                "A validator is created, and a pod of nobody has its signing key.",
                stage -> {
                  stage.putKeys();
                  stage.createSigner();
                },
                List.of("is used by Pod signer", "delete or pause that one"),
                "The pod is deleted.",
                FaultStage::deleteSigner)
            .thereFirst());
  }

  private static List<Fault> ofOtherKeys() {
    return List.of(
        Fault.of(
                StallReason.KEY_SECRET_MISSING,
                "A validator is created before the Secret with its P2P identity.",
                stage -> stage.put(ThrowAwayKeys.signingKey(SIGNING)),
                List.of("Secret " + IDENTITY + " does not exist", "create the Secret", BY_ITSELF),
                "The Secret is created.",
                stage -> stage.put(ThrowAwayKeys.nodeKey(IDENTITY)))
            .thereFirst(),
        Fault.of(
                StallReason.KEY_SECRET_INVALID,
                "A validator is created, and its P2P identity is not a key.",
                stage -> {
                  stage.put(ThrowAwayKeys.signingKey(SIGNING));
                  stage.put(ThrowAwayKeys.secret(IDENTITY, Map.of("node_key.json", "{}")));
                },
                List.of(
                    "Secret " + IDENTITY + " has a node_key.json without priv_key.type",
                    "correct the Secret",
                    BY_ITSELF),
                "The Secret is corrected.",
                stage -> stage.put(ThrowAwayKeys.nodeKey(IDENTITY)))
            .thereFirst()
            .atOnce());
  }

  private static List<Fault> ofGenesis() {
    return List.of(
        Fault.of(
                StallReason.GENESIS_MISSING,
                "A node of a private chain is created before the ConfigMap with the genesis.",
                stage -> {},
                List.of("ConfigMap chain does not exist", "put the genesis", BY_ITSELF),
                "The ConfigMap is created.",
                FaultStage::createGenesis)
            .thereFirst());
  }

  private static List<Fault> ofWitnesses() {
    return List.of(
        Fault.of(
                StallReason.WITNESSES_MISSING,
                "A node is created that is to sync its state, with a single peer.",
                stage -> {},
                List.of("state sync needs 2 nodes", "only h1:26657 is available", BY_ITSELF),
                "Another peer is named.",
                stage -> stage.patchSpec(TWO_PEERS))
            .thereFirst());
  }
}
