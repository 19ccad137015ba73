package io.sei.operator.fleet.genesis;

import io.sei.operator.api.v1alpha1.Genesis;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** PURE: what has come of a ceremony, by the log of its container. */
sealed interface CeremonyResult {

  /**
   * A genesis.
   *
   * @param stored as {@link GenesisDocument#stored} has it
   */
  record Good(String stored) implements CeremonyResult {}

  /** None that a chain may begin with. */
  record Bad(String why) implements CeremonyResult {}

  /**
   * Reads and checks it.
   *
   * @param publicKeys of the validators' consensus keys, in base64
   */
  static CeremonyResult of(String log, Genesis genesis, List<String> publicKeys) {
    Optional<byte[]> compressed = GenesisBlock.in(log);
    try {
      Optional<GenesisDocument> made =
          compressed.isPresent() ? GenesisDocument.of(compressed.get()) : Optional.empty();
      return made.map(document -> checked(document, genesis, publicKeys))
          .orElseGet(() -> new Bad("the log of the ceremony has no whole genesis"));
    } catch (BoundedJson.TooLarge e) {
      return new Bad("the genesis is too large: " + e.getMessage());
    }
  }

  private static CeremonyResult checked(
      GenesisDocument document, Genesis genesis, List<String> publicKeys) {
    return document
        .override(genesis.overrides() == null ? Map.of() : genesis.overrides())
        .map("the genesis has no place for spec.genesis.overrides[%s]"::formatted)
        .or(() -> document.defect(genesis, publicKeys).map("the genesis is wrong: %s"::formatted))
        .<CeremonyResult>map(Bad::new)
        .orElseGet(() -> stored(document));
  }

  private static CeremonyResult stored(GenesisDocument document) {
    document.nameValidators();
    return document
        .stored()
        .<CeremonyResult>map(Good::new)
        .orElseGet(() -> new Bad("a ConfigMap cannot hold a genesis of this size"));
  }
}
