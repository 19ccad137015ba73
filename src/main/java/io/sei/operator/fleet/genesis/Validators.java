package io.sei.operator.fleet.genesis;

import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.Child;
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
  static Optional<FleetGenesis> genesisOf(FleetView view) {
    return view.children().stream()
        .filter(child -> own(child.node()).isPresent())
        .max(Comparator.comparing(Child::ordinal))
        .map(
            child -> {
              int validators = child.ordinal() + 1;
              return new FleetGenesis(
                  validators, own(child.node()).orElseThrow().configMap(), null);
            });
  }

  /** Returns whether there have been nodes, which began with another genesis. */
  static boolean hadOthers(FleetView view) {
    List<String> known = view.stored().incumbentNodes();
    return !view.children().isEmpty()
        || view.stored().completedTemplateHash() != null
        || (known != null && !known.isEmpty());
  }

  /** The template as the node with an ordinal is to have it: what it has of a ceremony stays. */
  static NodeTemplate given(FleetView view, NodeTemplate template, int ordinal) {
    SeiNodeSpec spec = template.spec();
    return spec.validator() == null
        ? template
        : view.child(ordinal)
            .flatMap(Validators::own)
            .or(() -> made(view, ordinal))
            .map(
                ceremony ->
                    template.withSpec(
                        spec.withValidator(spec.validator().withGenesisCeremony(ceremony))))
            .orElse(template);
  }

  /** A node that is no validator of the genesis has keys of its own. */
  private static Optional<GenesisCeremony> made(FleetView view, int ordinal) {
    FleetGenesis record = view.stored().genesis();
    Genesis genesis = view.deployment().getSpec().genesis();
    if (!FleetGenesis.isMade(record) || genesis == null) {
      return Optional.empty();
    }
    var keys = KeySecretNames.of(ChildRenderer.name(view.deployment(), ordinal));
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
            peers(view, record, ordinal)));
  }

  /**
   * The validators but for the node with an ordinal, at the addresses that each has from now on.
   */
  private static List<String> peers(FleetView view, FleetGenesis record, int ordinal) {
    List<String> ids = record.nodeIds() == null ? List.of() : record.nodeIds();
    return IntStream.range(0, ids.size())
        .filter(range -> range != ordinal)
        .mapToObj(range -> ids.get(range) + "@" + address(view, range))
        .toList();
  }

  private static String address(FleetView view, int ordinal) {
    return Names.peerAddress(RENDERER.render(view.deployment(), ordinal, view.template()));
  }

  /** Returns the keys that this operator gave to a node; another operator sets no ConfigMap. */
  private static Optional<GenesisCeremony> own(SeiNode node) {
    return node.getSpec().ceremony().filter(ceremony -> ceremony.configMap() != null);
  }
}
