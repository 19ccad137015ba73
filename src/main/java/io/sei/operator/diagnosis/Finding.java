package io.sei.operator.diagnosis;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.Text;
import io.sei.operator.render.SpecFields;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why a node does not progress.
 *
 * @param reason the condition's reason
 * @param seen the evidence
 * @param nextStep what a human should do
 * @param terminal whether waiting cannot help, so that the node counts as stalled at once instead
 *     of at its progress deadline
 */
public record Finding(StallReason reason, String seen, String nextStep, boolean terminal) {

  /** Longest message. */
  public static final int MAX_MESSAGE = 1024;

  /** Message of the condition Reconciling where Stalled is True. */
  public static final String NOT_RECONCILING = "no progress is made; see the condition Stalled";

  /** Longest list of what else is wrong: a pod may have many containers. */
  private static final int MAX_OTHERS = 300;

  private static final Pattern NODE_FIELD = Pattern.compile("\\bspec\\.([a-zA-Z.]*[a-zA-Z])");

  /** Reports a wait without a known cause: the observation, and where to look. */
  public static Finding unknown(String seen, String nextStep) {
    return of(StallReason.UNKNOWN, seen, nextStep);
  }

  /** These conditions with Stalled=True for this reason, and so Reconciling=False. */
  public List<Condition> stalls(List<Condition> conditions, Long generation, Instant now) {
    List<Condition> stalled =
        Conditions.with(
            conditions,
            NodeConditionType.STALLED,
            ConditionStatus.TRUE,
            reason,
            message(),
            generation,
            now);
    return Conditions.with(
        stalled,
        NodeConditionType.RECONCILING,
        ConditionStatus.FALSE,
        reason,
        NOT_RECONCILING,
        generation,
        now);
  }

  /**
   * The finding on a node of a fleet. Its next step names the fields of the fleet's template, since
   * the fleet reverts these fields on the node.
   */
  public Finding onNodeOf(String fleet) {
    var ofFleet = new StringBuilder();
    String owner = " of fleet " + fleet;
    Matcher field = NODE_FIELD.matcher(nextStep);
    while (field.find()) {
      if (SpecFields.isOfTemplate(field.group(1))) {
        field.appendReplacement(ofFleet, "spec.template.spec.$1" + owner);
        owner = "";
      }
    }
    field.appendTail(ofFleet);
    return new Finding(reason, seen, ofFleet.toString(), terminal);
  }

  /** A finding that time may still heal. */
  static Finding of(StallReason reason, String seen, String nextStep) {
    return new Finding(reason, seen, nextStep, false);
  }

  /** A finding that time does not heal. */
  static Finding terminal(StallReason reason, String seen, String nextStep) {
    return new Finding(reason, seen, nextStep, true);
  }

  /** Adds less important findings to the message. */
  public Finding and(List<Finding> others) {
    return and(
        others.stream().map(other -> other.reason() + ": " + other.seen()).toList(),
        others.stream().anyMatch(Finding::terminal));
  }

  /**
   * Adds less important problems to the message.
   *
   * @param alsoTerminal whether waiting cannot help against one of them
   */
  Finding and(List<String> others, boolean alsoTerminal) {
    String all = Text.line(String.join(", ", others), MAX_OTHERS);
    return others.isEmpty()
        ? this
        : new Finding(
            reason,
            seen,
            "%s; %d more: %s".formatted(nextStep, others.size(), all),
            terminal || alsoTerminal);
  }

  /**
   * The evidence, then the next step: one printable line of at most {@link #MAX_MESSAGE}
   * characters, whatever it is made from. Long evidence does not push the advice off the end.
   */
  public String message() {
    String end = "; " + Text.line(nextStep, MAX_MESSAGE / 2);
    return Text.line(seen, MAX_MESSAGE - end.length()) + end;
  }
}
