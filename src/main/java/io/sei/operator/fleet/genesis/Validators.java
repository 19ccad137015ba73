package io.sei.operator.fleet.genesis;

import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.FleetSnapshot.Child;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.Names;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** PURE: what the nodes of a fleet have of its ceremony. */
final class Validators {

  private static final ChildRenderer RENDERER = new ChildRenderer();

  private Validators() {}

  /** The genesis that nodes which are there began with, after a ceremony that has no record. */
  static Optional<FleetGenesis> genesisOf(FleetSnapshot snapshot) {
    return snapshot.children().stream()
        .filter(it -> own(it.node()).isPresent())
        .max(Comparator.comparing(Child::ordinal))
        .map(
            it -> {
              int validators = it.ordinal() + 1;
              return new FleetGenesis(validators, own(it.node()).orElseThrow().configMap(), null);
            });
  }

  /** Whether there have been nodes, which began with another genesis. */
  static boolean hadOthers(FleetSnapshot snapshot) {
    List<String> known = snapshot.status().incumbentNodes();
    return !snapshot.children().isEmpty()
        || snapshot.status().templateHash() != null
        || (known != null && !known.isEmpty());
  }

  /** The template as the node with an ordinal is to have it: what it has of a ceremony stays. */
  static NodeTemplate given(FleetSnapshot snapshot, NodeTemplate template, int ordinal) {
    SeiNodeSpec spec = template.spec();
    return spec.validator() == null
        ? template
        : snapshot
            .child(ordinal)
            .flatMap(Validators::own)
            .or(() -> made(snapshot, ordinal))
            .map(
                it ->
                    template.withSpec(spec.withValidator(spec.validator().withGenesisCeremony(it))))
            .orElse(template);
  }

  /** One that is no validator of the genesis has keys of its own. */
  private static Optional<GenesisCeremony> made(FleetSnapshot snapshot, int ordinal) {
    FleetGenesis record = snapshot.status().genesis();
    Genesis genesis = snapshot.deployment().getSpec().genesis();
    if (!FleetGenesis.isMade(record) || genesis == null) {
      return Optional.empty();
    }
    var keys = KeySecretNames.of(ChildRenderer.name(snapshot.deployment(), ordinal));
    boolean validates = record.isValidator(ordinal);
    return Optional.of(
        new GenesisCeremony(
            genesis.chainId(),
            genesis.stakingAmount(),
            genesis.accountBalance(),
            ordinal,
            validates ? keys.signingKey() : null,
            validates ? keys.nodeKey() : null,
            record.configMap(),
            peers(snapshot, record, ordinal)));
  }

  /**
   * The validators but for the node with an ordinal, at the addresses that each has from now on.
   */
  private static List<String> peers(FleetSnapshot snapshot, FleetGenesis record, int ordinal) {
    List<String> ids = record.nodeIds() == null ? List.of() : record.nodeIds();
    return IntStream.range(0, ids.size())
        .filter(it -> it != ordinal)
        .mapToObj(it -> ids.get(it) + "@" + address(snapshot, it))
        .toList();
  }

  private static String address(FleetSnapshot snapshot, int ordinal) {
    return Names.peerAddress(RENDERER.render(snapshot.deployment(), ordinal, snapshot.template()));
  }

  /** What this operator gave to a node; another one gives no ConfigMap. */
  private static Optional<GenesisCeremony> own(SeiNode node) {
    return node.getSpec().ceremony().filter(it -> it.configMap() != null);
  }
}
