package io.sei.operator.reconcile;

import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Unreadable;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.kube.OversizedObject;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.kube.StatusPatch;
import io.sei.operator.kube.StatusWrites;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.plan.Backoff;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * One reconcile, the same for both kinds. It consists of passes: observe, act, report, and write
 * the status, at most once. What has to be recorded before it is done ends a pass; the next one
 * observes again, with the resource as the API server answered the write, and does it. The status
 * is concluded whatever fails: one that stayed as it was would call a node Ready that is down.
 *
 * @param <R> the resource
 * @param <S> its status
 * @param <P> a pass
 */
public final class Kernel<R extends CustomResource<?, S>, S, P extends Pass<S>> {

  /** More than any sequence of steps needs: who still asks then asks forever. */
  static final int PASSES = 8;

  private final Reconciling<R, S, P> kind;
  private final Finalization<R> finalization;
  private final KubeApi api;
  private final EventRecorder events;
  private final PlanMetrics plans;
  private final Counter unfinished;
  private final Clock clock;
  private final StatusWrites<S> writes;
  private final DeferredStatus<S> deferred;

  /** Number of consecutive reconciles that ran out of passes, by resource. */
  private final PerObjectMap<ResourceID, Integer> exhausted;

  /**
   * @param events records what a status write tells
   * @param memory of the kind's resources
   * @param clock for what is stored
   * @param steady for ages; never set back or forth
   */
  public Kernel(
      Reconciling<R, S, P> kind,
      Finalization<R> finalization,
      KubeApi api,
      EventRecorder events,
      PlanMetrics plans,
      Counter unfinished,
      PerObjectState<ResourceID> memory,
      Clock clock,
      Clock steady) {
    this.kind = kind;
    this.finalization = finalization;
    this.api = api;
    this.events = events;
    this.plans = plans;
    this.unfinished = unfinished;
    this.writes = new StatusWrites<>(memory);
    this.deferred = new DeferredStatus<>(memory, steady);
    this.exhausted = memory.newMap();
    this.clock = clock;
  }

  /**
   * Reconciles.
   *
   * @return when to reconcile again if no event comes first
   * @throws io.fabric8.kubernetes.client.KubernetesClientException 409 if the resource changed
   *     meanwhile
   */
  public Optional<Duration> run(R resource, Context<R> context) {
    return run(resource, (before, after) -> StatusPatch.write(before, after, context));
  }

  Optional<Duration> run(R resource, BiFunction<R, S, R> statusWriter) {
    if (resource.isMarkedForDeletion()) {
      return leave(resource, statusWriter);
    }
    Unreadable unreadable = Unreadable.of(resource);
    if (!unreadable.isOfSpecOnly()) {
      events.record(resource, leftAlone(resource, unreadable));
      return Optional.empty();
    }
    List<FieldError> errors = errors(resource);
    if (!errors.isEmpty()) {
      Finding finding = Diagnosis.invalid(FieldError.joined(errors));
      S invalid = stalled(resource, kind.invalid(resource, errors, now()), finding);
      write(resource, invalid, kind.planOf(invalid), now(), statusWriter);
      return Optional.empty();
    }
    R current = resource;
    for (int number = 1; number <= PASSES; number++) {
      P pass;
      try {
        pass = kind.observe(current, deferred.of(current).orElse(kind.statusOf(current)));
      } catch (RefusedException e) {
        return refused(current, e, statusWriter);
      }
      switch (kind.begin(pass)) {
        case Next.HandsOff off -> {
          write(current, pass.draft(), pass.plan(), pass.now(), statusWriter);
          return Optional.of(off.recheck());
        }
        case Next.Rest rest -> {
          return rest.recheck();
        }
        case Next.GoOn _, Next.WriteFirst _ -> {}
      }
      if (addsFinalizer(current, pass)) {
        return Optional.empty();
      }
      current = pass(current, pass, number, statusWriter).orElse(current);
      if (pass.asking().isEmpty()) {
        exhausted.remove(ResourceID.fromResource(resource));
        return pass.recheck();
      }
    }
    unfinished.increment();
    return Optional.of(
        Backoff.OF_TASKS.after(
            exhausted
                .compute(
                    ResourceID.fromResource(resource), before -> before == null ? 1 : before + 1)
                .orElseThrow()));
  }

  /** Reports a resource one of whose objects cannot be read, so that its state is unknown. */
  private Optional<Duration> refused(
      R resource, RefusedException refusal, BiFunction<R, S, R> statusWriter) {
    S status = kind.statusOf(resource);
    S stalled = stalled(resource, status, Diagnosis.refused(refusal.getMessage()));
    write(resource, stalled, kind.planOf(status), now(), statusWriter);
    return Optional.of(Backoff.OF_TASKS.cap());
  }

  private List<FieldError> errors(R resource) {
    return Unreadable.isStub(resource)
        ? Unreadable.of(resource).fields().stream().map(FieldError::of).toList()
        : kind.errors(resource);
  }

  private S stalled(R resource, S status, Finding finding) {
    return kind.stalled(status, finding, resource.getMetadata().getGeneration(), now());
  }

  /**
   * A status that was not read in full cannot be written without losing what it says, and metadata
   * not without the conditions that it sets.
   */
  private ObjectEvent leftAlone(R resource, Unreadable fields) {
    return ObjectEvent.warning(
        "Unreadable",
        "the operator leaves this %s alone until it can read it: %s"
            .formatted(resource.getKind(), fields));
  }

  /** Records an Event about the data of a deleted resource, unless its finalizer did. */
  public void gone(R last) {
    if (!last.isMarkedForDeletion()) {
      announce(last);
    }
  }

  private Optional<R> pass(R resource, P pass, int number, BiFunction<R, S, R> statusWriter) {
    Optional<R> written;
    try {
      pass.refusals().get(() -> kind.act(pass)).ifPresent(pass::take);
    } finally {
      kind.report(pass);
      reportEndlessPasses(resource, pass, number);
      written = writeOrKeep(resource, pass, statusWriter);
    }
    return written;
  }

  /** Reports a step that asks for another pass in the last one, until a reconcile has ended. */
  private void reportEndlessPasses(R resource, P pass, int number) {
    boolean isPersistent =
        number == PASSES || exhausted.get(ResourceID.fromResource(resource)).isPresent();
    Optional<String> asking = pass.asking();
    if (!isPersistent || pass.refusals().message().isPresent() || asking.isEmpty()) {
      return;
    }
    Finding finding = endless(asking.get());
    pass.update(
        status ->
            kind.stalled(status, finding, resource.getMetadata().getGeneration(), pass.now()));
  }

  private static Finding endless(String asking) {
    return Finding.unknown(
        "after %d passes of one reconcile, the step %s still asks for another"
            .formatted(PASSES, asking),
        "this is a defect of the operator; report it with the output of kubectl sei support");
  }

  /** Returns whether the resource was given its finalizer, which is an event of its own. */
  private boolean addsFinalizer(R resource, P pass) {
    return finalization.isRetained(resource)
        && !resource.hasFinalizer(finalization.finalizer())
        && pass.refusals()
            .run(
                () ->
                    api.mergePatch(
                        resource, MetadataPatch.addFinalizer(resource, finalization.finalizer())));
  }

  private Optional<Duration> leave(R resource, BiFunction<R, S, R> statusWriter) {
    finalization.pause(resource);
    S status = kind.statusOf(resource);
    S terminating = Unreadable.of(resource).isOfSpecOnly() ? kind.terminating(status) : status;
    if (!terminating.equals(status)) {
      announce(resource);
      write(resource, terminating, kind.planOf(terminating), now(), statusWriter);
      return Optional.empty();
    }
    var refusals = new ApiRejections();
    refusals.run(() -> release(resource, refusals));
    Optional<Finding> refusal = refusals.finding();
    if (refusal.isPresent() && Unreadable.of(resource).isOfSpecOnly()) {
      S stalled = stalled(resource, status, refusal.get());
      write(resource, stalled, kind.planOf(stalled), now(), statusWriter);
    }
    return refusal.map(finding -> Backoff.OF_TASKS.cap());
  }

  private void release(R resource, ApiRejections refusals) {
    finalization.release(resource, refusals);
    if (resource.hasFinalizer(finalization.finalizer())) {
      api.mergePatch(resource, MetadataPatch.removeFinalizer(resource, finalization.finalizer()));
    }
  }

  private void announce(R resource) {
    if (resource.getSpec() != null && !resource.hasFinalizer(KubeApi.ORPHAN)) {
      finalization.announce(resource);
    }
  }

  private Optional<R> writeOrKeep(R resource, P pass, BiFunction<R, S, R> statusWriter) {
    // What a step asks to be recorded first is no mere progress, whatever it changes.
    boolean isDeferrable =
        pass.asking().isEmpty() && kind.isProgressOnly(kind.statusOf(resource), pass.draft());
    Optional<Duration> delay = deferred.delay(resource, pass.draft(), isDeferrable);
    delay.ifPresent(pass::recheckAfter);
    return delay.isPresent()
        ? Optional.empty()
        : write(resource, pass.draft(), pass.plan(), pass.now(), statusWriter);
  }

  /** The resource as it was written; empty if there was nothing to write. */
  private Optional<R> write(
      R resource, S reached, TaskPlan plan, Instant now, BiFunction<R, S, R> statusWriter) {
    S before = kind.statusOf(resource);
    S after = kind.concluded(before, reached, resource.getMetadata().getGeneration(), now);
    return writes.write(
        resource,
        after,
        () -> OversizedObject.write(resource, events, () -> statusWriter.apply(resource, after)),
        () -> {
          kind.events(before, after).forEach(event -> events.record(resource, event));
          plans.observe(kind.planOf(before), plan, now);
        });
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }

  /** Counts reconciles that ran out of passes. */
  public static Counter unfinished(MeterRegistry metrics, String controller) {
    return Counter.builder("sei.reconcile.unfinished")
        .description("Reconciles that ended while a step still asked for another pass")
        .tag("controller", controller)
        .register(metrics);
  }
}
