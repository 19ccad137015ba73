package io.sei.operator.fleet.feature;

/** Whether every node of a deployment was found to have the spec that its template makes. */
public enum Assigned {
  NOT_LOOKED_AT,
  NOT_YET,
  EVERY_NODE
}
