package io.sei.operator.node.status;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Labels;
import java.time.Instant;
import java.util.Optional;

/**
 * Records for its fleet what becomes of seid in a node's pod: a pod that is Ready may have a seid
 * that has not heard of its chain yet, or that crashes in a moment. All of it changes together with
 * the condition Ready, but that seid has caught up.
 */
public final class SeidRuns {

  private final NodeView view;
  private final Optional<Long> caughtUpAt;

  private SeidRuns(NodePass pass) {
    this.view = pass.view();
    this.caughtUpAt = pass.caughtUpAt();
  }

  static void record(NodePass pass) {
    if (Labels.of(pass.node(), Labels.NODE_DEPLOYMENT).isEmpty()) {
      return;
    }
    SeidRun before = Optional.ofNullable(pass.draft().seid()).orElse(SeidRun.nothing());
    SeidRun after = new SeidRuns(pass).after(before);
    pass.update(status -> status.withSeid(after.equals(SeidRun.nothing()) ? null : after));
  }

  private SeidRun after(SeidRun before) {
    Optional<Pod> pod = view.livePod();
    return pod.isEmpty()
        ? notReady(before).withoutPod()
        : after(ofPod(pod.get().getMetadata().getUid(), before), pod.get());
  }

  private SeidRun ofPod(String uid, SeidRun before) {
    return before.podUid() == null || before.podUid().equals(uid)
        ? before
        : notReady(before).withoutPod();
  }

  private SeidRun after(SeidRun known, Pod pod) {
    SeidState seid = SeidState.of(pod);
    SeidRun observed = withCrash(known, seid);
    Optional<String> run = seid.running();
    if (PodFacts.isReady(pod) && run.isPresent()) {
      return ready(observed, run.get()).withPodUid(pod.getMetadata().getUid());
    }
    return notReady(observed).withDown(seid.isDown(view.now()) ? true : null);
  }

  private SeidRun withCrash(SeidRun known, SeidState seid) {
    if (seid.hasHalted()) {
      // A halt counts as a crash until its log is read.
      return known.with(halted -> halted.crash(null).crashReason(null).crashedAt(null));
    }
    return Optional.ofNullable(known.containerID())
        .flatMap(seid::crash)
        .map(
            crash ->
                known.with(
                    it ->
                        it.crash(crash.words())
                            .crashReason(crash.reason().toString())
                            .crashedAt(known.crashedAt() == null ? view.now() : known.crashedAt())))
        .orElse(known);
  }

  private SeidRun ready(SeidRun known, String run) {
    boolean same = run.equals(known.containerID()) && known.readyAt() != null;
    boolean told = same && known.caughtUpAt() != null;
    Instant now = view.now();
    return known.with(
        it ->
            it.containerID(run)
                .readyAt(same ? known.readyAt() : readyAt(known))
                .caughtUpAt(told ? known.caughtUpAt() : caughtUpAt.map(height -> now).orElse(null))
                .height(told ? known.height() : caughtUpAt.orElse(known.height()))
                .down(null));
  }

  /** A node that nothing was recorded of yet may have been Ready for long. */
  private Instant readyAt(SeidRun known) {
    return Optional.of(view.now())
        .filter(now -> known.containerID() != null)
        .or(
            () ->
                Optional.ofNullable(view.stored().readySince())
                    .filter(since -> view.stored().seid() == null))
        .orElse(view.now());
  }

  /** What the node was heard to have meanwhile, the next run has to get above. */
  private SeidRun notReady(SeidRun known) {
    Long heard = known.readyAt() == null ? null : view.height().orElse(null);
    Long height =
        heard == null || known.height() == null
            ? heard == null ? known.height() : heard
            : Long.valueOf(Math.max(heard, known.height()));
    return known.with(it -> it.readyAt(null).caughtUpAt(null).height(height));
  }
}
