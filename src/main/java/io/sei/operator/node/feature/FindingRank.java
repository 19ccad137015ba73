package io.sei.operator.node.feature;

/**
 * Precedence of problems that features find and none of the node's objects shows, highest first:
 * what may cost a validator, what keeps seid from starting, what slows the node down.
 */
public enum FindingRank {
  /** Input that a person or another object has to provide; no other problem is named beside it. */
  AWAITED_INPUT,
  SIGNING_ELSEWHERE,
  GENESIS_MISSING,
  CONFIGURATION_NOT_APPLIED,
  START_OVERDUE,
  NOT_RESPONDING,
  STANDS_STILL,
  RESIZE_PENDING
}
