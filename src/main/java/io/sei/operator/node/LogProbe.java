package io.sei.operator.node;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.Answer;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.Refusal;
import io.sei.operator.node.feature.LogAccess;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out ahead of an upgrade whether the log of seid can be read: a halt is proven by it alone.
 * Once for each pod, away from the reconciles; what is forbidden is asked for again.
 */
public final class LogProbe {

  /** Reads something of the log of seid. */
  @FunctionalInterface
  public interface Reader {

    /**
     * Reads it.
     *
     * @throws KubernetesClientException if that fails; with the code 403 if it is forbidden
     */
    void read(String namespace, String pod);
  }

  private static final Logger log = LoggerFactory.getLogger(LogProbe.class);

  private record Question(String namespace, String pod, String uid) {}

  private final Reader reader;
  private final Poller<ResourceID, Question, LogAccess> access;

  public LogProbe(Reader reader, Polling<ResourceID> polling) {
    this.reader = reader;
    this.access = Poller.waiting(polling, this::read);
  }

  /** Tells a reconcile what is known, and begins to find out what is not. */
  void look(NodePass pass) {
    boolean isAhead =
        Stream.ofNullable(pass.draft().upgrades())
            .flatMap(List::stream)
            .anyMatch(UpgradeStatus::isAhead);
    pass.view()
        .livePod()
        .filter(pod -> isAhead && hasLog(pod))
        .map(Pod::getMetadata)
        .map(pod -> new Question(pod.getNamespace(), pod.getName(), pod.getUid()))
        .ifPresent(question -> look(pass, question));
  }

  private void look(NodePass pass, Question question) {
    pass.logAccess(
        access.read(
            ResourceID.fromResource(pass.node()),
            question,
            Poller.Demand.once(Recheck.REFUSED),
            LogProbe::access));
  }

  /** A container that was created has a log, even if it is empty. */
  private static boolean hasLog(Pod pod) {
    return PodFacts.imageId(pod, Names.SEID).isPresent();
  }

  private LogAccess read(Question question) {
    try {
      reader.read(question.namespace(), question.pod());
      return LogAccess.GRANTED;
    } catch (KubernetesClientException e) {
      log.info("Cannot read the log of seid in pod {}: {}", question.pod(), e.getMessage());
      throw e;
    }
  }

  private static LogAccess access(Answer<LogAccess> answer) {
    return answer instanceof Answer.Failed<LogAccess>(KubernetesClientException e) && isForbidden(e)
        ? LogAccess.refused(Refusal.words(e))
        : answer.value().orElse(LogAccess.UNKNOWN);
  }
}
