package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Every field of a node's spec, once: what a change of it does, and what of a fleet it belongs to.
 * The spec hash, the configuration's hash, and all that a fleet does with a node's fields go by
 * this table.
 */
public final class SpecFields {

  /** Effect of a change on a running node. */
  public enum Effect {
    /** Replaces the pod: the field is in the spec hash. */
    RESTARTS,
    /**
     * Set or not, it names the mode, which is in both hashes; what is in it has rows of its own.
     */
    MODE,
    /** Has the sidecar configure the node: the field is in the configuration's hash. */
    CONFIGURES,
    /** Scales the StatefulSet to 0 or 1: the field is in no hash. */
    STOPS,
    /** Changes the claim and with it the volume: the field is in no hash. */
    CHANGES_VOLUME,
    /** The field is in no hash; it may be in the pod, and counts from the next one. */
    NONE
  }

  /** Part of a fleet to which a field belongs. */
  public enum Scope {
    /** A version of the template, stored with it. */
    TEMPLATE,
    /** The field has no version: every node has the value of the present template. */
    EVERY_NODE,
    /**
     * The field has no version: a node keeps its own value, also at adoption, unless the present
     * template has one.
     */
    NODE,
    /** One node alone: no template may say it. */
    NODE_ONLY
  }

  /**
   * A field with all that is in it, but for what has a row of its own.
   *
   * @param path from the spec, in the names of the API
   * @param key its name in a hash; null if it is in none
   * @param value its value in a hash, in a form that depends on the user's intent alone; what comes
   *     to null, or to an empty map, takes no part
   * @param with a spec with the value that another has; null if it belongs to a template
   */
  public record SpecField(
      String path,
      Effect effect,
      Scope scope,
      String key,
      Function<SeiNodeSpec, Object> value,
      BinaryOperator<SeiNodeSpec> with) {

    private SpecField as(String name) {
      return new SpecField(path, effect, scope, name, value, with);
    }

    private SpecField with(Effect other) {
      return new SpecField(path, other, scope, key, value, with);
    }

    private SpecField of(Scope other, BinaryOperator<SeiNodeSpec> setter) {
      return new SpecField(path, effect, other, key, value, setter);
    }
  }

  /** The order is of no account. */
  public static final List<SpecField> ALL =
      List.of(
          restarts("chainId", spec -> CanonicalForm.text(spec.chainId())),
          restarts("image", spec -> CanonicalForm.text(spec.image())),
          inNoHash("genesis"),
          configures("peers", SeiNodeSpec::peers),
          configures("overrides", SeiNodeSpec::overrides),
          configures("configValues", SpecFields::values),
          restarts("sidecar", spec -> CanonicalForm.sidecar(spec.sidecar())),
          restarts("podLabels", spec -> CanonicalForm.podLabels(spec.podLabels())),
          restarts("dataVolume.import", CanonicalForm::importedClaim).as("importedClaim"),
          inNoHash("dataVolume.onDelete"),
          inNoHash("dataVolume.storage").with(Effect.CHANGES_VOLUME),
          inNoHash("dataVolume.from"),
          inNoHash("dataVolume.acceptDataLoss")
              .of(Scope.NODE_ONLY, (spec, from) -> spec.withDataVolume(unaccepted(spec))),
          mode("fullNode"),
          inNoHash("fullNode.snapshot"),
          configures("fullNode.snapshotGeneration", SpecFields::kept).as("keepRecent"),
          configures("fullNode.freeze", SpecFields::freezeHeight).as("freezeHeight"),
          mode("archive"),
          configures("archive.snapshotGeneration", SpecFields::kept).as("keepRecent"),
          configures("archive.freeze", SpecFields::freezeHeight).as("freezeHeight"),
          mode("replayer"),
          inNoHash("replayer.snapshot"),
          inNoHash("replayer.resultExport"),
          mode("seed"),
          restarts("seed.nodeKey", CanonicalForm::keys).as("keys"),
          mode("validator"),
          inNoHash("validator.snapshot"),
          inNoHash("validator.genesisCeremony")
              .of(
                  Scope.EVERY_NODE,
                  validator((it, from) -> it.withGenesisCeremony(from.genesisCeremony()))),
          restarts("validator.signingKey", CanonicalForm::keys).as("keys"),
          restarts("validator.nodeKey", CanonicalForm::keys).as("keys"),
          restarts("validator.operatorKeyring", CanonicalForm::keys).as("keys"),
          restarts("validator.remoteSigner.publicKey", CanonicalForm::keys).as("keys"),
          configures("validator.remoteSigner.listen", SpecFields::listen),
          inNoHash("validator.acceptSigningStateLoss")
              .of(
                  Scope.NODE,
                  validator(
                      (it, from) -> it.withAcceptSigningStateLoss(from.acceptSigningStateLoss()))),
          inNoHash("validator.signingKeyTransferTo")
              .of(
                  Scope.NODE,
                  validator(
                      (it, from) -> it.withSigningKeyTransferTo(from.signingKeyTransferTo()))),
          configures("externalAddress", SeiNodeSpec::externalAddress)
              .of(Scope.NODE, (spec, from) -> spec.withExternalAddress(from.externalAddress())),
          // A fleet passes its pause on, and takes back any other.
          inNoHash("paused")
              .with(Effect.STOPS)
              .of(Scope.EVERY_NODE, (spec, from) -> spec.withPaused(from.paused())),
          // When seid stops makes no difference to the pod in which it does not run.
          restarts("maintenance", spec -> spec.holding().map(any -> true).orElse(null))
              .as("held")
              .of(Scope.NODE, (spec, from) -> spec.withMaintenance(from.maintenance())),
          restarts("dataResetGeneration", SeiNodeSpec::dataResetGeneration)
              .of(Scope.NODE_ONLY, (spec, from) -> spec.withDataResetGeneration(null)),
          restarts("terminationGracePeriodSeconds", spec -> spec.terminationGracePeriodSeconds()),
          restarts("resources", spec -> CanonicalForm.resources(spec.resources())),
          restarts("scheduling", spec -> CanonicalForm.scheduling(spec.placement())),
          inNoHash("progressDeadlineSeconds"),
          inNoHash("startDeadlineSeconds"),
          inNoHash("upgrades")
              .of(Scope.EVERY_NODE, (spec, from) -> spec.withUpgrades(from.upgrades())),
          inNoHash("upgradesPaused")
              .of(Scope.EVERY_NODE, (spec, from) -> spec.withUpgradesPaused(from.upgradesPaused())),
          inNoHash("upgradePolicy")
              .of(Scope.EVERY_NODE, (spec, from) -> spec.withUpgradePolicy(from.upgradePolicy())),
          inNoHash("updatePolicy")
              .of(Scope.EVERY_NODE, (spec, from) -> spec.withUpdatePolicy(from.updatePolicy())));

  /** Parts that are in no hash though their field is. */
  private static final Set<String> PARTS_IN_NO_HASH =
      Set.of(
          // Snapshots are uploaded by a task beside the plan.
          "fullNode.snapshotGeneration.tendermint.publish",
          "archive.snapshotGeneration.tendermint.publish",
          // Each request to sign a transaction names the account to the sidecar.
          "validator.operatorKeyring.secret.keyName");

  private static final SeiNodeSpec NOTHING = SeiNodeSpecBuilder.builder().build();

  private SpecFields() {}

  /** Returns the effect of a change of a field, or of a part of one. */
  public static Effect effectOf(String path) {
    if (PARTS_IN_NO_HASH.contains(path)) {
      return Effect.NONE;
    }
    return ALL.stream()
        .filter(row -> path.equals(row.path()) || path.startsWith(row.path() + "."))
        .max(Comparator.comparing(row -> row.path().length()))
        .orElseThrow()
        .effect();
  }

  /** The paths of the fields that fit. */
  public static Stream<String> paths(Predicate<SpecField> fitting) {
    return ALL.stream().filter(fitting).map(SpecField::path);
  }

  /**
   * Returns whether a field of a node that belongs to a fleet is set in the template of the fleet.
   * A pause can be in a template, and then stops all nodes, which is not what is meant for one of
   * them.
   */
  public static boolean isOfTemplate(String path) {
    Predicate<String> isPart = field -> path.equals(field) || path.startsWith(field + ".");
    boolean isOfNode =
        path.equals("paused")
            || paths(field -> field.scope() == Scope.NODE || field.scope() == Scope.NODE_ONLY)
                .anyMatch(isPart);
    return !isOfNode && paths(field -> true).anyMatch(isPart);
  }

  /** Returns the values of a spec's selected fields by their keys, ready to be digested. */
  public static SortedMap<String, Object> intent(SeiNodeSpec spec, Predicate<SpecField> fitting) {
    var intent = new TreeMap<String, Object>();
    ALL.stream()
        .filter(fitting)
        .forEach(field -> put(intent, field.key(), field.value().apply(spec)));
    return intent;
  }

  /** The paths of what a node keeps of its own, beside the spec that is rendered for it. */
  public static Stream<String> left(SeiNodeSpec rendered) {
    return paths(
        field ->
            field.scope() == Scope.NODE_ONLY
                || (field.scope() == Scope.NODE
                    && field.with().apply(rendered, NOTHING).equals(rendered)));
  }

  /**
   * Returns a version of a template as it is stored: without the fields that belong to no version.
   */
  public static NodeTemplate versioned(NodeTemplate template) {
    return template.withSpec(withOwn(template.spec(), NOTHING));
  }

  /**
   * Returns a stored version of a template as nodes get it: the fields that belong to no version,
   * set or unset, are those of the present template.
   */
  public static NodeTemplate withUnversionedFields(NodeTemplate version, NodeTemplate inForce) {
    return version.withSpec(withOwn(version.spec(), inForce.spec()));
  }

  private static SeiNodeSpec withOwn(SeiNodeSpec version, SeiNodeSpec inForce) {
    SeiNodeSpec spec = version;
    for (SpecField field : ALL) {
      spec = field.scope() == Scope.TEMPLATE ? spec : field.with().apply(spec, inForce);
    }
    return spec;
  }

  private static void put(SortedMap<String, Object> intent, String key, Object value) {
    if (value != null && !(value instanceof Map<?, ?> fields && fields.isEmpty())) {
      intent.put(key, value);
    }
  }

  private static SpecField restarts(String path, Function<SeiNodeSpec, Object> value) {
    return new SpecField(path, Effect.RESTARTS, Scope.TEMPLATE, path, value, null);
  }

  private static SpecField configures(String path, Function<SeiNodeSpec, Object> value) {
    return new SpecField(path, Effect.CONFIGURES, Scope.TEMPLATE, path, value, null);
  }

  private static SpecField mode(String path) {
    return new SpecField(path, Effect.MODE, Scope.TEMPLATE, null, null, null);
  }

  private static SpecField inNoHash(String path) {
    return new SpecField(path, Effect.NONE, Scope.TEMPLATE, null, null, null);
  }

  private static BinaryOperator<SeiNodeSpec> validator(BinaryOperator<Validator> setter) {
    Validator nothing = ValidatorBuilder.builder().build();
    return (spec, from) ->
        spec.validator() == null
            ? spec
            : spec.withValidator(
                setter.apply(
                    spec.validator(), Objects.requireNonNullElse(from.validator(), nothing)));
  }

  private static DataVolume unaccepted(SeiNodeSpec spec) {
    return DataVolume.withoutAcceptance(spec.dataVolume());
  }

  /** A list by two keys, whose order is of no account. */
  private static Object values(SeiNodeSpec spec) {
    return spec.configValues() == null || spec.configValues().isEmpty()
        ? null
        : spec.configValues().stream()
            .sorted(Comparator.comparing(ConfigValue::fileName).thenComparing(ConfigValue::key))
            .toList();
  }

  private static Object kept(SeiNodeSpec spec) {
    return spec.stateSyncSnapshots().map(tendermint -> tendermint.keepRecent()).orElse(null);
  }

  private static Object listen(SeiNodeSpec spec) {
    return spec.remoteSigner().map(RemoteSigner::listen).orElse(null);
  }

  private static Object freezeHeight(SeiNodeSpec spec) {
    return spec.freeze().map(Freeze::height).orElse(null);
  }
}
