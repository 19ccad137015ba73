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
 * Keeps {@code status.seid} of a fleet's node: since when the present run of seid is Ready, and
 * whether it has caught up, is down, or crashed after it was Ready. The fleet needs it because a
 * Ready pod may have a seid that has no peer yet, or that crashes in a moment. But for {@code
 * caughtUpAt} it changes only together with the condition Ready, so that it costs no further write
 * of the status.
 */
public final class SeidRunRecorder {

  private final NodeView view;
  private final Optional<Long> firstBlock;

  private SeidRunRecorder(NodePass pass) {
    this.view = pass.view();
    this.firstBlock = pass.firstBlock();
  }

  static void record(NodePass pass) {
    if (Labels.of(pass.node(), Labels.NODE_DEPLOYMENT).isEmpty()) {
      return;
    }
    SeidRun before = Optional.ofNullable(pass.draft().seid()).orElse(SeidRun.nothing());
    SeidRun after = new SeidRunRecorder(pass).after(before);
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
      // The kubelet reports a halt like any other exit, so it may have been recorded as a crash.
      return known.with(halted -> halted.crash(null).crashReason(null).crashedAt(null));
    }
    return Optional.ofNullable(known.containerID())
        .flatMap(seid::crash)
        .map(
            crash ->
                known.with(
                    builder ->
                        builder
                            .crash(crash.words())
                            .crashReason(crash.reason().toString())
                            .crashedAt(known.crashedAt() == null ? view.now() : known.crashedAt())))
        .orElse(known);
  }

  private SeidRun ready(SeidRun known, String run) {
    boolean isSameRun = run.equals(known.containerID()) && known.readyAt() != null;
    boolean isCaughtUp = isSameRun && known.caughtUpAt() != null;
    Instant now = view.now();
    return known.with(
        builder ->
            builder
                .containerID(run)
                .readyAt(isSameRun ? known.readyAt() : readyAt(known))
                .caughtUpAt(
                    isCaughtUp ? known.caughtUpAt() : firstBlock.map(height -> now).orElse(null))
                .height(isCaughtUp ? known.height() : firstBlock.orElse(known.height()))
                .down(null));
  }

  /**
   * Without an earlier record, such as after an adoption, the time of the condition Ready counts.
   */
  private Instant readyAt(SeidRun known) {
    return Optional.of(view.now())
        .filter(now -> known.containerID() != null)
        .or(
            () ->
                Optional.ofNullable(view.stored().readySince())
                    .filter(since -> view.stored().seid() == null))
        .orElse(view.now());
  }

  /** Records the height that the node has reached, above which the next run has to get. */
  private SeidRun notReady(SeidRun known) {
    Long heard = known.readyAt() == null ? null : view.height().orElse(null);
    Long height =
        heard == null || known.height() == null
            ? heard == null ? known.height() : heard
            : Long.valueOf(Math.max(heard, known.height()));
    return known.with(builder -> builder.readyAt(null).caughtUpAt(null).height(height));
  }
}
