package io.sei.operator.fleet.genesis;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetGenesis;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.Ownership;
import io.sei.operator.kube.Refusal;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Next;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Makes the genesis of a fleet's own chain before any of its nodes, once. That the ConfigMap is
 * created is what makes it: what came before may be done again, but for the keys, and nothing is
 * done again after it.
 */
public record ChainGenesis(CeremonyObjects objects, GenesisReading reading)
    implements FleetFeature {

  private static final FleetConditionType TYPE = FleetConditionType.GENESIS_CEREMONY_COMPLETE;

  private static final String ANOTHER_IS_READ =
      "the genesis of another fleet is being read, one at a time";

  /** Makes the feature; all fleets share one reading of a genesis. */
  public static ChainGenesis of(KubeApi api, Clock clock) {
    return new ChainGenesis(new CeremonyObjects(api, clock), new GenesisReading());
  }

  @Override
  public Next prepare(FleetPass pass) {
    FleetView view = pass.view();
    SeiNodeDeployment fleet = pass.deployment();
    FleetGenesis record = pass.stored().genesis();
    if (FleetGenesis.isMade(record)) {
      return Next.goOn();
    }
    Optional<FleetGenesis> kept = Validators.genesisOf(view);
    if (kept.isPresent()) {
      FleetGenesis known = kept.get();
      return record(
          pass,
          objects
              .genesis(fleet, known.configMap().name())
              .flatMap(GenesisConfigMap::record)
              .orElse(known));
    }
    if (fleet.getSpec().genesis() == null) {
      return Next.goOn();
    }
    Optional<ConfigMap> made = objects.genesis(fleet);
    boolean isOwn = made.filter(map -> CeremonyObjects.isOf(map, fleet)).isPresent();
    boolean isOfAnother = Validators.hadOthers(view) || said(pass).isPresent();
    if (!isOwn && record == null && isOfAnother) {
      return Next.goOn();
    }
    if (made.isPresent()) {
      return take(pass, made.get());
    }
    List<FieldError> broken = GenesisRules.broken(fleet.getSpec(), pass.now());
    if (!broken.isEmpty()) {
      return failed(pass, FieldError.joined(broken), "correct the spec");
    }
    return record == null ? begin(pass) : proceed(pass);
  }

  /** Keys and names that were used before are never used again. */
  private Next begin(FleetPass pass) {
    List<String> leftovers = objects.leftovers(pass.deployment());
    return leftovers.isEmpty()
        ? record(pass, FleetGenesis.begun())
        : failed(
            pass,
            "there is still %s, of an earlier chain".formatted(String.join(", ", leftovers)),
            "delete it once that chain is no longer needed, or take another name");
  }

  private Next proceed(FleetPass pass) {
    SeiNodeDeployment fleet = pass.deployment();
    Optional<Job> found = objects.job(fleet);
    if (found.isEmpty()) {
      return start(pass);
    }
    Job job = found.get();
    String name = "Job " + job.getMetadata().getName();
    if (!Ownership.isOurs(job, fleet)) {
      return failed(pass, name + " has another owner", "delete it, or take another name");
    }
    if (job.isMarkedForDeletion()) {
      return await(pass, job, name + " is being deleted, to begin again");
    }
    if (!CeremonyJob.isOf(job, fleet)) {
      return again(pass, job, "the spec has changed");
    }
    Optional<Pod> pod = objects.pod(job);
    return switch (CeremonyRun.of(job, pod)) {
      case CeremonyRun.Running running -> {
        boolean isRefused = pod.isEmpty() && !isYoung(job, pass.now());
        yield await(pass, job, name + running.words() + (isRefused ? objects.refusal(job) : ""));
      }
      case CeremonyRun.Failed failure -> failed(pass, name + " failed: " + failure.why(), retry());
      case CeremonyRun.Lost _ -> again(pass, job, "its pod was evicted or deleted");
      case CeremonyRun.Done done -> finish(pass, job, done.pod());
    };
  }

  private Next start(FleetPass pass) {
    SeiNodeDeployment fleet = pass.deployment();
    List<String> inTheWay = objects.inTheWay(fleet);
    if (!inTheWay.isEmpty()) {
      return inTheWay(pass, inTheWay);
    }
    try {
      objects.makeKeys(fleet);
    } catch (RefusedException e) {
      return failed(pass, e.getMessage(), afterRefusal(e.getMessage()));
    }
    List<String> unusable = objects.unusable(fleet);
    if (!unusable.isEmpty()) {
      return failed(
          pass,
          "being deleted, or of another deployment: Secret " + String.join(", ", unusable),
          "delete it once its key is no longer needed, or take another name");
    }
    objects.start(fleet, GenesisRules.limit(fleet.getSpec().genesis()).orElseThrow());
    return doing(pass, "Job " + CeremonyJob.name(fleet) + " starts", Recheck.SECONDS);
  }

  /** Returns the next step after the API server refused a Secret. */
  static String afterRefusal(String words) {
    return words.contains("cannot create resource")
        ? "grant the operator the right to create Secrets: rbac.createKeys"
        : Diagnosis.refused(words).nextStep();
  }

  /** A key that was lost meanwhile is in no genesis. */
  private Next finish(FleetPass pass, Job job, Pod pod) {
    SeiNodeDeployment fleet = pass.deployment();
    if (!objects.unusable(fleet).isEmpty()) {
      return again(pass, job, "a key of its validators is gone");
    }
    List<String> inTheWay = objects.inTheWay(fleet);
    if (!inTheWay.isEmpty()) {
      return inTheWay(pass, inTheWay);
    }
    List<String> publicKeys = objects.publicKeys(fleet);
    Optional<CeremonyResult> result;
    try {
      result =
          reading.read(
              () -> CeremonyResult.of(objects.log(pod), fleet.getSpec().genesis(), publicKeys));
    } catch (KubernetesClientException e) {
      return await(
          pass,
          job,
          "the log of pod %s cannot be read: %s"
              .formatted(pod.getMetadata().getName(), Refusal.words(e)));
    }
    if (result.isEmpty()) {
      return await(pass, job, ANOTHER_IS_READ);
    }
    return switch (result.get()) {
      case CeremonyResult.Bad _ when PodFacts.condition(job, "Complete").isEmpty() ->
          // The container has just ended, and its log may not be whole yet.
          await(pass, job, "the genesis is read");
      case CeremonyResult.Bad bad -> failed(pass, bad.why(), retry());
      case CeremonyResult.Good good -> {
        objects.commit(fleet, good.stored());
        yield objects
            .genesis(fleet)
            .map(map -> take(pass, map))
            .orElseGet(() -> Next.rest(Recheck.RACE));
      }
    };
  }

  private Next take(FleetPass pass, ConfigMap genesis) {
    SeiNodeDeployment fleet = pass.deployment();
    if (!CeremonyObjects.isOf(genesis, fleet)) {
      return inherit(pass, genesis);
    }
    Optional<FleetGenesis> made = GenesisConfigMap.record(genesis);
    if (made.isEmpty()) {
      return notOurs(pass, genesis, "it is no genesis of a deployment");
    }
    objects.job(fleet).filter(job -> Ownership.isOurs(job, fleet)).ifPresent(objects::delete);
    return record(pass, made.get());
  }

  /**
   * Continues with the chain of an earlier deployment, of which everything but the nodes exists.
   */
  private Next inherit(FleetPass pass, ConfigMap genesis) {
    SeiNodeDeployment fleet = pass.deployment();
    if (pass.stored().genesis() != null) {
      return notOurs(pass, genesis, "a ceremony of this one has begun");
    }
    // An account may have vested since.
    List<FieldError> broken = GenesisRules.broken(fleet.getSpec(), Instant.EPOCH);
    if (!broken.isEmpty()) {
      return failed(pass, FieldError.joined(broken), "correct the spec");
    }
    Optional<List<String>> lacking =
        reading.read(() -> Inheritance.lacking(fleet, genesis, objects.remains(fleet)));
    if (lacking.isEmpty()) {
      return doing(pass, ANOTHER_IS_READ, Recheck.UNWATCHED);
    }
    return lacking.get().isEmpty()
        ? record(pass, GenesisConfigMap.record(genesis).orElseThrow())
        : notOurs(pass, genesis, String.join("; ", lacking.get()));
  }

  private static Next notOurs(FleetPass pass, ConfigMap genesis, String why) {
    return failed(
        pass,
        "ConfigMap %s is not of this deployment, which cannot go on with its chain: %s"
            .formatted(genesis.getMetadata().getName(), why),
        "bring back what is gone, delete all that is left once the chain is no longer needed, or"
            + " take another name");
  }

  private Next again(FleetPass pass, Job job, String why) {
    objects.delete(job);
    offer(
        pass,
        no(
            FleetReason.IN_PROGRESS,
            "Job %s is recreated: %s".formatted(job.getMetadata().getName(), why)));
    return Next.rest(Recheck.RACE);
  }

  /** An object that a user made since the ceremony began is not taken over, and gets no key. */
  private static Next inTheWay(FleetPass pass, List<String> names) {
    return failed(
        pass,
        "not of this deployment, but with a name that it needs: " + String.join(", ", names),
        "delete it once it is no longer needed, or take another name");
  }

  private static String retry() {
    return "delete the Job to try again, or edit the spec";
  }

  private static Next record(FleetPass pass, FleetGenesis genesis) {
    pass.update(status -> status.withGenesis(genesis));
    return Next.writeFirst("genesis");
  }

  private static Next doing(FleetPass pass, String what, Duration recheck) {
    offer(pass, no(FleetReason.IN_PROGRESS, what));
    return Next.rest(recheck);
  }

  /** Waits, and reports for what once the ceremony takes longer than it may. */
  private static Next await(FleetPass pass, Job job, String what) {
    Genesis genesis = pass.deployment().getSpec().genesis();
    Duration limit = GenesisRules.limit(genesis).orElseThrow();
    return CeremonyRun.isOverdue(job, limit, pass.now())
        ? failed(
            pass,
            "%s, for longer than spec.genesis.maxCeremonyDuration of %d s"
                .formatted(what, limit.toSeconds()),
            "correct what it waits for, or delete the Job to try again")
        : doing(pass, what, isYoung(job, pass.now()) ? Recheck.SECONDS : Recheck.UNWATCHED);
  }

  /** A ceremony takes seconds; one that takes longer waits for an image, a machine or a person. */
  private static boolean isYoung(Job job, Instant now) {
    return !CeremonyRun.isOverdue(job, Duration.ofMinutes(1), now);
  }

  private static Next failed(FleetPass pass, String why, String nextStep) {
    var finding = new Finding(StallReason.CEREMONY_FAILED, why, nextStep, true);
    pass.note(finding);
    offer(pass, no(finding));
    return Next.rest(Recheck.CONFLICT);
  }

  @Override
  public BiFunction<NodeTemplate, Integer, NodeTemplate> child(FleetPass pass) {
    return (template, ordinal) -> Validators.given(pass.view(), template, ordinal);
  }

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(ChainGenesis::report);
  }

  private static void report(FleetPass pass) {
    if (concerns(pass) && !pass.proposals().containsKey(TYPE)) {
      pass.offer(TYPE, verdict(pass));
    }
  }

  /** Offers how far the ceremony is. A genesis that another operator has made stays complete. */
  private static void offer(FleetPass pass, ConditionProposal proposal) {
    if (said(pass).isEmpty()) {
      pass.offer(TYPE, proposal);
    }
  }

  /** A fleet that never had to do with a genesis of its own has no condition of it. */
  private static boolean concerns(FleetPass pass) {
    return pass.deployment().getSpec().genesis() != null
        || pass.draft().genesis() != null
        || stored(pass).isPresent();
  }

  /** Returns the condition that there is a genesis, which another operator may have made. */
  private static Optional<Condition> said(FleetPass pass) {
    return stored(pass).filter(Condition::isTrue);
  }

  private static Optional<Condition> stored(FleetPass pass) {
    return pass.stored().condition(TYPE);
  }

  private static ConditionProposal verdict(FleetPass pass) {
    Optional<Condition> said = said(pass);
    FleetGenesis genesis = pass.draft().genesis();
    if (said.isPresent()) {
      Condition latched = said.get();
      Reason reason = latched.reason() == null ? FleetReason.COMPLETE : latched.storedReason();
      return ConditionProposal.of(true, reason, latched.message());
    }
    if (FleetGenesis.isMade(genesis)) {
      return yes(FleetReason.COMPLETE, "the genesis is " + genesis.configMap());
    }
    if (genesis != null) {
      return no(FleetReason.IN_PROGRESS, "it has begun");
    }
    return pass.deployment().getSpec().genesis() == null
        ? no(FleetReason.NOT_APPLICABLE, "spec.genesis is not set")
        : no(
            FleetReason.NOT_SUPPORTED,
            "there were nodes before spec.genesis was set; no chain is made for them");
  }
}
