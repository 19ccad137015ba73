package io.sei.operator.node.config;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.ConfigFiles;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.ConfigHash;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Has the sidecar write the configuration files, and write them again when the spec asks for
 * another configuration.
 *
 * @param features add their settings to the files
 * @param restart of seid, which reads the files when it starts
 */
public record Configuration(List<NodeFeature> features, ConfigRestart restart)
    implements NodeFeature {

  @Override
  public Next observe(NodePass pass) {
    return restart.observe(pass);
  }

  @Override
  public SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return restart.overlay(spec, status, kept);
  }

  @Override
  public void conditions(ConditionParts conditions) {
    restart.conditions(conditions);
  }

  @Override
  public void operations(OperationParts operations) {
    operations
        .task(
            SidecarWork.of(SidecarTaskTypes.CONFIG_APPLY, Traits.OF_SIDECAR)
                .withGuard(VolumeHistory::check))
        .task(
            SidecarWork.of(SidecarTaskTypes.CONFIG_PATCH, Traits.OF_SIDECAR)
                .withRequest((params, pass) -> ConfigPatch.request(params)))
        .task(
            SidecarWork.of(SidecarTaskTypes.CONFIG_VALIDATE, Traits.OF_SIDECAR)
                .withOnCompleted(ConfigRecord::applied))
        .steps(Slot.CONFIGURE, (view, shape) -> written(view, shape).stream())
        .steps(Slot.VALIDATE, this::completed)
        .trigger(PlanConflict.NONE, this::withoutPlan)
        .trigger(
            PlanConflict.ACTIVE,
            view -> {
              TaskPlan plan = view.stored().plan();
              return plan.kind() == PlanKind.MARK_READY
                  ? Optional.empty()
                  : ofChange(view, plan.target().configHash(), plan.kind());
            })
        .trigger(
            PlanConflict.FAILED,
            view -> {
              TaskPlan plan = view.stored().plan();
              return ofChange(
                  view,
                  plan.target().configHash(),
                  plan.kind() == PlanKind.CONFIG ? PlanKind.CONFIG : view.podPlan());
            });
    restart.operations(operations);
  }

  /** Records the configuration of an adopted node before its spec may change further. */
  @Override
  public Next protect(NodePass pass) {
    ConfigRecord.adopt(pass);
    return Next.goOn();
  }

  /** Adds the defaults of the mode, and the values of the spec, which take precedence. */
  @Override
  public void config(NodeView view, ConfigParts parts) {
    SeiNodeSpec spec = view.node().getSpec();
    ModeDefaults.of(spec).forEach(parts::set);
    Optional.ofNullable(spec.overrides()).ifPresent(parts::override);
    Optional.ofNullable(spec.configValues()).ifPresent(parts::values);
  }

  /** Settings that all features add to the files. */
  ConfigParts parts(NodeView view, PlanShape shape) {
    var parts = new ConfigParts(shape);
    features.forEach(feature -> feature.config(view, parts));
    config(view, parts);
    return parts;
  }

  private Stream<Step> completed(NodeView view, PlanShape shape) {
    return shape == PlanShape.MARK_READY
        ? Stream.empty()
        : Stream.concat(
            ConfigPatch.step(parts(view, shape), view.stored().config()).stream(),
            Stream.of(new Step(SidecarTaskTypes.CONFIG_VALIDATE, null)));
  }

  private Optional<Step> written(NodeView view, PlanShape shape) {
    SeiNodeSpec spec = view.node().getSpec();
    return switch (shape) {
      case INIT, JOB -> {
        ConfigParts parts = parts(view, shape);
        yield Optional.of(ConfigApply.whole(spec, parts, parts.files()));
      }
      // Nothing of the state sync that filled the volume is left in them.
      case AFTER_JOB ->
          Optional.of(ConfigApply.whole(spec, parts(view, shape), ConfigFiles.REPLACED));
      case UPDATE, CONFIG -> {
        ConfigParts parts = parts(view, shape);
        yield view.isConfigured() && !hasKeptFiles(view) && !parts.isAgain()
            ? Optional.empty()
            : Optional.of(ConfigApply.patch(spec, parts, view.stored().config()));
      }
      case MARK_READY -> Optional.empty();
    };
  }

  /** Returns whether files were kept that can be written again now. */
  private boolean hasKeptFiles(NodeView view) {
    AppliedConfig config = view.stored().config();
    return config != null
        && (config.keysLeft() != null || Boolean.TRUE.equals(config.inherited()))
        && parts(view, PlanShape.CONFIG).files() == ConfigFiles.REPLACED;
  }

  private Optional<PlanTrigger> withoutPlan(NodeView view) {
    AppliedConfig config = view.stored().config();
    if (config == null || view.livePod().isEmpty()) {
      return Optional.empty();
    }
    Optional<PlanTrigger> change = ofChange(view, config.hash(), PlanKind.CONFIG);
    return change.isPresent() || !hasKeptFiles(view)
        ? change
        : Optional.of(
            PlanTrigger.of(
                Rank.CONFIGURATION,
                PlanKind.CONFIG,
                "the node has synced, so its configuration files can be written again"));
  }

  /**
   * Returns a trigger if the spec asks for another configuration.
   *
   * @param hash of the configuration that a plan has written, or writes
   */
  private static Optional<PlanTrigger> ofChange(NodeView view, String hash, PlanKind kind) {
    return ConfigHash.isKnownFormat(hash) && !hash.equals(view.configHash())
        ? Optional.of(PlanTrigger.of(Rank.CONFIGURATION, kind, "the configuration changed"))
        : Optional.empty();
  }
}
